"""Built files of the gift page, by their manifest."""

import gzip
import json
from pathlib import Path

from reminder_worker.gifts.assets import PageEntry, PageFiles


def test_where_nothing_was_built_there_are_no_files(tmp_path: Path) -> None:
    """The pages are then served without a script."""
    assert PageFiles.load(tmp_path) is None


def test_a_page_loads_what_its_script_imports_at_once_and_nothing_more(tmp_path: Path) -> None:
    """Styles and chunks of chunks too, each once; what is imported later, and files that no page needs, are left."""
    chunks = {
        "src/claim.ts": {"name": "claim", "isEntry": True, "file": "assets/claim-1.js", "imports": ["_a", "_b"],
                         "dynamicImports": ["src/ways.ts"], "css": ["assets/claim-1.css"]},
        "_a": {"name": "a", "file": "assets/a-1.js", "imports": ["_b"], "css": ["assets/a-1.css"]},
        "_b": {"name": "b", "file": "assets/b-1.js", "imports": ["_a"]},
        "src/ways.ts": {"name": "ways", "isDynamicEntry": True, "file": "assets/ways-1.js"},
    }  # fmt: skip
    (tmp_path / "assets").mkdir()
    for name in ("claim-1.js", "a-1.js", "b-1.js", "ways-1.js", "claim-1.css", "a-1.css", "font.woff2", "notes.html"):
        (tmp_path / "assets" / name).write_text(name)
    (tmp_path / "manifest.json").write_text(json.dumps(chunks))
    files = PageFiles.load(tmp_path)
    assert files is not None
    entry = files.entries["claim"]
    assert files.entries == {"claim": PageEntry("claim-1.js", entry.styles, entry.preloads)}
    assert sorted(entry.styles) == ["a-1.css", "claim-1.css"]
    assert sorted(entry.preloads) == ["a-1.js", "b-1.js"]
    assert set(files.files) == {"claim-1.js", "a-1.js", "b-1.js", "ways-1.js", "claim-1.css", "a-1.css", "font.woff2"}
    script = files.files["claim-1.js"]
    assert script.media_type == "text/javascript"
    assert gzip.decompress(script.gzipped or b"") == script.content == b"claim-1.js"
    assert files.files["font.woff2"].gzipped is None
