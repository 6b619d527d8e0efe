"""The prose lint finds what a newcomer cannot read, and accepts plain text."""

from collections import Counter
from pathlib import Path

import pytest

from tests import prose

HARD = "What each that answers says of those, and which of it nobody takes as one of another."


def found(path: str, text: str) -> list[tuple[int, str]]:
    report = prose.examine_text(path, text)
    return [(finding.line, finding.measure) for finding in (*report.findings, *prose.repeated_classes([report]))]


def test_hard_sentence_is_found_at_its_line_and_plain_text_passes() -> None:
    for path, text, line in (
        ("a.py", f'"""Module of a test.\n\n{HARD}\n"""\n', 3),
        ("a.py", f'def read() -> None:\n    """Read.\n\n    {HARD}\n    """\n', 4),
        ("a.py", f"text = '# no comment'\n# {HARD}\n", 2),
        ("a.py", "x = 1\n# What each that answers says of those,\n# and which of it nobody takes.\n", 2),
        ("a.ts", f"const url = 'https://x'; // {HARD}\n", 1),
        ("a.ts", f"/**\n * Plain words.\n * {HARD}\n */\n", 3),
        ("a.sql", f"select '-- no comment';\n-- {HARD}\n", 2),
        ("a.md", f"# Title\n\nPlain words. {HARD}\n", 3),
        ("a.md", f"| name | meaning |\n|---|---|\n| `x` | {HARD} |\n", 3),
    ):
        assert [measure for at, measure in found(path, text) if at == line and measure == "hard"] == ["hard"], text
    for path, text in (
        ("a.py", '"""Outbox of reminders."""\n\n# Lock the cursor row: it serialises the writers of this table.\n'),
        ("a.py", f'text_parts = [\n    """{HARD}""",\n]\n'),
        ("a.ts", f"const text = `{HARD} // {HARD}`; // Stop polling when the gift is withdrawn.\n"),
        ("a.sql", "-- Refund the daily quota of an expired lease, once for each email.\nselect 1;\n"),
        ("a.md", f"If both are set, they must be equal.\n\n```\n{HARD}\n```\n"),
    ):
        assert found(path, text) == []


@pytest.mark.parametrize("text", ["Meta(description={})", "help_text = f{}", "raise Misconfigured(1, {})"])
def test_hard_sentence_that_people_read_is_found_in_the_service_only(text: str) -> None:
    code = text.format('"Whom it is sealed to, and {name} who signed"')
    assert found("api/a.py", code) == [(1, "shown")]
    assert found("tests/a.py", code) == []
    assert found("api/a.py", text.format('"The gift\'s recipient, who signed the request of {name}"')) == []


@pytest.mark.parametrize("opening", ["Of", "What", "Whether", "Who"])
def test_riddle_opening_of_a_docstring_is_found(opening: str) -> None:
    assert found("a.py", f'def read() -> None:\n    """{opening} the dispatcher wrote."""\n') == [(2, "openings")]


def test_one_word_class_is_found() -> None:
    assert found("a.py", "class Attempt:\n    pass\n\n\nclass RelayAttempt:\n    pass\n") == [(1, "one_word")]
    assert found("a.py", "def f() -> None:\n    if True:\n        class _RPC:\n            pass\n") == [(3, "one_word")]


def test_class_name_used_in_two_files_is_found() -> None:
    reports = [
        prose.examine_text("reminder_worker/relay/models.py", "class GasPrice:\n    pass\n"),
        prose.examine_text("reminder_worker/chain/types.py", "\nclass GasPrice:\n    pass\n"),
        prose.examine_text("devnet/stack.py", "class GasPrice:\n    pass\n"),
    ]
    assert [str(finding) for finding in prose.repeated_classes(reports)] == [
        "reminder_worker/chain/types.py:2: class names used twice: GasPrice",
        "reminder_worker/relay/models.py:1: class names used twice: GasPrice",
    ]


def test_constants_are_counted_at_module_level() -> None:
    text = "LIMIT = 1\n_EDGE: int = 2\nplain = 3\n\n\ndef f() -> None:\n    LOCAL = 4\n"
    assert found("a.py", text) == [(1, "constants"), (2, "constants")]


def test_figure_above_its_ceiling_fails_and_one_below_can_be_lowered() -> None:
    areas = {"api": Counter(hard=3, one_word=1, constants=12, lines=1000), "docs": Counter(hard=1)}
    above, below = prose.compare(areas, {"api": {"hard": 2, "one_word": 4}})
    assert [line.partition(",")[0] for line in above] == ["api: 3 hard sentences", "docs: 1 hard sentences"]
    assert below == ["api: 1 one-word class names, the ceiling is 4"]


def test_lowering_never_raises_a_ceiling() -> None:
    text = '[tool.x]\na = 1\n\n[tool.prose.ceilings]\n"api" = { hard = 2, one_word = 4 }\n\n[tool.y]\nb = 2\n'
    areas = {"api": Counter(hard=3, one_word=1), "docs": Counter(hard=1)}
    lowered = prose.lowered(text, areas, {"api": {"hard": 2, "one_word": 4}})
    assert lowered == text.replace("one_word = 4", "one_word = 1")


def test_each_ceiling_is_of_an_area_that_there_is() -> None:
    areas = {prose.area_of(str(path.relative_to(prose.ROOT))) for path in prose.project_files()}
    assert set(prose.ceilings()) - areas == set()
    assert all(set(values) <= set(prose.MEASURES) for values in prose.ceilings().values())


def test_command_lists_findings_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert prose.main([str(prose.ROOT / "tests" / "prose.py")]) == 0
    assert capsys.readouterr().out == ""


def test_imperative_subject_passes_and_others_are_refused(tmp_path: Path) -> None:
    message = tmp_path / "message"
    for subject in (
        "Refund the daily quota once",
        "Embed the fonts",
        "Process the queue",
        "fixup! A",
        "Merge branch x",
    ):
        message.write_text(f"{subject}\n\nWhy it is so, at whatever length.\n")
        assert prose.main(["--message", str(message)]) == 0, subject
    refused = ("Refunded the quota", "Refunding the quota", "Tests of lost leases", "refund the quota", "Refund it.")
    for subject in (*refused, "Fix", "Refund " + "x" * 66):
        message.write_text(subject)
        assert prose.main(["--message", str(message)]) == 1, subject
