"""Judge a run against a baseline: protocol first, then inputs, and only then numbers."""

from dataclasses import replace

from reproof.ground.errors import ParamsError
from reproof.ground.unknown import Unknown
from reproof.verdict import aggregates, pertask
from reproof.verdict.baseline import Baseline, Control
from reproof.verdict.differences import environment_differences, input_differences
from reproof.verdict.noise import ASSUMED_SIGMA, PUBLISHED_PAIR, reference_noise
from reproof.verdict.sentence import sentence
from reproof.verdict.side import Side, TaskReturn, problems
from reproof.verdict.verdict import Direction, Numbers, Outcome, Tolerance, Verdict

_CHURN = 0.10
"""More flipped tasks than that are worth a word, however equal the totals."""
_EDGE = 1e-9
_CAPPED: dict[Outcome, Outcome] = {"reproduced": "consistent", "drifted": "inconclusive"}
_DEFAULT = Tolerance()

Tasks = tuple[TaskReturn, ...]


def judge(
    ours: Side, baseline: Baseline, tolerance: Tolerance = _DEFAULT, allow_blind: bool = False
) -> Verdict:
    """Is `ours` the result that the baseline is?

    ParamsError when the tolerance makes no sense, or is so wide that the baseline's
    negative control would pass (unless `allow_blind`).
    """
    _check_tolerance(tolerance)
    _check_sight(baseline, tolerance, allow_blind)
    draft = _draft(ours, baseline, tolerance)
    if wrong := [*problems(ours), *problems(baseline.side)]:
        return _finish(replace(draft, outcome="invalid"), wrong[0])
    if draft.protocol_differences:
        return _finish(replace(draft, outcome="not_comparable"))
    if reason := _other_tasks(ours, baseline.side):
        return _finish(replace(draft, outcome="not_comparable"), reason)
    return _finish(_with_numbers(draft, ours, baseline))


def _draft(ours: Side, baseline: Baseline, tolerance: Tolerance) -> Verdict:
    """Everything that can be said before a number is looked at."""
    theirs = baseline.side
    return Verdict(
        outcome="inconclusive",
        direction=None,
        model=ours.model,
        baseline=baseline.name,
        mode="none",
        sentence="",
        protocol_differences=ours.protocol.differences(theirs.protocol),
        input_differences=input_differences(ours, theirs),
        environment_differences=environment_differences(ours, theirs),
        notes=(),
        tolerance=tolerance,
        numbers=None,
    )


def _finish(verdict: Verdict, reason: str = "") -> Verdict:
    return replace(verdict, sentence=sentence(verdict, reason))


def _with_numbers(draft: Verdict, ours: Side, baseline: Baseline) -> Verdict:
    theirs, tolerance = baseline.side, draft.tolerance
    if isinstance(ours.tasks, Unknown) or isinstance(theirs.tasks, Unknown):
        inputs_id = ours.run if isinstance(ours.run, Unknown) else ours.run.inputs_id
        measured = None if isinstance(baseline.noise, Unknown) else baseline.noise
        reference = reference_noise(measured, inputs_id)
        sigma = ASSUMED_SIGMA if isinstance(reference.sigma, Unknown) else reference.sigma
        numbers = aggregates.measure(ours, theirs, sigma, reference, tolerance)
        outcome = aggregates.rule(numbers, tolerance)
        verdict = replace(draft, mode="aggregates", numbers=numbers)
    else:
        pairs = pertask.align(ours.tasks, theirs.tasks)
        numbers = pertask.measure(ours, theirs, pairs, tolerance)
        outcome = pertask.rule(numbers, tolerance)
        # equal ids with unequal facts under them: one of the two was edited
        if _is_identical(ours, theirs, pairs) and draft.input_differences == ():
            outcome = "identical"
        verdict = replace(draft, mode="per-task", numbers=numbers)
    return _ruled(verdict, outcome, ours, baseline)


def _ruled(verdict: Verdict, outcome: Outcome, ours: Side, baseline: Baseline) -> Verdict:
    """Put in the outcome, lowered where the protocols are not known to be equal, and the notes."""
    numbers = verdict.numbers
    if numbers is None:
        return verdict
    fields = sorted({*ours.protocol.unknown_fields(), *baseline.side.protocol.unknown_fields()})
    notes = _notes(verdict, numbers, ours, baseline)
    if lost := _unknown_ids(ours):
        notes = [*lost, *notes]
        outcome = "consistent" if outcome == "reproduced" else outcome
    if fields and outcome in _CAPPED:
        notes = [f"nobody recorded {', '.join(fields)}: {outcome} cannot be claimed", *notes]
        outcome = _CAPPED[outcome]
    elif fields:
        notes = [f"nobody recorded {', '.join(fields)}", *notes]
    direction: Direction | None = None
    if outcome == "drifted":
        size = numbers.difference or numbers.success_difference
        direction = "up" if size > 0 else "down"
    return replace(verdict, outcome=outcome, direction=direction, notes=tuple(notes))


