"""What a card says in numbers outside its tables, computed again."""

from collections.abc import Iterator, Sequence

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import (
    COUNTS,
    Card,
    ChangeSaid,
    CheckpointSaid,
    Number,
    PercentSaid,
    ReductionSaid,
    Result,
    Span,
    WithinSaid,
    count,
)
from reproof.verdict.claims_percent import common_denominators, counts, nearest
from reproof.verdict.claims_rows import AGREES, CONTRADICTS, DOUBTFUL, NOTED, Check

_STEP = "step"


def check_statements(card: Card, results: Sequence[Result]) -> Iterator[Check]:
    """Every statement that was recognised, in the order of its kind."""
    for change in card.changes:
        yield from _check_change(change, results)
    for within in card.withins:
        yield from _check_within(within)
    yield from _check_reductions(card)
    yield from _check_steps(card.checkpoints, card.reductions)
    yield from _check_percents(card)


def _check_change(change: ChangeSaid, results: Sequence[Result]) -> Iterator[Check]:
    before, after, delta = change.before, change.after, change.delta
    exact = change.metric in COUNTS
    truth = Span(*[after.value - before.value] * 2) if exact else after.span.minus(before.span)
    outcome = AGREES if truth.meets(delta.span) else CONTRADICTS
    found = f"{after.value - before.value:+.{max(before.decimals, after.decimals)}f}"
    says = f"{change.metric}: {before} -> {after} is {found}, printed {delta}"
    yield Check("change", outcome, says, delta.place)
    for number in (before, after):
        yield from _check_in_table(change.metric, number, results)


def _check_in_table(metric: str, number: Number, results: Sequence[Result]) -> Iterator[Check]:
    """A number quoted in a sentence must stand in the table it quotes."""
    cells = [getattr(result, metric, None) for result in results]
    known = [cell for cell in cells if isinstance(cell, Number)]
    if known and not any(_is_quoted(cell, number) for cell in known):
        says = f"{metric}: {number} stands in no table"
        yield Check("quotation", CONTRADICTS, says, number.place)


def _is_quoted(cell: Number, number: Number) -> bool:
    """The same number, perhaps rounded further."""
    coarse, fine = sorted((cell, number), key=lambda each: each.decimals)
    low, high = coarse.span
    return low - 1e-9 <= fine.value <= high + 1e-9


def _check_within(said: WithinSaid) -> Iterator[Check]:
    ours, theirs = said.first, said.second
    gap = abs(ours.mean.value - theirs.mean.value)
    slack = said.within.span.high
    outcome = AGREES if gap <= slack + 1e-9 else CONTRADICTS
    says = f"|{ours.mean} - {theirs.mean}| = {gap:.4f}, said to be within {said.within}"
    yield Check("repeat", outcome, says, said.within.place)
    if said.says_same_count:
        same = count(ours.success) == count(theirs.success)
        says = f"successes {ours.success} and {theirs.success}, said to be the same"
        yield Check("repeat", AGREES if same else CONTRADICTS, says, ours.success.place)


def _check_reductions(card: Card) -> Iterator[Check]:
    """`336 → 276` against the share of duplicates, when the card names one."""
    shares = [said.number for said in card.percents if "duplicate" in said.about]
    for said in card.reductions:
        before, after = said.before.value, said.after.value
        dropped = (before - after) / before if before else 0.0
        says = f"{said.before} to {said.after} {said.unit} drops {100 * dropped:.2f} %"
        if not shares:
            yield Check("duplicates", NOTED, says, said.after.place)
        for share in shares:
            agrees = Span(dropped, dropped).meets(share.share)
            outcome = AGREES if agrees else CONTRADICTS
            yield Check("duplicates", outcome, f"{says}, printed {share}", share.place)


def steps_per_epoch(checkpoints: Sequence[CheckpointSaid]) -> tuple[int, int] | Unknown:
    """Steps an epoch and what the ids count from (0 or 1), from ids that end epochs."""
    ids = {said.epoch: said.iteration for said in checkpoints}
    if len(ids) < 2:
        return Unknown("fewer than two checkpoints are named with their epochs")
    for start in (0, 1):
        epoch, last = min(ids.items())
        steps, rest = divmod(last + 1 - start, epoch)
        if not rest and all(last == steps * epoch - 1 + start for epoch, last in ids.items()):
            return steps, start
    return Unknown("the ids fit no equal number of steps an epoch")


def _check_steps(
    checkpoints: Sequence[CheckpointSaid], reductions: Sequence[ReductionSaid]
) -> Iterator[Check]:
    found = steps_per_epoch(checkpoints)
    if not checkpoints or (isinstance(found, Unknown) and len(checkpoints) < 2):
        return
    place = checkpoints[0].place
    names = ", ".join(str(i) for i in sorted({said.iteration for said in checkpoints}))
    if isinstance(found, Unknown):
        yield Check(_STEP, CONTRADICTS, f"{names}: {found.why}, from 0 or from 1", place)
        return
    steps, start = found
    says = f"{names} are the ends of epochs of {steps} steps, counted from {start}"
    yield Check(_STEP, AGREES, says, place)
    for said in reductions:
        yield _batch(said, steps)


def _batch(said: ReductionSaid, steps: int) -> Check:
    """The pairs a step that give so many steps an epoch, with a remainder dropped."""
    after, before = int(said.after.value), int(said.before.value)
    sizes = [size for size in range(1, after + 1) if after // size == steps]
    place = said.after.place
    if not sizes:
        says = f"no number of {said.unit} a step makes {steps} steps of {after} {said.unit}"
        return Check(_STEP, CONTRADICTS, says, place)
    size = sizes[0]
    says = f"{after} {said.unit} / {size} = {after / size:g}: {steps} steps an epoch"
    says += f"; the raw {before} would give {before // size}" if before // size != steps else ""
    return Check(_STEP, AGREES, says, place)


def _check_percents(card: Card) -> Iterator[Check]:
    """Shares of steps: do they fit the number of steps of an epoch?"""
    said = [each for each in card.percents if _STEP in each.about]
    found = steps_per_epoch(card.checkpoints)
    if not said:
        return
    if not isinstance(found, Unknown):
        for each in said:
            yield _share_of_steps(each, found[0])
    if len(said) > 1:
        yield _common(said)


def _share_of_steps(said: PercentSaid, steps: int) -> Check:
    number = said.number
    fits = counts(number.share, steps)
    if fits:
        return Check("share", AGREES, f"{number} can be {fits[0]}/{steps}", number.place)
    near = nearest(number, steps)
    says = (
        f"no k/{steps} rounds to {number}; nearest {near.k}/{steps} = {100 * near.value:.1f} %. "
        "The card does not say what was counted"
    )
    return Check("share", DOUBTFUL, says, number.place)


def _common(said: Sequence[PercentSaid]) -> Check:
    numbers = [each.number for each in said]
    names = " and ".join(str(number) for number in numbers)
    found = ", ".join(str(n) for n in common_denominators(numbers))
    says = f"{names} of one n: smallest {found}" if found else f"{names} fit no common n"
    return Check("share", NOTED, says, numbers[0].place)
