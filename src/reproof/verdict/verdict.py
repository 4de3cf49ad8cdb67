"""Verdict: is it the same? As a value, with every number that it rests on."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from reproof.ground.unknown import Unknown
from reproof.scores.evaluation import Difference
from reproof.scores.stats import Interval

Outcome = Literal[
    "identical",
    "reproduced",
    "consistent",
    "inconclusive",
    "drifted",
    "invalid",
    "not_comparable",
]
Direction = Literal["up", "down"]

EXIT_CODES: dict[Outcome, int] = {
    "identical": 0,
    "reproduced": 0,
    "consistent": 0,
    "drifted": 1,
    "invalid": 2,
    "inconclusive": 3,
    "not_comparable": 4,
}
_STRICT_CONSISTENT = 3


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far apart two results may lie: `mean` absolute, `success` in tasks; level of tests.

    The defaults lie below the distance to the nearest wrong answer of the published
    table, an untrained model at -.0137 and -5.
    """

    mean: float = 0.010
    success: int = 4
    alpha: float = 0.05


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviation of one run's mean over repeats of the same thing, and where it is from.

    `df` None: assumed, not measured from repeats of this recipe. `sigma` Unknown:
    no task differs, which says nothing about noise.
    """

    sigma: float | Unknown
    df: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Flips:
    """Tasks that only the baseline solved, and those that only the run solved."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]
    mcnemar: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What was measured. Differences are the run minus the baseline.

    `difference` is in units of return, `difference_tasks` in whole tasks.
    `interval` is at 90 %, so that lying inside the tolerance is a test at 5 %.
    `critical_*`: beyond it a difference counts as drift; None where p decides.
    `smallest_detectable`: a true difference found with 80 % probability.
    `runs_needed`: runs a side for an 80 % chance to prove that nothing changed.
    """

    n: int
    mean_ours: float
    mean_theirs: float
    difference: float
    difference_tasks: float
    success_ours: int
    success_theirs: int
    success_difference: int
    interval: Interval
    p: float
    p_method: str
    least_p: float | None
    flips: Flips | Unknown
    critical_mean: float | None
    critical_success: int | None
    noise: Noise
    smallest_detectable: float
    runs_needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer, and everything a person needs to act on it.

    `protocol_differences` make two results incomparable; `input_differences` say
    what else went in, and `environment_differences` what else surrounded it.
    """

    outcome: Outcome
    direction: Direction | None
    model: str
    baseline: str
    mode: Literal["per-task", "aggregates", "none"]
    sentence: str
    protocol_differences: tuple[Difference, ...]
    input_differences: tuple[str, ...] | Unknown
    environment_differences: tuple[str, ...] | Unknown
    notes: tuple[str, ...]
    tolerance: Tolerance
    numbers: Numbers | None

    def exit_code(self, strict: bool = False, one_sided: bool = False) -> int:
        """What the process ends with; `strict`: unproven is not enough, `one_sided`: up is fine."""
        if strict and self.outcome == "consistent":
            return _STRICT_CONSISTENT
        if one_sided and self.outcome == "drifted" and self.direction == "up":
            return 0
        return EXIT_CODES[self.outcome]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plain: dict[str, Any] = _plain(asdict(self)) | {"exit_code": self.exit_code()}
        plain["protocol_differences"] = [d._asdict() for d in self.protocol_differences]
        if self.numbers is not None:
            plain["numbers"]["interval"] = self.numbers.interval._asdict()
        return plain


def _plain(value: Any) -> Any:
    """`asdict` turns an Unknown into {"why": ...}; a reader looks for {"unknown": ...}."""
    if isinstance(value, dict):
        if list(value) == ["why"]:
            return {"unknown": value["why"]}
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
