/** Reads a QR code with the camera, where the browser can (BarcodeDetector). Pictures never leave the device. */

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

const LOOK_MILLISECONDS = 150;

/** Whether there is a camera to read with. */
export async function canScan(): Promise<boolean> {
  const known = detectorClass();
  if (known === undefined || navigator.mediaDevices?.getUserMedia === undefined) return false;
  try {
    return (await known.getSupportedFormats()).includes("qr_code");
  } catch {
    return false;
  }
}

/** Shows the camera in `video` and calls `seen` with each code until it says true, `stop` is aborted or the video gone.
 *
 * Rejects when the camera may not be used. */
export async function scan(video: HTMLVideoElement, stop: AbortSignal, seen: (text: string) => boolean): Promise<void> {
  const known = detectorClass();
  if (known === undefined) throw new Error("there is no detector");
  const detector = new known({ formats: ["qr_code"] });
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  try {
    video.srcObject = stream;
    await video.play();
    while (!stop.aborted && video.isConnected) {
      const codes = await detector.detect(video).catch(() => []); // a frame that is not there yet
      if (!stop.aborted && video.isConnected && codes.some(({ rawValue }) => seen(rawValue))) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}

function detectorClass(): DetectorClass | undefined {
  return (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
}
