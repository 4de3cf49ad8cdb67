"""Training signals: reading them strictly, and what an epoch of them says."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.scores.signals import (
    EpochSignals,
    Share,
    StepSignals,
    read_signals,
    summarise_epochs,
)
from tests.scores.makers import signal_line

TAU = 1e-5


def step(number: int, losses: Sequence[float], chosen: float = -20.0) -> StepSignals:
    """One step with these pair losses."""
    line = signal_line(number, 1, losses) | {"logps_chosen": chosen, "pair_losses": tuple(losses)}
    return StepSignals(**line)  # type: ignore[arg-type]  # JSON has no types


def summary(*steps: StepSignals) -> EpochSignals:
    """Of one epoch, which is the first."""
    return summarise_epochs([steps], TAU)[0]


def write(path: Path, lines: Sequence[dict[str, object]]) -> Path:
    """As JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_what_a_trainer_writes_is_read(tmp_path: Path) -> None:
    lines = [signal_line(i, 1, [0.5, 0.25]) for i in (1, 2, 3)]

    steps = read_signals(write(tmp_path / "s.jsonl", lines), 1)

    assert [s.step for s in steps] == [1, 2, 3]
    assert steps[0].pair_losses == (0.5, 0.25)
    assert steps[0].loss == 0.375


def test_pair_losses_may_be_absent(tmp_path: Path) -> None:
    line = signal_line(1, 1, [0.5])
    del line["pair_losses"]

    (only,) = read_signals(write(tmp_path / "s.jsonl", [line]), 1)

    assert only.pair_losses is None
    assert summary(only).saturated_pairs == Unknown("no losses of single pairs were kept")
    assert summary(only).warning == Unknown("no losses of single pairs were kept")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"loss": math.nan}, "loss: is nan, must be a finite number"),
        ({"margin": math.inf}, "margin: is inf, must be a finite number"),
        ({"loss": "0.5"}, "loss: is '0.5', must be a finite number"),
        ({"loss": True}, "loss: is True, must be a finite number"),
        ({"loss": -0.1, "pair_losses": None}, "a DPO loss is below 0"),
        ({"pair_losses": [1.2, -0.2]}, "a DPO loss is below 0"),
        ({"pair_losses": []}, "must be a list of numbers that is not empty"),
        ({"pair_losses": [None]}, "pair_losses: is None"),
        ({"accuracy": 1.5}, r"accuracy is 1.5, must lie in \[0, 1\]"),
        ({"step": 2.0}, "step: is 2.0, must be an integer"),
        ({"step": 7}, "step 7 follows step 1"),
        ({"step": 1}, "step 1 follows step 1"),
        ({"epoch": 2}, "epoch is 2, the file is of epoch 1"),
        ({"extra": 1}, "has 'extra', which does not belong there"),
        ({"loss": 0.0}, "loss is 0.0, the mean of pair_losses is 0.5"),
    ],
)
def test_a_bad_step_is_refused_by_file_and_line(
    tmp_path: Path, changes: dict[str, object], rule: str
) -> None:
    lines = [signal_line(1, 1, [0.5]), signal_line(2, 1, [0.5]) | changes]
    path = write(tmp_path / "s.jsonl", lines)

    with pytest.raises(InputError, match=rule) as caught:
        read_signals(path, 1)

    assert str(caught.value).startswith(f"{path}, line 2")


def test_a_missing_signal_is_named(tmp_path: Path) -> None:
    line = signal_line(1, 1, [0.5])
    del line["grad_norm"]

    with pytest.raises(InputError, match="line 1: lacks 'grad_norm'"):
        read_signals(write(tmp_path / "s.jsonl", [line]), 1)


@pytest.mark.parametrize(
    ("content", "rule"), [("", "holds no steps"), ("{", "is not JSON"), ("[1]\n", "not an object")]
)
def test_a_file_without_steps_is_refused(tmp_path: Path, content: str, rule: str) -> None:
    (tmp_path / "s.jsonl").write_text(content)

    with pytest.raises(InputError, match=rule):
        read_signals(tmp_path / "s.jsonl", 1)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_signals(tmp_path / "none.jsonl", 1)


def test_an_epoch_by_hand() -> None:
    epoch = summary(step(1, [0.5, 0.1]), step(2, [1e-6, 3e-6]), step(3, [2e-4, 1e-6]))

    assert epoch.median_loss == pytest.approx((2e-4 + 1e-6) / 2)
    assert epoch.saturated_steps == Share(1, 3)
    assert epoch.saturated_pairs == Share(3, 6)
    assert [point.steps.k for point in epoch.curve] == [2, 1, 1, 0, 0]
    assert [point.pairs for point in epoch.curve][:2] == [Share(4, 6), Share(3, 6)]


def test_at_the_start_all_of_the_gradient_is_there() -> None:
    assert summary(step(1, [math.log(2)] * 4)).gradient_mass == pytest.approx(1)


def test_the_published_median_losses_leave_hardly_any_gradient() -> None:
    assert summary(step(1, [4.37e-5])).gradient_mass == pytest.approx(2 * 4.37e-5, rel=1e-3)


@given(losses=st.lists(st.floats(0, 5), min_size=1, max_size=30))
def test_the_curve_never_rises_as_tau_falls_and_mass_lies_between_0_and_2(
    losses: list[float],
) -> None:
    epoch = summary(*(step(i, [loss]) for i, loss in enumerate(losses, start=1)))
    counts = [point.steps.k for point in epoch.curve]

    assert counts == sorted(counts, reverse=True)
    assert 0 <= epoch.gradient_mass <= 2
    assert epoch.saturated_steps == epoch.saturated_pairs


def test_a_loss_of_tau_itself_is_not_saturated() -> None:
    assert summary(step(1, [TAU])).saturated_steps == Share(0, 1)


def epoch_of(losses: Sequence[float], chosen: Sequence[float]) -> list[StepSignals]:
    """Nine steps of one epoch, two pairs each."""
    return [step(i + 1, losses, chosen[i % len(chosen)]) for i in range(9)]


@pytest.mark.parametrize(
    ("losses", "chosen", "warning"),
    [
        ([1e-6, 1e-6], [-20, -21], "warn"),
        ([1e-6, 1e-6], [-20.4, -21], "warn"),  # lower, but within two standard errors
        ([1e-6, 1e-6], [-30, -31], "stop-suggested"),
        ([1e-6, 1e-6], [-10, -11], "warn"),
        ([2e-5, 2e-5], [-30, -31], "none"),
        ([1e-6, 1e-3], [-30, -31], "none"),
    ],
)
def test_the_early_warning_needs_low_loss_and_saturation_and_then_looks_at_chosen(
    losses: list[float], chosen: list[float], warning: str
) -> None:
    first = epoch_of([0.5, 0.7], [-20, -21])

    epoch = summarise_epochs([first, epoch_of(losses, chosen)], TAU)[1]

    assert epoch.warning == warning
    assert epoch.window == 3


def test_only_the_last_third_of_an_epoch_warns() -> None:
    first = epoch_of([0.5, 0.7], [-20, -21])
    early = epoch_of([1e-6, 1e-6], [-20, -21])[:6] + epoch_of([0.5, 0.5], [-20, -21])[6:]

    assert summarise_epochs([first, early], TAU)[1].warning == "none"


def test_it_is_plain_json() -> None:
    raw = summary(step(1, [0.5, 0.1])).to_json()

    assert json.loads(json.dumps(raw, allow_nan=False))["saturated_steps"] == {"k": 0, "n": 1}
