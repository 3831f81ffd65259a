"""The three boards: names of squares, bitboards, FEN, and pictures.

For the notebooks and their tests. It knows how a dataset numbers squares and
nothing of the rules. Start at `squares` and `draw`.

A bitboard of a dataset is a signed 64-bit integer that holds 64 bits; bit i is
the square `squares(variant)[i]`. Croda and Russian: i = 8 * rank + file, a1 is
0 and h8 is 63. Frisian: i = number of the square - 1.
"""

from functools import cache

import numpy as np
from matplotlib.patches import Circle, Rectangle

SIZE = {"croda": 8, "russian": 8, "frisian": 10}

# Colours that people with any colour vision can tell apart (Okabe and Ito,
# "Color Universal Design", 2008), used in all plots.
COLOURS = {"croda": "#0072B2", "russian": "#D55E00", "frisian": "#009E73"}
BITBOARDS = ["white_men", "white_kings", "black_men", "black_kings"]


@cache
def coordinates(variant: str) -> dict[int, tuple[int, int]]:
    """Return file and rank, from 0 at the lower left, of each bit that is a square."""
    if variant == "frisian":  # 50 dark squares, row by row from the top left
        return {i: (2 * (i % 5) + (i // 5 + 1) % 2, 9 - i // 5) for i in range(50)}
    if variant == "russian":  # dark squares, a1 is dark
        return {8 * y + x: (x, y) for y in range(8) for x in range(8) if (x + y) % 2 == 0}
    return {8 * y + x: (x, y) for y in range(8) for x in range(8)}


@cache
def squares(variant: str) -> dict[int, str]:
    """Return the name of each bit that is a square: "c3", or "28" in Frisian."""
    if variant == "frisian":
        return {i: str(i + 1) for i in coordinates(variant)}
    return {i: "abcdefgh"[x] + str(y + 1) for i, (x, y) in coordinates(variant).items()}


@cache
def bit_of(variant: str) -> dict[str, int]:
    """Return the bit of each square name, the inverse of `squares`."""
    return {name: i for i, name in squares(variant).items()}


def signed(bits: int) -> int:
    """Return 64 bits as the signed integer that stands in the files."""
    return bits - (1 << 64) if bits >= 1 << 63 else bits


def bits_of(value: int) -> list[int]:
    """Return the numbers of the bits that are set in a bitboard of a dataset."""
    unsigned = int(value) & (1 << 64) - 1  # Python: the two's complement
    return [i for i in range(64) if unsigned >> i & 1]


def occupancy(column) -> np.ndarray:
    """Return an array of n x 64 zeros and ones from a column of n bitboards."""
    words = np.ascontiguousarray(column, dtype="<i8")
    return np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")


def read_fen(variant: str, fen: str) -> dict:
    """Return the four bitboards and `white_to_move` of a FEN as `draughtlab`
    writes it: "W:Wa1,Kb2:Bc3" (a colour, then the pieces of White and Black)."""
    side, *fields = fen.split(":")
    row = {"white_to_move": side == "W", **dict.fromkeys(BITBOARDS, 0)}
    for field in fields:
        colour = {"W": "white", "B": "black"}[field[0]]
        for piece in filter(None, field[1:].split(",")):
            kind = "kings" if piece[0] == "K" else "men"
            row[f"{colour}_{kind}"] |= 1 << bit_of(variant)[piece.lstrip("K")]
    return {k: v if k == "white_to_move" else signed(v) for k, v in row.items()}


def draw(ax, variant: str, row, title: str = "", marked=()) -> None:
    """Draw a position on a matplotlib axis. `row` is a row of the positions
    table; `marked` holds names of squares to frame."""
    size, cells = SIZE[variant], coordinates(variant)
    for y in range(size):
        for x in range(size):
            dark = (x + y) % 2 == 0
            # Croda plays on all squares: its board is drawn nearly plain.
            shade = ("#d9cfbf" if dark else "#e8e0d4") if variant == "croda" else ("#b9a283" if dark else "#f2ece1")
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=shade, edgecolor="#8a7a63", linewidth=0.4))
    for name in marked:
        x, y = cells[bit_of(variant)[name]]
        ax.add_patch(Rectangle((x + 0.05, y + 0.05), 0.9, 0.9, fill=False, edgecolor="#D55E00", linewidth=2))
    for column in BITBOARDS:
        white, king = column.startswith("white"), column.endswith("kings")
        face, edge = ("#fffdf7", "#222222") if white else ("#222222", "#000000")
        for bit in bits_of(row[column]):
            centre = (cells[bit][0] + 0.5, cells[bit][1] + 0.5)
            ax.add_patch(Circle(centre, 0.38, facecolor=face, edgecolor=edge, linewidth=1))
            if king:
                ax.text(*centre, "K", ha="center", va="center", fontsize=9, weight="bold", color="#222222" if white else "#fffdf7")
    if variant == "frisian":
        for bit, (x, y) in cells.items():
            ax.text(x + 0.06, y + 0.94, str(bit + 1), ha="left", va="top", fontsize=5, color="#4d4234")
        ax.set_xticks([]), ax.set_yticks([])
    else:
        ax.set_xticks([i + 0.5 for i in range(size)], list("abcdefgh"))
        ax.set_yticks([i + 0.5 for i in range(size)], [str(i + 1) for i in range(size)])
    ax.tick_params(length=0)
    ax.set(xlim=(0, size), ylim=(0, size), aspect="equal")
    ax.set_title(title, fontsize=10)
