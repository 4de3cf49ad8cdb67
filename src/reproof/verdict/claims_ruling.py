"""Claims in words, and what can be ruled on them."""

from dataclasses import dataclass
from typing import Any

from reproof.ground.unknown import Unknown, plain
from reproof.verdict.claims import Place, Result

SUPPORTED = "supported"
NOT_SUPPORTED = "not supported"
CONTRADICTED = "contradicted"
UNTESTABLE = "untestable"
VERDICTS = (SUPPORTED, NOT_SUPPORTED, CONTRADICTED, UNTESTABLE)
MEANING = {
    SUPPORTED: "recomputed and equal, or a test of the right scope rejects in the claimed "
    "direction after Holm, or bounds prove it whatever the unpublished results are",
    NOT_SUPPORTED: "the right data exist, and no test rejects",
    CONTRADICTED: "the arithmetic is wrong, a test rejects in the other direction, or a difference "
    "called larger than noise is at most twice the claim's own repeat gap",
    UNTESTABLE: "the data that would settle it are not published",
}

PER_TASK = "results of every task for both models"
REPEATS = "at least three runs of the same recipe on each side"
RERUNS = "results of every task for both repeats, or a third repeat"


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of the card, word for word."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Part:
    """What is asserted, in a form that can be tested.

    `rule` is one of RULES (see claims_rules). `better` and `than` are compared
    on each of `metrics`; `repeats` are two runs said to be the same thing, and
    `borrowed` two that are shown but not relied on, because they are of
    something else.
    """

    rule: str
    label: str = ""
    metrics: tuple[str, ...] = ("mean_return",)
    better: tuple[Result, ...] = ()
    than: tuple[Result, ...] = ()
    repeats: tuple[Result, ...] = ()
    borrowed: tuple[Result, ...] = ()
    paired: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in our words, the sentences it rests on, and its testable parts."""

    title: str
    quotes: tuple[Quote, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one part: why, what would settle it, what else could explain it."""

    verdict: str
    why: str
    needs: str = ""
    label: str = ""
    confounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """A claim and its findings, one a part."""

    claim: Claim
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """The common verdict, or each with its label."""
        verdicts = [finding.verdict for finding in self.findings]
        if len(set(verdicts)) == 1:
            return verdicts[0]
        named = (f"{f.verdict} ({f.label})" if f.label else f.verdict for f in self.findings)
        return "; ".join(named)

    @property
    def is_contradicted(self) -> bool:
        """Whether any part is."""
        return any(finding.verdict == CONTRADICTED for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        quotes = [{"text": quote.text, "place": str(quote.place)} for quote in self.claim.quotes]
        return {
            "claim": self.claim.title,
            "quotes": quotes,
            "verdict": self.verdict,
            "findings": plain(self.findings),
        }


def difference(better: Result, than: Result, metric: str) -> float | Unknown:
    """How much more the first has; unknown when a side has no number."""
    ours, theirs = better.cell(metric), than.cell(metric)
    if isinstance(ours, Unknown):
        return ours
    return theirs if isinstance(theirs, Unknown) else ours.value - theirs.value
