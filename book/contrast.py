"""The contrast of code blocks: each colour against its ground (WCAG 2.2, 1.4.3)."""

from pygments.styles import get_style_by_name  # type: ignore[import-untyped]

LEAST = 4.5


def luminance(colour: str) -> float:
    """The relative luminance of a colour, six hexadecimal digits."""

    def linear(part: str) -> float:
        value = int(part, 16) / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[at : at + 2]) for at in (0, 2, 4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def faint(name: str) -> list[str]:
    """The tokens of a style that are too faint to be read."""
    style = get_style_by_name(name)
    ground = style.background_color.lstrip("#")
    return [
        f"{name}: {token} has a contrast of {found:.1f}, less than {LEAST}"
        for token, own in style
        if own["color"] and (found := contrast(own["color"], own["bgcolor"] or ground)) < LEAST
    ]
