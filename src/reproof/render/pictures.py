"""Two pictures as PNG bytes; the same values give the same bytes with the same matplotlib."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reproof.scores.comparison import BASELINE, Comparison, Row
from reproof.scores.signals import StepSignals
from reproof.scores.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DPI = 120
_BLUE, _ORANGE, _GREY, _INK = "#2563a8", "#d9782d", "#9aa3ad", "#2b2f36"
_SETTINGS = {
    # the fonts that matplotlib ships: another machine must draw the same picture
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": _INK,
    "axes.edgecolor": _GREY,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": "#e6e8eb",
    "legend.frameon": False,
}
_FLOOR = 1e-8
"""A loss of 0 has no place on a logarithmic axis; it is drawn here."""


def picture_of_returns(comparison: Comparison) -> bytes:
    """Mean return and success rate of each model, with their intervals."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        figure, axes = _canvas(8.0, 4.4, 1)
        _draw_models(axes[0], comparison)
        return _png(figure)


def picture_of_signals(epochs: Sequence[Sequence[StepSignals]], tau: float) -> bytes:
    """Loss of each optimizer step, and the share of saturated steps so far in its epoch."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        figure, axes = _canvas(8.0, 5.6, 2)
        _draw_losses(axes[0], epochs, tau)
        _draw_saturation(axes[1], epochs, tau)
        _mark_epochs(axes, epochs)
        return _png(figure)


def _canvas(width: float, height: float, rows: int) -> "tuple[Figure, list[Axes]]":
    """A figure that knows no window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, 1, sharex=True, squeeze=False)
    return figure, [row[0] for row in grid]


def _png(figure: "Figure") -> bytes:
    """Without the version of matplotlib, which would change the bytes for nothing."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
    return stream.getvalue()


def _draw_models(axes: "Axes", comparison: Comparison) -> None:
    rows = comparison.rows
    means = [(row.mean_return, row.mean_interval) for row in rows]
    rates = [(row.success_rate, row.success_interval) for row in rows]
    _draw_points(axes, means, -0.09, _BLUE, "o", "mean return")
    _draw_points(axes, rates, +0.09, _ORANGE, "s", "success rate")
    level = 1 - comparison.settings.alpha
    axes.set_xticks(range(len(rows)), [_label(row) for row in rows])
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.tick_params(axis="x", length=0)
    axes.set_title(f"{comparison.n} episodes a model, {level:.0%} intervals", loc="left")
    _legend_above(axes)


def _draw_points(
    axes: "Axes",
    points: Sequence[tuple[float, Interval]],
    shift: float,
    colour: str,
    marker: str,
    label: str,
) -> None:
    places = [i + shift for i in range(len(points))]
    values = [value for value, _ in points]
    below = [max(0.0, value - interval.low) for value, interval in points]
    above = [max(0.0, interval.high - value) for value, interval in points]
    axes.errorbar(
        places,
        values,
        yerr=[below, above],
        fmt=marker,
        color=colour,
        label=label,
        markersize=6,
        elinewidth=1.6,
        capsize=3,
    )
    side = "right" if shift < 0 else "left"
    for place, value in zip(places, values, strict=True):
        offset = (-8 if shift < 0 else 8, 0)
        axes.annotate(
            f"{value:.3f}",
            (place, value),
            offset,
            textcoords="offset points",
            ha=side,
            va="center",
            color=colour,
            fontsize=8.5,
        )


def _label(row: Row) -> str:
    note = "never looks" if row.model == BASELINE else f"{row.steps} DPO steps"
    return f"{row.model}\n{note}"


def _draw_losses(axes: "Axes", epochs: Sequence[Sequence[StepSignals]], tau: float) -> None:
    steps = [step for epoch in epochs for step in epoch]
    pairs = [(s.step, max(loss, _FLOOR)) for s in steps for loss in s.pair_losses or ()]
    if pairs:
        x, y = zip(*pairs, strict=True)
        axes.scatter(x, y, s=7, color=_GREY, alpha=0.6, linewidths=0, label="pair")
    losses = [max(step.loss, _FLOOR) for step in steps]
    axes.plot([step.step for step in steps], losses, color=_BLUE, linewidth=1.5, label="step")
    axes.axhline(tau, color=_ORANGE, linewidth=1.2, linestyle="--", label=f"τ = {tau:g}")
    axes.set_yscale("log")
    axes.set_ylabel("DPO loss")
    axes.grid(axis="y")
    _legend_above(axes, lift=0.06)  # the names of the epochs stand below it


def _draw_saturation(axes: "Axes", epochs: Sequence[Sequence[StepSignals]], tau: float) -> None:
    for name, colour, of in (("pairs", _GREY, _pair_losses), ("steps", _BLUE, _step_losses)):
        for number, epoch in enumerate(epochs):
            shares = _running_shares([of(step) for step in epoch], tau)
            if shares:
                label = f"{name} below τ" if number == 0 else None
                axes.plot([s.step for s in epoch], shares, color=colour, linewidth=1.8, label=label)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("share so far in the epoch")
    axes.set_xlabel("optimizer step")
    axes.grid(axis="y")
    _legend_above(axes)


def _step_losses(step: StepSignals) -> tuple[float, ...]:
    return (step.loss,)


def _pair_losses(step: StepSignals) -> tuple[float, ...]:
    return step.pair_losses or ()


def _running_shares(losses: Sequence[Sequence[float]], tau: float) -> list[float]:
    """After each step, how much of the epoch lay below tau; empty when a step has no losses."""
    shares, below, seen = [], 0, 0
    for batch in losses:
        if not batch:
            return []
        below, seen = below + sum(loss < tau for loss in batch), seen + len(batch)
        shares.append(below / seen)
    return shares


def _legend_above(axes: "Axes", lift: float = 0.0) -> None:
    place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1 + lift), "ncols": 3}
    axes.legend(**place, borderaxespad=0.2)


def _mark_epochs(all_axes: "Sequence[Axes]", epochs: Sequence[Sequence[StepSignals]]) -> None:
    for epoch in epochs:
        start = epoch[0].step - 0.5
        for axes in all_axes:
            axes.axvline(start, color=_GREY, linewidth=0.8, linestyle=":")
        name = f"epoch {epoch[0].epoch}"
        place = (start, 1.0)
        all_axes[0].annotate(
            name,
            place,
            (4, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=9,
        )
    all_axes[0].set_xlim(epochs[0][0].step - 1, epochs[-1][-1].step + 1)