def _unknown_ids(ours: Side) -> list[str]:
    """What is not known of the run itself: then nobody can say that it was this run."""
    if isinstance(ours.run, Unknown):
        return []
    ids = {"inputs": ours.run.inputs_id, "outputs": ours.run.outputs_id}
    return [f"{name} unknown: {i.why}" for name, i in ids.items() if isinstance(i, Unknown)]


def _notes(verdict: Verdict, numbers: Numbers, ours: Side, baseline: Baseline) -> list[str]:
    notes = []
    flips = numbers.flips
    if not isinstance(flips, Unknown) and len(flips.lost + flips.gained) > _CHURN * numbers.n:
        count = len(flips.lost + flips.gained)
        notes.append(f"{count} of {numbers.n} tasks flipped: the totals hide much change")
    if numbers.least_p is not None and numbers.least_p > verdict.tolerance.alpha:
        notes.append(f"no data with so few goals can give p below {numbers.least_p:.3g}")
    if verdict.mode == "aggregates" and numbers.noise.df is None:
        pair = {round(numbers.mean_ours, 4), round(numbers.mean_theirs, 4)}
        notes.append("the noise is assumed, not measured on this recipe")
        if pair == {*PUBLISHED_PAIR}:
            notes.append("the noise was estimated from this very comparison")
    if isinstance(baseline.negative_control, Unknown):
        notes.append(f"no negative control: {baseline.negative_control.why}")
    return notes + _surprises(verdict, ours, baseline)


def _surprises(verdict: Verdict, ours: Side, baseline: Baseline) -> list[str]:
    """Equal inputs in an equal environment should give equal outputs."""
    mine, other = ours.run, baseline.side.run
    if isinstance(mine, Unknown) or isinstance(other, Unknown):
        return []
    known = not isinstance(mine.outputs_id, Unknown) and not isinstance(other.outputs_id, Unknown)
    if not known or mine.outputs_id == other.outputs_id or verdict.input_differences != ():
        return []
    if verdict.environment_differences == ():
        return ["inputs and environment are equal and outputs are not: the run is not repeatable"]
    return ["inputs are equal and outputs are not: look at the environment"]


def _is_identical(ours: Side, theirs: Side, pairs: tuple[Tasks, Tasks]) -> bool:
    """Same inputs, same outputs, same return on every task; unknown is never the same."""
    mine, other = ours.run, theirs.run
    if isinstance(mine, Unknown) or isinstance(other, Unknown):
        return False
    ids = (mine.inputs_id, mine.outputs_id)
    if any(isinstance(value, Unknown) for value in ids):
        return False
    same = [a.episode_return == b.episode_return for a, b in zip(*pairs, strict=True)]
    return ids == (other.inputs_id, other.outputs_id) and all(same)


def _other_tasks(ours: Side, theirs: Side) -> str:
    """Why the two were not measured on the same tasks; empty if they were."""
    if isinstance(ours.tasks, Unknown) or isinstance(theirs.tasks, Unknown):
        return "" if ours.n == theirs.n else f"n is {ours.n}, in the baseline {theirs.n}"
    mine, other = {t.key for t in ours.tasks}, {t.key for t in theirs.tasks}
    lacking, extra = sorted(other - mine), sorted(mine - other)
    if not lacking and not extra:
        return ""
    parts = []
    if lacking:
        parts.append(f"{len(lacking)} of its tasks are missing ({lacking[0][0]})")
    if extra:
        parts.append(f"{len(extra)} tasks are not in it ({extra[0][0]})")
    bound = max(len(lacking), len(extra)) / theirs.n
    return f"{' and '.join(parts)}: the difference is uncertain by {bound:.4f}"


def _check_tolerance(tolerance: Tolerance) -> None:
    # written so that NaN fails
    if not 0 < tolerance.mean < 1 or tolerance.success < 0 or not 0 < tolerance.alpha < 1:
        rule = "mean must lie in (0, 1), success be 0 or more, alpha lie in (0, 1)"
        raise ParamsError("tolerance", rule, "choose others")


def _check_sight(baseline: Baseline, tolerance: Tolerance, allow_blind: bool) -> None:
    control = baseline.negative_control
    if allow_blind or isinstance(control, Unknown) or can_see(baseline.side, control, tolerance):
        return
    rule = f"mean is so wide that {control.model}, the negative control, would be inside"
    raise ParamsError("tolerance", rule, "narrow it, or say --allow-blind")


def can_see(side: Side, control: Control, tolerance: Tolerance) -> bool:
    """Whether a wrong answer lies outside the tolerance around a result."""
    return abs(side.mean_return - control.mean_return) > tolerance.mean + _EDGE
