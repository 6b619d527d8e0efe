"""Lint of the project's English: hard sentences, docstring openings, class names and constants.

Sentences stand in docstrings, comments and documents, and in the strings of the service: descriptions of the HTTP API,
`--help`, words of `doctor` and of errors, comments of tables.

    python -m tests.prose                  compare each area with its ceilings in pyproject.toml
    python -m tests.prose --list [AREA]    the same, with every finding
    python -m tests.prose FILE...          hard sentences and names in these files
    python -m tests.prose --lower          write the figures reached as the new ceilings
    python -m tests.prose --message FILE   check the subject of a commit message (a hook of git)

A sentence of 10 to 45 words (8 to 45 in a string) is hard when every fifth word or more is a pronoun or relative. An
area is a room of `reminder_worker` or a folder at the top. Its figures may only fall: a figure above the ceiling fails.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIGURATION = ROOT / "pyproject.toml"
CONSTANTS_PER_1000_LINES = 12  # an area below this rate may add constants above its ceiling

MANY_CONSTANTS = re.compile(r"(tests|bench)/|.*/features?\.py\Z")

PRONOUNS = re.compile(
    r"(who|whom|whose|whoever|which|that|what|whatever|it|its|itself|they|them|there|those|such|ones?|each|another|"
    r"others|nobody|somebody|anybody|so|then)\Z",
    re.I,
)
SERVICE = ("reminder_worker/", "api/", "assets/", "pipelines/", "mail_service/")  # its strings are read by people
RIDDLE_OPENINGS = frozenset({"Of", "What", "Whether", "Who"})
MEASURES = {
    "hard": "hard sentences",
    "shown": "hard sentences in strings that people read",
    "openings": "docstrings that open with Of, What, Whether or Who",
    "one_word": "one-word class names",
    "twice": "class names used twice",
    "constants": "module constants",  # of the service; tests, benches and declarations of features may have many
}

# A string, or a comment (group 1): a marker inside a string begins no comment.
COMMENTS = {
    ".py": re.compile(
        r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(#[^\n]*)""", re.S
    ),
    ".ts": re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(//[^\n]*|/\*.*?\*/)""", re.S),
    ".sql": re.compile(r"""'[^']*'|"[^"]*"|(--[^\n]*|/\*.*?\*/)""", re.S),
}
MARKER = re.compile(r"^\s*(?:#+|//+|--+|/\*+|\*(?!\*))\s?|\*/\s*$")
DIRECTIVE = re.compile(r"(noqa|type:|pragma|ruff:|mypy:|!|@ts-|eslint|name:)")
WORD = re.compile(r"`[^`]*`|[A-Za-z][\w'\u2019-]*")
CLASS_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*\Z")


DefinitionNode = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class ProseFinding:
    """One sentence, name or constant at a line."""

    path: str
    line: int
    measure: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {MEASURES[self.measure]}: {self.text}"


@dataclass(frozen=True)
class FileReport:
    """Findings, class definitions (name, line) and number of lines of a file."""

    path: str
    lines: int
    findings: tuple[ProseFinding, ...]
    classes: tuple[tuple[str, int], ...]


def is_hard(sentence: str, shortest: int = 10) -> bool:
    """Return whether a sentence of `shortest` to 45 words has a pronoun or relative at every fifth word or more."""
    words = WORD.findall(sentence)
    return shortest <= len(words) <= 45 and 5 * sum(bool(PRONOUNS.match(word)) for word in words) >= len(words)


