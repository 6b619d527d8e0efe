"""The OpenAPI document as one readable page: made on the server, no script, nothing loaded from anywhere."""

import hashlib
import json
import re
from base64 import b64encode
from html import escape
from typing import Any

from litestar import Request, Response
from litestar.exceptions import NotFoundException
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.status_codes import HTTP_404_NOT_FOUND

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--dim:#5c6776;--line:#dfe4ea;--ground:#fff;--card:#f7f9fb;--accent:#0b6e5b}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--dim:#9aa6b4;--line:#2b3440;--ground:#12171d;--card:#1a2129;
--accent:#4fc3a7}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2.5rem 1.25rem 5rem}
h1{font-size:2rem;margin:0 0 .25rem}h2{margin:3rem 0 1rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
h3{margin:0;font-size:1.05rem;font-weight:600}h4{margin:1.4rem 0 .4rem;font-size:.8rem;letter-spacing:.05em;
text-transform:uppercase;color:var(--dim)}
a{color:var(--accent)}p{margin:.5rem 0}.dim{color:var(--dim)}
code,pre{font:.86em/1.5 ui-monospace,Menlo,Consolas,monospace}
code{background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.05em .3em;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem;margin:.4rem 0;
white-space:pre-wrap;overflow-wrap:anywhere}
nav ul{list-style:none;padding:0;margin:.5rem 0;columns:2 20rem}nav li{margin:.25rem 0}
article{border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem;margin:0 0 1.25rem}
.method{display:inline-block;min-width:3.4rem;text-align:center;border-radius:5px;background:var(--accent);
color:var(--ground);font-size:.75rem;font-weight:700;padding:.12rem .4rem;margin-right:.5rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:600;color:var(--dim);font-size:.8rem}
th,td{border-bottom:1px solid var(--line);padding:.45rem .6rem .45rem 0;vertical-align:top}
td:first-child,th:first-child{white-space:nowrap}
@media(max-width:40rem){table,tbody,tr,td{display:block}th{display:none}td{border:0;padding:.1rem 0}
tr{border-bottom:1px solid var(--line);padding:.5rem 0;display:block}}
"""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; img-src data:; style-src 'sha256-"
    + b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'"
)
Json = dict[str, Any]


class SchemaPage(OpenAPIRenderPlugin):
    """Serves the page at the root of the schema's path."""

    def __init__(self) -> None:
        super().__init__(path="/", favicon="", style="")

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        return render_page(openapi_schema, self.get_openapi_json_route(request)).encode()


def not_found_as_a_problem(response: Response[Any]) -> Response[Any]:
    """In place of the framework's own page for what is not there below the schema's path: a problem, as elsewhere."""
    if response.status_code == HTTP_404_NOT_FOUND:
        raise NotFoundException
    return response


def render_page(document: Json, json_path: str) -> str:
    """HTML of an OpenAPI 3.1 document; `json_path` is where the document itself is served."""
    info = document["info"]
    operations = [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict) and "responses" in operation
    ]
    tags = list(dict.fromkeys(tag for *_, operation in operations for tag in operation.get("tags", ["Other"])))
    links = "".join(
        f'<li><span class="method">{method.upper()}</span><a href="#{_anchor(path)}">{escape(path)}</a></li>'
        for tag in tags
        for path, method, operation in operations
        if tag in operation.get("tags", ["Other"])
    )
    sections = "".join(
        f"<section><h2>{escape(tag)}</h2>"
        + "".join(_operation(document, *each) for each in operations if tag in each[2].get("tags", ["Other"]))
        + "</section>"
        for tag in tags
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{escape(info['title'])} API</title><style>{STYLE}</style></head><body><main>"
        f'<h1>{escape(info["title"])} API</h1><p class="dim">Version {escape(info["version"])} · '
        f'<a href="{escape(json_path)}">OpenAPI {escape(document["openapi"])} document</a></p>'
        f"{_words(info.get('description', ''))}<nav><ul>{links}</ul></nav>{sections}</main></body></html>"
    )


