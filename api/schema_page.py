"""The page of the OpenAPI document: Litestar's Swagger UI plugin, with Swagger UI's files served from here."""

import hashlib
import re
from base64 import b64encode
from functools import cache
from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.plugins import SwaggerRenderPlugin
from litestar.params import FromPath
from litestar.status_codes import HTTP_404_NOT_FOUND

from api.controllers.gift_pages import file_response
from reminder_worker.errors import NotFound
from reminder_worker.gifts.assets import DIST, MEDIA_TYPES, PageFile

SWAGGER_PAGE = SwaggerRenderPlugin(
    path="/",
    js_url="/schema/files/swagger-ui-bundle.js",
    css_url="/schema/files/swagger-ui.css",
    standalone_preset_js_url="/schema/files/swagger-ui-standalone-preset.js",
    favicon='<link rel="icon" href="data:,">',
)


@get("/schema/files/{file:str}", include_in_schema=False, sync_to_thread=False)
def swagger_file(request: Request[Any, Any, Any], file: FromPath[str]) -> Response[bytes]:
    """A script or style of Swagger UI, which the build puts beside the files of the gift page."""
    found = _swagger_files().get(file)
    if found is None:
        raise NotFound("There is no such file.")
    return file_response(request, found, "public, max-age=3600")


@cache
def _swagger_files() -> dict[str, PageFile]:
    paths = (DIST / "schema").glob("swagger-ui*")
    return {path.name: PageFile(MEDIA_TYPES[path.suffix], path) for path in paths}


def restrict_page(response: Response[Any]) -> Response[Any]:
    """Allow the page its own inline script, and otherwise only what is served from here.

    The framework's own page for an unknown path becomes a problem, as elsewhere.
    """
    if response.status_code == HTTP_404_NOT_FOUND:
        raise NotFoundException
    if script := re.search(rb"<script type='text/javascript'>(.*?)</script>", response.content, re.S):
        digest = b64encode(hashlib.sha256(script[1]).digest()).decode()
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'; img-src data:; "
            f"script-src 'self' 'sha256-{digest}'; style-src 'self' 'unsafe-inline'"
        )
    return response
