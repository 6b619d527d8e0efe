"""QR codes of a picture, read by another library than the one that draws them."""

import zxingcpp
from PIL.Image import Image


def qr_codes(image: Image) -> list[zxingcpp.Barcode]:
    """No other kinds: among many modules there is now and then something that reads as a bar code."""
    return zxingcpp.read_barcodes(image.convert("L"), formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode))