def _operation(document: Json, path: str, method: str, operation: Json) -> str:
    parts = [
        f'<article id="{_anchor(path)}"><h3><span class="method">{method.upper()}</span>'
        f"<code>{escape(path)}</code></h3><p>{escape(operation.get('summary') or '')}</p>",
        _words(operation.get("description") or ""),
    ]
    if parameters := operation.get("parameters"):
        parts += ["<h4>Parameters</h4>", _table("".join(_parameter(each) for each in parameters))]
    if body := operation.get("requestBody"):
        schema = _content(body)
        parts += ["<h4>Request body</h4>", _fields(document, schema), _example(document, schema)]
    rows = []
    for status, response in sorted(operation["responses"].items()):
        if status.startswith("2"):
            schema = _content(response)
            parts += [f"<h4>Answer {status}</h4>", _fields(document, schema), _example(document, schema)]
        elif status.startswith("3"):
            parts.append(f"<h4>Answer {status}</h4>{_words(response.get('description', ''))}")
        else:
            rows.append(f"<tr><td><code>{status}</code></td><td>{_inline(response.get('description', ''))}</td></tr>")
    if rows:
        parts.append(f"<h4>Problems (application/problem+json)</h4><table>{''.join(rows)}</table>")
    return "".join(parts) + "</article>"


def _content(part: Json) -> Json:
    media: list[Json] = list(part.get("content", {}).values())
    schema: Json = media[0].get("schema", {}) if media else {}
    return schema


def _fields(document: Json, schema: Json) -> str:
    rows = "".join(_rows(document, schema, ""))
    return _table(rows) if rows else ""


def _table(rows: str) -> str:
    return f"<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>{rows}</table>"


def _row(name: str, kind: str, words: str) -> str:
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(kind)}</td><td>{words}</td></tr>"


def _parameter(parameter: Json) -> str:
    schema = parameter.get("schema", {})
    kinds = [each.get("type", "") for each in schema.get("oneOf", [schema])]
    kind = " or ".join(each for each in kinds if each != "null")
    place = f"In the {parameter['in']}" + ("" if parameter.get("required") else "; may be left out")
    return _row(parameter["name"], kind, _sentences([_inline(parameter.get("description", "")), place]))


def _rows(document: Json, schema: Json, prefix: str) -> list[str]:
    """Return a row for each field, with the rows of its own fields below."""
    rows = []
    schema = _resolved(document, schema)
    for name, field in schema.get("properties", {}).items():
        field = _resolved(document, field)
        kinds = [_resolved(document, each) for each in field.get("oneOf", [field])]
        items = [_resolved(document, kind["items"]) for kind in kinds if "items" in kind]
        words = field.get("description") or next((item["description"] for item in items if "description" in item), "")
        says = [_inline(words)] if words else []
        if allowed := field.get("enum"):
            says.append("One of " + ", ".join(f"<code>{escape(str(each))}</code>" for each in allowed))
        if name not in schema.get("required", []):
            says.append("May be left out")
        rows.append(_row(prefix + name, " or ".join(map(_kind, kinds)), _sentences(says)))
        for kind in kinds:
            rows += _rows(document, kind, f"{prefix}{name}.")
        for item in items:
            rows += _rows(document, item, f"{prefix}{name}[].")
    return rows


def _kind(schema: Json) -> str:
    """Its items are resolved where they are shown: here their type is enough."""
    return f"array of {schema['items'].get('type', 'object')}" if "items" in schema else str(schema.get("type", ""))


def _sentences(parts: list[str]) -> str:
    """The last one as it is: what stands alone in a cell has no full stop."""
    return " ".join([*(f"{part.rstrip('.')}." for part in parts[:-1]), *parts[-1:]])


def _example(document: Json, schema: Json) -> str:
    value = example_of(document, schema)
    return f"<pre>{escape(json.dumps(value, indent=2, ensure_ascii=False))}</pre>" if value else ""


def example_of(document: Json, schema: Json) -> Any:
    """A value of the schema, from the examples of its fields."""
    schema = _resolved(document, schema)
    if examples := schema.get("examples"):
        return examples[0]
    if "properties" in schema:
        return {name: example_of(document, field) for name, field in schema["properties"].items()}
    if "items" in schema:
        return [example_of(document, schema["items"])]
    return schema.get("enum", [schema.get("const")])[0]


def _resolved(document: Json, schema: Json) -> Json:
    """Follow a reference and a lone `allOf`/`oneOf`, keeping what stands beside it."""
    found = dict(schema)
    for branch in ("allOf", "oneOf"):
        if len(found.get(branch, [])) == 1:
            found = {**found.pop(branch)[0], **found}
    if "$ref" in found:
        name = found.pop("$ref").rpartition("/")[2]
        found = {**_resolved(document, document["components"]["schemas"][name]), **found}
    return found


def _anchor(path: str) -> str:
    return re.sub(r"\W+", "-", path).strip("-")


def _words(text: str) -> str:
    return "".join(f"<p>{_inline(paragraph)}</p>" for paragraph in text.split("\n\n") if paragraph.strip())


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text.strip(), quote=False))
