"""Draws the lines and texts of the findings' pictures: SVG without any library.

A picture has its own background, for light and for dark pages. A drawing in which a text overlaps
another or runs past an edge is refused: see `Drawing.finish`.
"""

from dataclasses import dataclass, field
from html import escape

WIDTH = 760

# ground, colour on white, colour on black: the looks that laws have in every page of
# `tusker report` (crates/tusker-report)
INKS = {
    "blue": ("#0072b2", "#5ab4f0"),
    "vermilion": ("#d55e00", "#ff9248"),
    "green": ("#2f5f40", "#4fdfa3"),
    "purple": ("#7a2a8c", "#b866bc"),
    "sky": ("#1a9fca", "#b5dcf7"),
    "pink": ("#c82874", "#dd4257"),
    "indigo": ("#3a2fd0", "#7078ff"),
    "grey": ("#7b8694", "#8a95a5"),
    "ink": ("#1d232b", "#f2f4f7"),
}

STYLE = (
    "text{font:13px Roboto,Helvetica,Arial,sans-serif;fill:#1d232b}.small{font-size:12px;fill:#55606e}"
    ".name{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}"
    ".title{font-size:16px;font-weight:600}.over{fill:#ffffff}.under{fill:#1d232b}"
    ".paper{fill:#ffffff}.axis{stroke:#55606e}.grid{stroke:#e3e6ea}.rule{stroke:#55606e;stroke-dasharray:5 4}"
    + "".join(f".{name}{{stroke:{light};fill:{light}}}" for name, (light, _) in INKS.items())
    + ".line{fill:none;stroke-width:1.8;stroke-linejoin:round}.hollow{fill:#ffffff;stroke-width:1.6}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9ea7b3}.name{stroke:#0d1117}.paper{fill:#0d1117}"
    ".axis,.rule{stroke:#9ea7b3}.grid{stroke:#30363d}.over{fill:#ffffff}.under{fill:#1d232b}"
    + "".join(f".{name}{{stroke:{dark};fill:{dark}}}" for name, (_, dark) in INKS.items())
    + ".line{fill:none}.hollow{fill:#0d1117}}"
)

# a plus, turned by an eighth
CROSS = [
    (2.1, -4.0), (4.0, -2.1), (1.9, 0.0), (4.0, 2.1), (2.1, 4.0), (0.0, 1.9),
    (-2.1, 4.0), (-4.0, 2.1), (-1.9, 0.0), (-4.0, -2.1), (-2.1, -4.0), (0.0, -1.9),
]  # fmt: skip

Box = tuple[float, float, float, float]
Place = tuple[float, float]


def wide(words: str, size: float = 13) -> float:
    """About how wide a text is: a little more than the mean of Roboto's letters."""
    return 0.53 * size * len(words)


def wrapped(words: str, most: float, size: float) -> list[str]:
    """Lines of words, none wider than this."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if wide(longer, size) > most and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@dataclass
class Drawing:
    """A drawing under way: what is there, and where its letters are."""

    title: str
    parts: list[str] = field(default_factory=list)
    boxes: list[tuple[Box, str]] = field(default_factory=list)
    bottom: float = 0

    def __post_init__(self) -> None:
        for line in wrapped(self.title, WIDTH - 32, 19):
            self.bottom += 24
            self.text((16, self.bottom + 4), line, kind="title", size=18)

    def text(self, at: Place, words: str, anchor: str = "start", kind: str = "small", size: float = 12) -> None:
        x, y = at
        long = wide(words, size)
        left = x - {"start": 0.0, "middle": long / 2, "end": long}[anchor]
        self.boxes.append(((left, y - 0.75 * size, left + long, y + 0.2 * size), words))
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>')

    def stroke(self, points: list[Place], kind: str, more: str = "") -> None:
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="M{way}" class="{kind}"{more}/>')

    def curve(self, points: list[Place], ink: str, dash: str) -> None:
        self.stroke(points, f"{ink} line", f' stroke-dasharray="{dash}"' if dash else "")

    def interval(self, x: float, low: float, high: float, ink: str) -> None:
        """An error bar with its ends."""
        self.parts.append(
            f'<path class="{ink} line" style="stroke-width:1.2" '
            f'd="M{x:.1f} {low:.1f}V{high:.1f}M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8"/>'
        )

    def mark(self, at: Place, shape: str, ink: str, hollow: bool = False) -> None:
        """A disc, a square, a triangle or a diamond: who sees no colours reads these."""
        x, y = at
        kind = f"{ink} hollow" if hollow else ink
        if shape == "disc":
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" class="{kind}"/>')
            return
        corners = {
            "square": [(-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)],
            "triangle": [(0.0, -4.6), (4.3, 3.2), (-4.3, 3.2)],
            "diamond": [(0.0, -4.9), (4.9, 0.0), (0.0, 4.9), (-4.9, 0.0)],
            "below": [(0.0, 4.6), (4.3, -3.2), (-4.3, -3.2)],
            "cross": CROSS,
        }[shape]
        self.stroke([(x + dx, y + dy) for dx, dy in [*corners, corners[0]]], kind)

    def cell(self, box: Box, fill: str) -> None:
        left, top, right, bottom = box
        self.parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" fill="{fill}"/>'
        )

    def finish(self) -> str:
        """The file; refused if a text lies on another or leaves the drawing."""
        height = self.bottom + 12
        for nth, ((left, top, right, low), words) in enumerate(self.boxes):
            if left < 0 or right > WIDTH or top < 0 or low > height:
                raise ValueError(f"{self.title}: {words!r} leaves the picture")
            for (other_left, other_top, other_right, other_low), other in self.boxes[:nth]:
                if left < other_right and other_left < right and top < other_low and other_top < low:
                    raise ValueError(f"{self.title}: {words!r} lies on {other!r}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
            f"<title>{escape(self.title)}</title><style>{STYLE}</style>"
            f'<rect class="paper" width="{WIDTH}" height="{height:.0f}" rx="6"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )
