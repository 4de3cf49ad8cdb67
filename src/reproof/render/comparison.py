"""A comparison as Markdown. Every number stands in the value already; nothing is added."""

from collections.abc import Iterable, Sequence

from reproof.ground.unknown import Unknown
from reproof.scores.comparison import Change, Comparison, Pick, Row, Versus
from reproof.scores.pairing import Pair
from reproof.scores.signals import LIMITS, EpochSignals, Share
from reproof.scores.stats import Interval

_NONE = "-"


def comparison_markdown(comparison: Comparison, signals: Sequence[EpochSignals] = ()) -> str:
    """The whole report, ending in a newline; without signals, no section on training."""
    parts = [
        "# Comparison of models",
        _setting(comparison),
        _table_of_models(comparison.rows),
        "## What changed from one checkpoint to the next",
        "In whole tasks; the parts add up to the total.",
        _table_of_changes(comparison.changes),
        "## Which checkpoint",
        _picks(comparison),
        _pareto(comparison),
        "## Against the model that training started from",
        _versus(comparison.versus_init),
        "## Against the policy that never looks at the screen",
        _versus(comparison.versus_blind),
        "## All pairs",
        _about_pairs(comparison),
        _table_of_pairs(comparison.pairs),
    ]
    if signals:
        parts += ["## Training signals", _table_of_signals(signals), _curve(signals), LIMITS]
    return "\n\n".join(parts) + "\n"


def _setting(comparison: Comparison) -> str:
    protocol, level = comparison.protocol, 1 - comparison.settings.alpha
    lines = [
        f"{comparison.n} episodes of {comparison.n_goals} goals a model; split "
        f"{_known(protocol.split)}, temperature {_known(protocol.temperature)}, errors: "
        f"{_known(protocol.error_policy)}. Judge: {_known(protocol.judge)}. "
        f"Intervals at {level:.0%}, goals taken as the unit of evidence."
    ]
    if unknown := protocol.unknown_fields():
        lines.append(f"Nobody recorded: {', '.join(unknown)}. On these the models may differ.")
    return "\n\n".join(lines)


def _table_of_models(rows: Sequence[Row]) -> str:
    head = ("model", "DPO steps", "mean return", "interval", "rank", "success", "rate")
    tail = ("interval", "rank", "partial", "errors")
    return _table((*head, *tail), (_model_cells(row) for row in rows))


def _model_cells(row: Row) -> tuple[str, ...]:
    return (
        row.model,
        str(row.steps),
        f"{row.mean_return:.4f}",
        _interval(row.mean_interval),
        _rank(row.rank_by_mean_return),
        f"{row.success}/{row.n}",
        f"{row.success_rate:.3f}",
        _interval(row.success_interval),
        _rank(row.rank_by_success),
        f"{row.partial}/{row.n}",
        str(row.errors),
    )


def _table_of_changes(changes: Sequence[Change]) -> str:
    head = ("from", "to", "mean return", "tasks", "successes", "more partial", "better partial")
    return _table(head, (_change_cells(change) for change in changes))


def _change_cells(change: Change) -> tuple[str, ...]:
    tasks = change.tasks
    parts = (tasks.total, tasks.success, tasks.partial_count, tasks.partial_value)
    cells = tuple(f"{part:+.2f}" for part in parts)
    return change.before, change.after, f"{change.difference:+.4f}", *cells


def _picks(comparison: Comparison) -> str:
    lines = [_pick(pick, comparison.settings.alpha) for pick in comparison.picks]
    if not comparison.picks_agree:
        lines.append("- **The two metrics do not pick the same.**")
    return "\n".join(lines)


def _pick(pick: Pick, alpha: float) -> str:
    tie = " (a tie)" if len(pick.best) > 1 else ""
    others = [name for name in pick.indistinguishable if name not in pick.best]
    alike = f"not told apart from it at {alpha:g}: {_names(others)}"
    return (
        f"- By **{pick.metric}**: {_names(pick.best)}{tie}; {alike}. "
        f"Cheapest of these: **{pick.recommended}**."
    )


def _pareto(comparison: Comparison) -> str:
    return (
        f"Beaten by none on both metrics: {_names(comparison.pareto)}; "
        f"with the cost in steps as a third: {_names(comparison.pareto_with_cost)}."
    )


def _versus(results: Sequence[Versus]) -> str:
    if not results:
        return "Not evaluated."
    head = ("model", "verdict", "difference", "interval", "p", "p (Holm)")
    return _table(head, (_versus_cells(versus) for versus in results))


def _versus_cells(versus: Versus) -> tuple[str, ...]:
    pair = versus.pair
    numbers = (f"{pair.difference:+.4f}", _interval(pair.interval), _p(pair.p), _p(pair.p_holm))
    return versus.model, f"**{versus.verdict}**", *numbers


def _about_pairs(comparison: Comparison) -> str:
    settings = comparison.settings
    return (
        "Returns: paired sign-flip test, whole goals flipped together "
        f"(every pattern for few goals, else {settings.sign_flips} draws, seed "
        f"{settings.sign_flip_seed}). Successes: exact McNemar takes episodes for independent; "
        "by goal does not. Holm over all pairs of a metric."
    )


def _table_of_pairs(pairs: Sequence[Pair]) -> str:
    returns = ("first", "second", "difference", "interval", "p", "p (Holm)")
    successes = ("lost", "gained", "McNemar", "mid-p", "by goal", "by goal (Holm)")
    return _table((*returns, *successes), (_pair_cells(pair) for pair in pairs))


def _pair_cells(pair: Pair) -> tuple[str, ...]:
    ps = (pair.mcnemar, pair.mcnemar_mid, pair.success_p, pair.success_p_holm)
    return (
        pair.first,
        pair.second,
        f"{pair.difference:+.4f}",
        _interval(pair.interval),
        _p(pair.p),
        _p(pair.p_holm),
        str(pair.lost),
        str(pair.gained),
        *(_p(p) for p in ps),
    )


def _table_of_signals(signals: Sequence[EpochSignals]) -> str:
    tau = f"{signals[0].tau:g}"
    head = ("epoch", "median loss", f"steps below {tau}", f"pairs below {tau}", "gradient mass")
    return _table((*head, "warning"), (_signal_cells(epoch) for epoch in signals))


def _signal_cells(epoch: EpochSignals) -> tuple[str, ...]:
    warning = epoch.warning
    return (
        str(epoch.epoch),
        f"{epoch.median_loss:.3g}",
        _share(epoch.saturated_steps),
        _share(epoch.saturated_pairs),
        f"{epoch.gradient_mass:.3g}",
        f"unknown: {warning.why}" if isinstance(warning, Unknown) else warning,
    )


def _curve(signals: Sequence[EpochSignals]) -> str:
    taus = [f"{point.tau:g}" for point in signals[0].curve]
    head = ("steps below", *taus)
    cells = (
        (f"epoch {epoch.epoch}", *(_share(point.steps) for point in epoch.curve))
        for epoch in signals
    )
    return _table(head, cells)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _interval(interval: Interval) -> str:
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def _share(share: Share | Unknown) -> str:
    return _NONE if isinstance(share, Unknown) else f"{share.k}/{share.n}"


def _rank(rank: int | Unknown) -> str:
    return _NONE if isinstance(rank, Unknown) else str(rank)


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def _known(value: object) -> str:
    return f"unknown ({value.why})" if isinstance(value, Unknown) else str(value)
