"""The report in Markdown: the numbers of the value, and no others."""

import re

from reproof.ground.unknown import Unknown
from reproof.render.comparison import comparison_markdown
from reproof.scores.comparison import compare_models
from reproof.scores.signals import LIMITS, StepSignals, summarise_epochs
from tests.scores.makers import SETTINGS, entry, returns_with, signal_line

N = 40
ENTRIES = [
    entry("base", returns_with(N, 2, 4)),
    entry("blind", returns_with(N, 3, 4)),
    entry("init", returns_with(N, 8, 10)),
    entry("epoch-1", returns_with(N, 30, 5), steps=69),
    entry("epoch-2", returns_with(N, 30, 5), steps=138),
]
COMPARISON = compare_models(ENTRIES, SETTINGS)


def steps(count: int = 9) -> list[StepSignals]:
    """One epoch."""
    lines = [signal_line(i, 1, [0.5, 1e-6]) for i in range(1, count + 1)]
    return [StepSignals(**line) for line in lines]  # type: ignore[arg-type]  # JSON has no types


def section(text: str, title: str) -> str:
    """The part under a heading."""
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_table_has_a_row_a_model_with_counts_as_k_of_n() -> None:
    text = comparison_markdown(COMPARISON)

    assert "| init | 0 | 0.3000 | [0.198, 0.437] |" in text
    assert "| 8/40 | 0.200 | [" in text
    assert "| blind | 0 | 0.1150 |" in text
    assert re.search(r"\| blind .* \| - \| 3/40 .* \| - \| 4/40 \| 0 \|", text)


def test_a_tie_is_said_aloud_and_the_cheapest_is_named() -> None:
    text = section(comparison_markdown(COMPARISON), "Which checkpoint")

    assert "By **mean_return**: epoch-1, epoch-2 (a tie)" in text
    assert "Cheapest of these: **epoch-1**" in text
    assert "do not pick the same" not in text


def test_metrics_that_disagree_are_said_to() -> None:
    entries = [
        entry("init", returns_with(N, 5, 30, credit=0.8)),
        entry("epoch-1", returns_with(N, 6, 0), steps=69),
    ]

    assert "do not pick the same" in comparison_markdown(compare_models(entries, SETTINGS))


def test_every_epoch_gets_its_verdict_against_init_and_blind() -> None:
    text = comparison_markdown(COMPARISON)

    init = section(text, "Against the model that training started from")
    assert init.count("**better**") == 2
    blind = section(text, "Against the policy that never looks at the screen")
    assert "| base | **not better than blind** |" in blind


def test_without_a_baseline_and_signals_the_report_says_so_or_nothing() -> None:
    text = comparison_markdown(compare_models([ENTRIES[2]], SETTINGS))

    assert (
        section(text, "Against the policy that never looks at the screen") == "\nNot evaluated.\n"
    )
    assert "Training signals" not in text


def test_signals_are_shown_as_k_of_n_with_their_limits() -> None:
    text = comparison_markdown(COMPARISON, summarise_epochs([steps()], 1e-5))

    signals = section(text, "Training signals")
    assert "| 1 | 0.25 | 0/9 | 9/18 |" in signals
    assert LIMITS in signals


def test_what_is_not_known_is_said_with_its_reason() -> None:
    judge = Unknown("not printed")
    text = comparison_markdown(
        compare_models([entry("init", returns_with(N, 8, 10), judge=judge)], SETTINGS)
    )

    assert "Judge: unknown (not printed)." in text
    assert "Nobody recorded: judge." in text


def test_every_table_is_rectangular() -> None:
    text = comparison_markdown(COMPARISON, summarise_epochs([steps()], 1e-5))
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)

    assert len(tables) == 7
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_the_same_value_gives_the_same_text() -> None:
    again = compare_models(ENTRIES, SETTINGS)

    assert comparison_markdown(again) == comparison_markdown(COMPARISON)
