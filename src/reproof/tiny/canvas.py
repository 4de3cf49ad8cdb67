"""Draw one 96 × 192 screen of the simulated phone, on a grid of 3 × 6 cells."""

from dataclasses import dataclass, field
from functools import cache

from PIL import Image, ImageDraw, ImageFont

CELL = 32
COLUMNS, ROWS = 3, 6
WIDTH, HEIGHT = COLUMNS * CELL, ROWS * CELL

Colour = tuple[int, int, int]
INK: Colour = (20, 20, 20)
PAPER: Colour = (245, 245, 245)
COLOURS: dict[str, Colour] = {
    "red": (220, 40, 40),
    "green": (40, 180, 60),
    "blue": (40, 70, 220),
    "yellow": (235, 215, 40),
    "orange": (240, 140, 30),
    "purple": (140, 50, 190),
    "pink": (250, 140, 190),
    "black": (20, 20, 20),
    "white": (255, 255, 255),
}


@dataclass(frozen=True)
class Cell:
    """A rectangle of grid cells; `wide` counts columns."""

    column: int
    row: int
    wide: int = 1

    def box(self) -> tuple[int, int, int, int]:
        """Pixel corners x0, y0, x1, y1 (the right and lower edge are outside)."""
        left, top = self.column * CELL, self.row * CELL
        return left, top, left + self.wide * CELL, top + CELL

    def holds(self, x: float, y: float) -> bool:
        """Whether the pixel x, y lies inside."""
        left, top, right, bottom = self.box()
        return left <= x < right and top <= y < bottom

    def centre(self) -> tuple[int, int]:
        """The centre on Qwen3-VL's 0–1000 grid."""
        left, top, right, bottom = self.box()
        return round((left + right) / 2 * 1000 / WIDTH), round((top + bottom) / 2 * 1000 / HEIGHT)


def grid(names: tuple[str, ...], first_row: int = 1) -> dict[str, Cell]:
    """Lay names out three to a row, in reading order."""
    return {
        name: Cell(index % COLUMNS, first_row + index // COLUMNS)
        for index, name in enumerate(names)
    }


def rows(names: tuple[str, ...], first_row: int = 1) -> dict[str, Cell]:
    """Lay names out one to a row, over the full width."""
    return {name: Cell(0, first_row + index, COLUMNS) for index, name in enumerate(names)}


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=10)


@dataclass
class Canvas:
    """A screen being drawn; the only mutable thing is the picture itself."""

    image: Image.Image = field(default_factory=lambda: Image.new("RGB", (WIDTH, HEIGHT), PAPER))

    def __post_init__(self) -> None:
        self._draw = ImageDraw.Draw(self.image)
        self._font = _font()

    def tile(self, cell: Cell, fill: Colour, label: str = "") -> None:
        """Fill a cell and write a label on it."""
        left, top, right, bottom = cell.box()
        self._draw.rectangle((left + 1, top + 1, right - 2, bottom - 2), fill=fill, outline=INK)
        ink = (255, 255, 255) if sum(fill) < 330 else INK
        self._draw.text((left + 3, top + 10), label[: 5 * cell.wide], fill=ink, font=self._font)

    def tiles(self, cells: dict[str, Cell], fill: Colour) -> None:
        """Fill several cells alike, each with its own name on it."""
        for name, cell in cells.items():
            self.tile(cell, fill, name)

    def title(self, text: str, tint: Colour) -> None:
        """The bar on top: it tells which app and page this is."""
        self._draw.rectangle((0, 0, WIDTH, CELL - 3), fill=tint)
        self._draw.text((4, 9), text, fill=(255, 255, 255), font=self._font)

    def level(self, value: int, first_row: int) -> None:
        """A gauge: `value` of six cells are filled, in reading order."""
        for index in range(6):
            cell = Cell(index % COLUMNS, first_row + index // COLUMNS)
            self.tile(cell, (30, 30, 160) if index < value else (225, 225, 225))

    def sky(self, cell: Cell, name: str) -> None:
        """A picture of the sky."""
        left, top, right, bottom = cell.box()
        ground = {
            "sun": (255, 230, 120),
            "rain": (90, 110, 160),
            "snow": (235, 245, 255),
            "cloud": (150, 150, 150),
        }
        self.tile(cell, ground[name])
        if name == "sun":
            self._draw.ellipse((left + 36, top + 4, left + 60, bottom - 4), fill=(255, 150, 0))
        for x in range(left + 6, right - 6, 10):
            if name == "rain":
                self._draw.line((x + 4, top + 4, x, bottom - 6), fill=(0, 0, 200), width=2)
            if name == "snow":
                self._draw.ellipse((x, top + 12, x + 4, top + 16), fill=(120, 190, 255))
        if name == "cloud":
            self._draw.ellipse((left + 20, top + 8, right - 20, bottom - 8), fill=(90, 90, 90))
