import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.peers.card import read_card
from reproof.verdict.claims import Card, ClaimedTable, Number, table_results

CARD = Path(__file__).parents[2] / "docs" / "examples" / "dpo-4b-mobilegym.txt"
HEAD = "| model | mean return | success | success rate (%) |\n|---|---:|---|---|\n"


def read(folder: Path, text: str | bytes, name: str = "card.md") -> Card:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_card(path, name)


def shown(table: ClaimedTable) -> list[tuple[str, ...]]:
    return [
        (row.label, *("-" if isinstance(c, Unknown) else str(c) for c in row.cells.values()))
        for row in table.rows
    ]


def test_the_published_card_s_tables_are_read_with_place_and_denominator() -> None:
    main, companion = read_card(CARD, "card").tables

    assert main.title == "Results — MobileGym eval split"
    assert (main.n, str(main.place)) == (256, "card:11")
    assert main.columns == ("mean_return", "success", "success_rate", "partial")
    assert shown(main) == [
        ("Qwen3-VL-4B base", "0.2140", "36", "14.06 %", "45"),
        ("SFT-4B-MobileGym (init)", "0.3656", "67", "26.17 %", "62"),
        ("iter_68 (epoch 1)", "0.3758", "72", "28.12 %", "59"),
        ("iter_137 (epoch 2, this)", "0.3865", "71", "27.73 %", "65"),
        ("iter_206 (epoch 3)", "0.3829", "71", "27.73 %", "65"),
    ]
    assert isinstance(companion.n, Unknown)
    assert shown(companion) == [
        ("Qwen3-VL-4B (on-policy)", "0.3579", "0.3801", "0.3571"),
        ("Qwen3-VL-2B (off-policy)", "0.3581", "0.3491", "-"),
    ]


def test_the_published_card_s_sentences_are_read() -> None:
    card = read_card(CARD, "card")

    assert [(c.metric, c.before.text, c.after.text, c.delta.text) for c in card.changes] == [
        ("mean_return", "0.3758", "0.3865", "+0.011"),
        ("success", "72", "71", "-1"),
        ("partial", "59", "65", "+6"),
    ]
    assert [(r.before.text, r.after.text, r.unit) for r in card.reductions] == [
        ("336", "276", "pairs")
    ]
    assert [p.number.text for p in card.percents] == ["18", "36.3", "28.4"]
    assert [(c.iteration, c.epoch) for c in card.checkpoints] == [(137, 2), (68, 1), (206, 3)]
    (within,) = card.withins
    assert (within.first.mean.text, within.second.mean.text) == ("0.3793", "0.3758")
    assert (within.within.text, within.says_same_count) == ("0.0035", True)
    assert str(within.within.place) == "card:50"
    assert [str(remark.place) for remark in card.remarks] == ["card:50"]


def test_a_markdown_table_is_read_with_marks_ranges_and_denominators(tmp_path: Path) -> None:
    rows = "| **best** | `0.387` ± 0.01 | 72/256 | 28.1 |\n| other | — | 1,104 | n/a |\n"
    (table,) = read(tmp_path, f"# Results\n\nOver 300 episodes.\n\n{HEAD}{rows}").tables

    assert (table.title, table.n, table.place.line) == ("Results", 300, 5)
    assert shown(table) == [("best", "0.387", "72", "28.1 %"), ("other", "-", "1104", "-")]
    assert [result.n for result in table_results(table)] == [256, 300]


def test_columns_that_say_under_what_a_row_was_measured_are_conditions(tmp_path: Path) -> None:
    text = "model\tmean_return\tmax_steps\tjudge\na\t0.5\t45\tprogress\nb\t0.4\t50\tbinary\n"
    (table,) = read(tmp_path, text, "card.txt").tables

    assert table.columns == ("mean_return",)
    assert [dict(row.conditions) for row in table.rows] == [
        {"max_steps": "45", "judge": "progress"},
        {"max_steps": "50", "judge": "binary"},
    ]


@pytest.mark.parametrize("scores", ["0.38 / 72", "0.38 / 72, 0.37 / 71 and 0.36 / 70"])
def test_a_distance_is_only_read_between_two_scores(tmp_path: Path, scores: str) -> None:
    text = f"iter_68 (epoch 1)\n\nThey scored {scores}, within 0.01 of each other.\n"

    assert read(tmp_path, text).withins == ()


def test_tables_of_other_things_are_passed_over(tmp_path: Path) -> None:
    other = "| flag | default |\n|---|---|\n| lr | 5e-7 |\n| beta | 0.1 |\n\n"
    code = "```\na\tmean_return\nb\tnonsense\n```\n\n"

    assert len(read(tmp_path, f"{other}{code}{HEAD}| a | 0.5 | 3 | 5 |\n").tables) == 1


