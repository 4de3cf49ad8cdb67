"""Judge an episode from two snapshots of the state, with MobileGym's semantics.

progress = passed checks / all checks; clean = nothing changed that was not
expected; success = every check passed, clean, and the policy finished. An
answer is judged through the answer sheet (one check a field, one for submit).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEFINITION = (
    "return = 1 if every check passed, nothing else changed and the policy finished, "
    "else 0.5 × passed checks / all checks"
)
_ID_FIELD = "id"
_IGNORED = ("os.activeAppId", "os.isDialogVisible", "apps.answer_sheet", "apps.*._temp")


@dataclass(frozen=True)
class Check:
    """One condition on the final state."""

    field: str
    expected: Any
    actual: Any

    @property
    def passed(self) -> bool:
        """Whether the condition holds."""
        return bool(self.expected == self.actual)


@dataclass(frozen=True)
class Change:
    """One difference between two snapshots; None stands for absent."""

    path: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Judgement:
    """What the judge found; `side_effects` are the changes nobody expected."""

    checks: tuple[Check, ...]
    side_effects: tuple[Change, ...]
    finished: bool

    @property
    def progress(self) -> float:
        """Passed checks / all checks, unweighted."""
        return sum(check.passed for check in self.checks) / len(self.checks)

    @property
    def is_clean(self) -> bool:
        """Whether nothing changed beyond what the task asks for."""
        return not self.side_effects

    @property
    def is_success(self) -> bool:
        """Every check passed, clean, and finished with COMPLETE."""
        return self.progress == 1.0 and self.is_clean and self.finished

    @property
    def episode_return(self) -> float:
        """1 for a success, else half the progress.

        This is the reward shaping of cua-lite's mobilegym environment (commit
        462c408), so that 1.0 always means success.
        """
        return 1.0 if self.is_success else 0.5 * self.progress


def diff(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """Every difference between two JSON values, by path.

    Lists of objects with an `id` are compared by id, lists of plain values as
    multisets, other lists by index.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            yield from diff(before.get(key), after.get(key), f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _diff_lists(before, after, path)
    elif before != after:
        yield Change(path, before, after)


def _diff_lists(before: list[Any], after: list[Any], path: str) -> Iterator[Change]:
    if any(_id_of(item) for item in before + after):
        old, new = _by_id(before), _by_id(after)
        for key in sorted(old.keys() | new.keys()):
            yield from diff(old.get(key), new.get(key), f"{path}[{_ID_FIELD}={key}]")
        kept = [key for key in old if key in new]
        if kept != [key for key in new if key in old]:
            yield Change(f"{path}._relative_order", list(old), list(new))
        before, after = ([i for i in items if not _id_of(i)] for items in (before, after))
        yield from _diff_by_index(before, after, path)
    elif any(isinstance(item, Mapping | list) for item in before + after):
        yield from _diff_by_index(before, after, path)
    else:
        yield from _diff_multisets(before, after, path)


def _diff_by_index(before: list[Any], after: list[Any], path: str) -> Iterator[Change]:
    for index in range(max(len(before), len(after))):
        yield from diff(_at(before, index), _at(after, index), f"{path}[{index}]")


def _diff_multisets(before: list[Any], after: list[Any], path: str) -> Iterator[Change]:
    gone, new = list(before), []
    for value in after:
        if value in gone:
            gone.remove(value)
        else:
            new.append(value)
    yield from (Change(f"{path}[-={value}]", value, None) for value in gone)
    yield from (Change(f"{path}[+={value}]", None, value) for value in new)
    if not gone and not new and before != after:
        yield Change(f"{path}._order", before, after)


def _by_id(items: list[Any]) -> dict[str, Any]:
    """The elements that have an id; of two with the same one, the later."""
    return {key: item for item in items if (key := _id_of(item))}


def _id_of(item: Any) -> str:
    """An element's id as text, or an empty text if it has none."""
    found = item.get(_ID_FIELD) if isinstance(item, Mapping) else None
    return "" if found is None else str(found)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else None


def unexpected(changes: Iterable[Change], expected: Iterable[str]) -> tuple[Change, ...]:
    """The changes that no pattern allows.

    A pattern is a path; `*` is one segment, and `path[+N]` allows N added
    elements under the path, while changes and removals there stay unexpected.
    """
    budgets = {path: int(n) for path, n in (_budget(p) for p in expected) if n}
    patterns = [p for p in (*expected, *_IGNORED) if not _budget(p)[1]]
    found = []
    for change in changes:
        under = next((p for p in budgets if change.path.startswith(f"{p}[")), None)
        if under is not None and change.before is None and budgets[under] > 0:
            budgets[under] -= 1
        elif not any(_covers(pattern, change.path) for pattern in patterns):
            found.append(change)
    return tuple(found)


def _budget(pattern: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*)\[\+(\d+)\]", pattern)
    return (match.group(1), match.group(2)) if match else (pattern, "")


def _covers(pattern: str, path: str) -> bool:
    regex = re.escape(pattern).replace(r"\*", r"[^.\[]+")
    return re.match(rf"{regex}(?=$|[.\[])", path) is not None
