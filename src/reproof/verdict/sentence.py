"""The one sentence of a verdict that a person can act on."""

from reproof.verdict.verdict import Verdict


def sentence(verdict: Verdict, reason: str = "") -> str:
    """What was found and what to do; different inputs are named before anything else."""
    text = _SENTENCES[verdict.outcome].format(
        model=verdict.model,
        baseline=verdict.baseline,
        reason=reason or _protocol(verdict),
        n=verdict.numbers.n if verdict.numbers else 0,
        runs=verdict.numbers.runs_needed if verdict.numbers else 0,
        direction=verdict.direction,
    )
    return _inputs(verdict) + text


_SENTENCES = {
    "identical": "{model} is {baseline} again: equal inputs, equal outputs, "
    "equal return on all {n} tasks.",
    "reproduced": "{model} reproduces {baseline}: inside the tolerance, and the data rule out "
    "a larger difference.",
    "consistent": "{model} is consistent with {baseline}: inside the tolerance, which one run "
    "a side cannot prove; about {runs} a side could.",
    "inconclusive": "{model} is outside the tolerance around {baseline}, but drift is not proven: "
    "add repeats; about {runs} runs a side would tell.",
    "drifted": "{model} has drifted {direction} from {baseline}: look at what differs in inputs "
    "and environment, then at the tasks that flipped.",
    "invalid": "The numbers cannot be true: {reason}. Mend them before comparing.",
    "not_comparable": "{model} cannot be compared with {baseline}: {reason}. "
    "Evaluate under the baseline's protocol, or choose another baseline.",
}


def _protocol(verdict: Verdict) -> str:
    names = ", ".join(difference.field for difference in verdict.protocol_differences)
    return f"the protocols differ in {names}"


def _inputs(verdict: Verdict) -> str:
    """A number from other inputs is no repeat, whatever it says."""
    found = verdict.input_differences
    if verdict.numbers is None or not isinstance(found, tuple) or not found:
        return ""
    kinds = sorted({line.partition(":")[0] for line in found})
    return f"Inputs differ ({', '.join(kinds)}). "