def test_model_index_front_matter_is_read_with_lines(tmp_path: Path) -> None:
    text = """---
license: apache-2.0
model-index:
- name: DPO-4B
  results:
  - task: {type: agent}
    dataset: {name: MobileGym, type: x, split: eval, args: {num_tasks: 256}}
    metrics:
    - {type: mean_return, value: 0.3860}
    - {type: score, name: Success Rate, value: 27.73}
---
Text.
"""
    (table,) = read(tmp_path, text, "README.md").tables

    assert table.title == "MobileGym"
    assert shown(table) == [("DPO-4B", "0.3860", "27.73 %")]
    assert table_results(table)[0].n == 256
    assert [c.place.line for c in table.rows[0].cells.values() if isinstance(c, Number)] == [9, 10]


def test_our_own_form_is_read(tmp_path: Path) -> None:
    text = """schema: reproof.card/1
tables:
- title: test split
  n: 256
  rows:
  - {name: init, mean_return: 0.3656, success: 67, success_rate: 26.17%, max_steps: 45}
  - {name: epoch-1, mean_return: 0.3758, success: 72, partial: ~, max_steps: 50}
"""
    (table,) = read(tmp_path, text, "card.yaml").tables

    assert shown(table) == [
        ("init", "0.3656", "67", "26.17 %"),
        ("epoch-1", "0.3758", "72", "-"),
    ]
    assert (table.n, table.rows[1].place.line) == (256, 7)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\xff", "is not UTF-8 text"),
        (b"model\tsuccess\nbase\t3\0\n", "is not text"),
        (b"Nothing but words.\n", "holds no results that can be checked"),
        (b"model\tsuccess\nbase\tmany\n", "success is 'many', must be a number"),
        (b"model\tmean_return\nbase\tNaN\n", "mean_return is NaN, which is no number"),
        (b"model\tmean_return\nbase\t-inf\n", "mean_return is -inf, which is no number"),
        (b"model\tsuccess_rate\nbase\t126.17%\n", "success_rate is 126.17 %, must lie in 0 to"),
        (b"model\tsuccess_rate\nbase\t126\n", "must lie in 0 to 100 %"),
        (b"model\tsuccess\nbase\t-3\n", "success is -3, must be a count"),
        (b"model\tsuccess\nbase\t3.5\n", "success is 3.5, must be a count"),
        (b"model\tsuccess\nbase\t3\t4\n", "the row has 3 cells, the header 2"),
        (b"model\tsuccess\nbase\t" + b"9" * 5000 + b"\n", "success has 5000 digits"),
        (b"---\nmodel-index: [\n---\nx", "is not YAML"),
        (b"---\nmodel-index: 3\n---\nx", "must be a list"),
    ],
)
def test_a_bad_card_gives_one_clear_line(tmp_path: Path, content: bytes, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)

    assert rule in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: 1\n", "its schema must be reproof.card/1"),
        ("schema: reproof.card/1\n", "lacks 'tables'"),
        ("schema: reproof.card/1\ntables: []\nextra: 1\n", "'extra' does not belong here"),
        ("schema: reproof.card/1\nschema: x\n", "repeats a key"),
        ("schema: reproof.card/1\ntables: &a [*a]\n", "alias"),
        ("schema: reproof.card/1\ntables: [{title: x, rows: [{name: a, success: b}]}]\n", "'b'"),
        ("schema: reproof.card/1\ntables: [{title: x, n: -1, rows: []}]\n", "whole number above 0"),
        ("[" * 5000, "nested too deeply"),
    ],
)
def test_a_bad_card_of_our_own_form_gives_one_clear_line(
    tmp_path: Path, text: str, rule: str
) -> None:
    with pytest.raises(InputError, match=re.escape(rule)):
        read(tmp_path, text, "card.yaml")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 5 MB, a card has at most 4"):
        read(tmp_path, "x" * 5_000_000)


def test_a_folder_and_a_missing_file_are_no_cards(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_card(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        read_card(tmp_path / "none.md")


LINES = st.text(alphabet=st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    ["| a | success |", "|---|---|", "| b | 3 |", "a\tsuccess\tx", "b\t3\t4", "```", "---",
     "iter_5 (epoch 1)", "0.1 -> 0.2 (+0.1)", "336 → 276 pairs", "17%"]
)  # fmt: skip


@given(lines=st.lists(LINES, max_size=12))
def test_whatever_the_text_it_is_read_or_refused(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    try:
        card = read(folder, "\n".join(lines))
    except InputError as error:
        assert str(error)
    else:
        assert card.text