def sentences(line: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of a block with its line; it ends at a full stop, semicolon, colon or blank line."""
    start = 0
    for end in re.finditer(r"(?<=[.;:!?])[\"')*_]*\s+|\n\s*\n\s*|\Z", text):
        sentence = text[start : end.start()]
        if sentence.strip():
            yield line + text.count("\n", 0, start), " ".join(sentence.split())
        start = end.end()


def definitions(body: Iterable[ast.stmt]) -> Iterator[DefinitionNode]:
    """Yield classes and functions at any depth. Expressions are not searched."""
    for statement in body:
        if isinstance(statement, DefinitionNode):
            yield statement
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from definitions(getattr(statement, name, ()))


def shown_strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield every string except docstrings, with its line. In an f-string, `X` stands for each value."""
    parts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            parts.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            words = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield node.lineno, "".join(str(word) for word in words)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.lineno, node.value


def comment_blocks(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield comments with their lines; line comments directly below each other are one block."""
    block, first, end = "", 0, 0
    for match in pattern.finditer(text):
        words = "\n".join(MARKER.sub("", line) for line in (match[1] or "").split("\n"))
        if not words.strip() or DIRECTIVE.match(words.strip()):
            continue
        alone = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if block and alone and text[end : match.start()].strip(" \t") == "\n":
            block = f"{block}\n{words}"
        else:
            if block:
                yield first, block
            block, first = words, text.count("\n", 0, match.start()) + 1
        end = match.end()
    if block:
        yield first, block


def markdown_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, list items and table cells; code, pictures, comments and addresses of links are left out."""
    text = re.sub(r"^( *)```.*?^\1```|<!--.*?-->", lambda code: "\n" * code[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    block: list[str] = []
    first = 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        ends = not line.strip() or line.startswith(("#", "|"))
        if block and (ends or re.match(r"\s*([-*+]|\d+\.)\s", line)):
            yield first, "\n".join(block)
            block = []
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.split("|") if cell.strip(" -:"))
        elif not ends:
            first = first if block else number
            block.append(re.sub(r"^\s*(?:[-*+]|\d+\.|>)\s", "", line))


def examine_python(path: str, text: str) -> tuple[list[ProseFinding], list[tuple[str, int]], list[tuple[int, str]]]:
    """Return findings about names and openings, the classes with their lines, and the docstrings, also of fields."""
    tree = ast.parse(text)
    findings, classes, docstrings = [], [], []
    if path.startswith(SERVICE):
        for line, words in shown_strings(tree):
            hard = [(at, sentence) for at, sentence in sentences(line, words) if is_hard(sentence, 8)]
            findings += [ProseFinding(path, at, "shown", sentence) for at, sentence in hard]
    for node in (tree, *definitions(tree.body)):
        docstring = ast.get_docstring(node, clean=False)
        if docstring:
            line = node.body[0].lineno
            docstrings.append((line, docstring))
            if docstring.split(maxsplit=1)[0].strip(",:;") in RIDDLE_OPENINGS:
                findings.append(ProseFinding(path, line, "openings", docstring.split("\n", 1)[0]))
        docstrings += [
            (item.lineno, item.value.value)
            for item in node.body[1:]
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, str)
        ]
        if isinstance(node, ast.ClassDef):
            classes.append((node.name, node.lineno))
            if len(CLASS_WORD.findall(node.name)) < 2:
                findings.append(ProseFinding(path, node.lineno, "one_word", node.name))
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and CONSTANT.match(target.id) and not MANY_CONSTANTS.match(path):
                findings.append(ProseFinding(path, target.lineno, "constants", target.id))
    return findings, classes, docstrings


def examine_text(path: str, text: str) -> FileReport:
    """Return the findings of a file; the suffix tells the language."""
    findings: list[ProseFinding] = []
    classes: list[tuple[str, int]] = []
    suffix = Path(path).suffix
    blocks = list(markdown_blocks(text) if suffix == ".md" else comment_blocks(text, COMMENTS[suffix]))
    if suffix == ".py":
        findings, classes, docstrings = examine_python(path, text)
        blocks += docstrings
    for line, block in blocks:
        findings += [ProseFinding(path, at, "hard", words) for at, words in sentences(line, block) if is_hard(words)]
    return FileReport(path, text.count("\n"), tuple(sorted(findings)), tuple(classes))


def examine_file(path: Path) -> FileReport:
    """Return the findings of a file of the project."""
    return examine_text(str(path.relative_to(ROOT)), path.read_text())


def repeated_classes(reports: Iterable[FileReport]) -> list[ProseFinding]:
    """Return each definition of a class whose name another file of the same top folder uses as well."""
    places: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for report in reports:
        for name, line in report.classes:
            places.setdefault((report.path.split("/")[0], name), set()).add((report.path, line))
    return [
        ProseFinding(path, line, "twice", name)
        for (_, name), found in places.items()
        if len({path for path, _ in found}) > 1
        for path, line in sorted(found)
    ]


def project_files() -> list[Path]:
    """Return the files with prose: code, documents, and the pages at the top."""
    folders = (
        "reminder_worker api assets pipelines mail_service devnet bench tests gift_page clients docs deploy .github"
    )
    skipped = {"node_modules", "dist", "generated", "versions", "__pycache__", "golden", "results"}
    found = [*ROOT.glob("*.md")]
    for folder in folders.split():
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".ts", ".sql", ".md"} and not skipped & set(path.relative_to(ROOT).parts):
                found.append(path)
    return sorted(found)


def area_of(path: str) -> str:
    """Return the room of `reminder_worker` or the top folder that a file belongs to."""
    parts = Path(path).parts
    if len(parts) == 1:
        return "pages"
    return "/".join(parts[:2]) if parts[0] == "reminder_worker" and len(parts) > 2 else parts[0]


def figures(reports: Iterable[FileReport]) -> tuple[dict[str, Counter[str]], list[ProseFinding]]:
    """Return the figures of each area (and its `lines`), and every finding."""
    reports = list(reports)
    findings = sorted([finding for report in reports for finding in report.findings] + repeated_classes(reports))
    areas = {area_of(report.path): Counter[str]() for report in reports}
    for report in reports:
        areas[area_of(report.path)]["lines"] += report.lines if report.path.endswith(".py") else 0
    for finding in findings:
        areas[area_of(finding.path)][finding.measure] += 1
    return areas, findings


def ceilings() -> dict[str, dict[str, int]]:
    """Return the ceilings of each area; an area without an entry has 0 everywhere."""
    table: dict[str, dict[str, int]] = tomllib.loads(CONFIGURATION.read_text())["tool"]["prose"]["ceilings"]
    return table


def compare(areas: dict[str, Counter[str]], allowed: dict[str, dict[str, int]]) -> tuple[list[str], list[str]]:
    """Return the figures above their ceilings, and the figures below."""
    above, below = [], []
    for area in sorted(areas):
        for measure, words in MEASURES.items():
            figure, ceiling = areas[area][measure], allowed.get(area, {}).get(measure, 0)
            free = CONSTANTS_PER_1000_LINES * areas[area]["lines"] // 1000 if measure == "constants" else 0
            if figure > max(ceiling, free):
                above.append(f"{area}: {figure} {words}, {ceiling} at most (`python -m tests.prose --list {area}`)")
            elif figure < ceiling:
                below.append(f"{area}: {figure} {words}, the ceiling is {ceiling}")
    return above, below


def lowered(text: str, areas: dict[str, Counter[str]], allowed: dict[str, dict[str, int]]) -> str:
    """Return the configuration with each ceiling at the figure reached, where that is lower."""
    rows = []
    for area in sorted(areas):
        values = {name: min(areas[area][name], allowed.get(area, {}).get(name, 0)) for name in MEASURES}
        entries = ", ".join(f"{name} = {value}" for name, value in values.items() if value)
        if entries:
            rows.append(f'"{area}" = {{ {entries} }}\n')
    before, header, after = text.partition("[tool.prose.ceilings]\n")
    _, bracket, next_table = after.partition("\n[")
    return before + header + "".join(rows) + bracket + next_table


def subject_faults(message: str) -> list[str]:
    """Return what is wrong with the first line of a commit message; merges and fixups are left to git."""
    subject = message.split("\n", 1)[0].rstrip()
    first, _, rest = subject.partition(" ")
    if subject.startswith(("Merge ", "fixup! ", "squash! ", "Revert ")):
        return []
    faults = []
    if len(subject) > 72:
        faults.append(f"the subject has {len(subject)} characters, {72} at most")
    if not re.fullmatch(r"[A-Z][a-z-]+", first) or not rest:
        faults.append("the subject begins with a verb in capitals and small letters, as in `Refund the daily quota`")
    elif re.search(r"(ed|ing|[^s]s)\Z", first) and first not in {
        "Embed",
        "Feed",
        "Seed",
        "Speed",
        "Need",
        "Bring",
        "Focus",
        "Alias",
    }:
        faults.append(f"`{first}` is no imperative: write `Refund the quota`, not `Refunded`, `Refunding` or `Refunds`")
    if subject.endswith("."):
        faults.append("the subject ends without a full stop")
    return faults


def main(words: list[str] | None = None) -> int:
    """Run the command; 1 means that something has to be rewritten."""
    parser = argparse.ArgumentParser(prog="python -m tests.prose", description="Lint the project's English.")
    parser.add_argument("files", nargs="*", help="files, or with --list an area such as reminder_worker/relay")
    parser.add_argument("--list", action="store_true", help="print every finding of the project or of the areas")
    parser.add_argument("--lower", action="store_true", help="write the figures reached as ceilings")
    parser.add_argument("--message", type=Path, help="a file with a commit message: check its subject")
    options = parser.parse_args(words)
    if options.message:
        faults = subject_faults(options.message.read_text())
        print(*faults, sep="\n", end="\n" if faults else "")
        return 1 if faults else 0
    if options.files and not options.list:
        _, findings = figures(examine_file(Path(name).resolve()) for name in options.files)
        findings = [finding for finding in findings if finding.measure != "constants"]
        print(*findings, sep="\n", end="\n" if findings else "")
        return 1 if findings else 0
    with ProcessPoolExecutor(2) as pool:
        areas, findings = figures(pool.map(examine_file, project_files(), chunksize=25))
    if options.list:
        for finding in findings:
            if not options.files or area_of(finding.path) in options.files:
                print(finding)
    above, below = compare(areas, ceilings())
    if options.lower:
        CONFIGURATION.write_text(lowered(CONFIGURATION.read_text(), areas, ceilings()))
        below = []
    for line in above:
        print(f"prose: {line}")
    if below:
        print("prose: these ceilings can be lowered with `python -m tests.prose --lower`:", *below, sep="\n  ")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
