"""Pictures: real PNGs, the same bytes each time, also of unusual values."""

import io

from PIL import Image

from reproof.render.pictures import picture_of_returns, picture_of_signals
from reproof.scores.comparison import compare_models
from reproof.scores.signals import StepSignals
from tests.scores.makers import SETTINGS, entry, returns_with, signal_line


def steps(first: int, epoch: int, losses: list[float] | None) -> list[StepSignals]:
    """Five steps of one epoch."""
    lines = [signal_line(i, epoch, losses or [0.0]) for i in range(first, first + 5)]
    if losses is None:
        lines = [line | {"pair_losses": None} for line in lines]
    return [StepSignals(**line) for line in lines]  # type: ignore[arg-type]  # JSON has no types


def size(png: bytes) -> tuple[int, int]:
    """In pixels; fails when the bytes are no PNG, or name the program that wrote them."""
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        assert "Software" not in image.info
        return image.size


def test_returns_are_drawn_the_same_each_time() -> None:
    entries = [entry("init", returns_with(20, 4, 8)), entry("epoch-1", returns_with(20, 9, 2), 69)]

    first, again = (picture_of_returns(compare_models(entries, SETTINGS)) for _ in range(2))

    assert first == again
    assert size(first) == (960, 528)


def test_signals_are_drawn_the_same_each_time() -> None:
    epochs = [steps(1, 1, [0.5, 0.1]), steps(6, 2, [1e-3, 1e-6])]

    first, again = (picture_of_signals(epochs, 1e-5) for _ in range(2))

    assert first == again
    assert size(first) == (960, 672)


def test_a_loss_of_zero_and_absent_pair_losses_can_be_drawn() -> None:
    assert size(picture_of_signals([steps(1, 1, None)], 1e-5)) == (960, 672)


def test_returns_of_all_zero_and_all_one_can_be_drawn() -> None:
    entries = [entry("init", [0.0] * 9), entry("epoch-1", [1.0] * 9, 69)]

    assert size(picture_of_returns(compare_models(entries, SETTINGS))) == (960, 528)
