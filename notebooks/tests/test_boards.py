"""Protects the numbering of squares: a dataset read with it shifted or
mirrored would look right and be wrong."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import VARIANTS

from boards import BITBOARDS, bit_of, bits_of, coordinates, draw, occupancy, read_fen, signed, squares


@pytest.mark.parametrize(
    "variant, square, bit, file_and_rank",
    [
        ("croda", "a1", 0, (0, 0)),
        ("croda", "h1", 7, (7, 0)),
        ("croda", "h8", 63, (7, 7)),
        ("russian", "a1", 0, (0, 0)),
        ("russian", "h8", 63, (7, 7)),
        ("russian", "c3", 18, (2, 2)),
        ("frisian", "1", 0, (1, 9)),  # Black's base is 1-5, at the top
        ("frisian", "5", 4, (9, 9)),
        ("frisian", "6", 5, (0, 8)),
        ("frisian", "46", 45, (0, 0)),  # White's base is 46-50
        ("frisian", "50", 49, (8, 0)),
    ],
)
def test_squares(variant, square, bit, file_and_rank):
    assert bit_of(variant)[square] == bit
    assert coordinates(variant)[bit] == file_and_rank


def test_number_of_squares():
    assert {v: len(squares(v)) for v in VARIANTS} == {"croda": 64, "russian": 32, "frisian": 50}


@pytest.mark.parametrize("value, bits", [(0, []), (1, [0]), (-(1 << 63), [63]), (-1, list(range(64)))])
def test_bits_of_signed_integers(value, bits):
    assert bits_of(value) == bits
    assert signed(sum(1 << b for b in bits)) == value
    assert np.flatnonzero(occupancy([value])[0]).tolist() == bits


def test_fen():
    row = read_fen("croda", "B:Wa1,Kb2:Bc3,Kh8")
    assert row["white_to_move"] is False
    assert [bits_of(row[c]) for c in BITBOARDS] == [[0], [9], [18], [63]]
    empty = read_fen("frisian", "W:W:B5")
    assert [bits_of(empty[c]) for c in BITBOARDS] == [[], [], [4], []]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_drawing_has_every_piece_on_its_square(variant):
    row = {c: signed(1 << bit) for c, bit in zip(BITBOARDS, list(squares(variant))[-4:])}
    figure, ax = plt.subplots()
    draw(ax, variant, row, "title", marked=[squares(variant)[0]])
    discs = [p.center for p in ax.patches if hasattr(p, "radius")]
    assert sorted(discs) == sorted((x + 0.5, y + 0.5) for x, y in list(coordinates(variant).values())[-4:])
    assert [t.get_text() for t in ax.texts].count("K") == 2
    plt.close(figure)
