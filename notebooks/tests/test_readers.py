"""Protects what the dataset is for: that other programs read it exactly.

pyarrow, pandas, Polars and DuckDB must give back the same cells, bit for bit,
and these must be the positions of the games: judged by draughtlab's own move
generator through its command line, and by replaying the rows.
"""

import csv
import io
import shutil

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import VARIANTS, draughtlab, legal_moves

from boards import BITBOARDS, bit_of, bits_of, read_fen, squares

KEYS = {"games": ["game"], "positions": ["game", "ply"]}
TABLES = list(KEYS)


# Each reader takes a whole table in Hive layout and one variant of it, and
# returns its columns as lists of Python values, in the order of the keys.


def read_pyarrow(run, table, variant):
    rows = pyarrow.dataset.dataset(run / table, format="parquet", partitioning="hive").to_table(filter=pc.field("variant") == variant)
    return rows.sort_by([(k, "ascending") for k in KEYS[table]]).to_pydict()


def read_pandas(run, table, variant):
    rows = pd.read_parquet(run / table, filters=[("variant", "==", variant)], dtype_backend="numpy_nullable")
    rows = rows.sort_values(KEYS[table]).astype(object)
    return {c: [None if v is pd.NA else v for v in rows[c]] for c in rows}


def read_polars(run, table, variant):
    rows = pl.scan_parquet(run / table / "**/*.parquet", hive_partitioning=True).filter(variant=variant)
    return rows.sort(KEYS[table]).collect().to_dict(as_series=False)


def read_duckdb(run, table, variant):
    rows = duckdb.execute(
        f"SELECT * FROM read_parquet('{run}/{table}/*/*.parquet', hive_partitioning = true) WHERE variant = ? ORDER BY {', '.join(KEYS[table])}",
        [variant],
    )
    return dict(zip([c[0] for c in rows.description], map(list, zip(*rows.fetchall()))))


READERS = {"pyarrow": read_pyarrow, "pandas": read_pandas, "polars": read_polars, "duckdb": read_duckdb}


def shards(run, table, variant):
    paths = sorted((run / table / f"variant={variant}").glob("shard-*.parquet"))
    assert paths, f"no shards of {variant} in {table}"
    return paths


@pytest.fixture(scope="session")
def plain(run):
    """The cells as pyarrow finds them in the single files, without Hive."""
    cells = {}
    for table in TABLES:
        for variant in VARIANTS:
            parts = [pyarrow.parquet.ParquetFile(p).read() for p in shards(run, table, variant)]
            cells[table, variant] = pyarrow.concat_tables(parts).to_pydict()
    return cells


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_readers_agree_on_every_cell(run, plain, reader, table, variant):
    want, got = plain[table, variant], READERS[reader](run, table, variant)
    assert "variant" not in want, "the path alone tells the variant"
    assert set(got) == {*want, "variant"}
    assert set(got["variant"]) == {variant}
    for column, cells in want.items():
        assert got[column] == cells, column


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_cells_equal_draughtlabs_own_export(run, plain, table, variant):
    """The program's own CSV, where null is an empty field, says the same: no
    value after nulls has moved to another row."""
    text = draughtlab("export", run, "--format", "csv", "--table", table, "--variant", variant, "-o", "-")
    rows = list(csv.DictReader(io.StringIO(text)))
    for column, cells in plain[table, variant].items():
        want = ["" if c is None else str(c).lower() if isinstance(c, bool) else str(c) for c in cells]
        assert [r[column] for r in rows] == want, column


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_are_sorted_and_whole(plain, variant):
    games, positions = plain["games", variant], plain["positions", variant]
    assert games["game"] == list(range(len(games["game"])))
    assert list(zip(positions["game"], positions["ply"])) == [(g, p) for g, n in zip(games["game"], games["plies"]) for p in range(n)]
    assert [m for moves in games["moves"] for m in moves.split()] == positions["move"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_begin_with_their_fen(plain, variant):
    games, positions = plain["games", variant], plain["positions", variant]
    first = [i for i, ply in enumerate(positions["ply"]) if ply == 0]
    for fen, i in zip(games["start_fen"], first, strict=True):
        want = read_fen(variant, fen)
        assert {c: positions[c][i] for c in want} == want


def fen_of(variant, row):
    """The position of a row as FEN."""
    sides = []
    for side, letter in (("white", "W"), ("black", "B")):
        pieces = [squares(variant)[b] for b in bits_of(row[f"{side}_men"])] + ["K" + squares(variant)[b] for b in bits_of(row[f"{side}_kings"])]
        sides.append(letter + ",".join(pieces))
    return ":".join(["W" if row["white_to_move"] else "B", *sides])


def question(variant, row):
    """A row as `draughtlab moves` takes it, with its king runs."""
    runs = {letter: [row[f"{side}_run_square"], row[f"{side}_run"]] for side, letter in (("white", "W"), ("black", "B")) if row[f"{side}_run"]}
    return {"fen": fen_of(variant, row), **({"runs": runs} if runs else {})}


def after(variant, row, move):
    """The four bitboards, as unsigned integers, after a move of `draughtlab moves`."""
    boards = {c: row[c] & (1 << 64) - 1 for c in BITBOARDS}
    bit = {name: 1 << i for name, i in bit_of(variant).items()}
    start, end = bit[str(move["from"])], bit[str(move["to"])]
    us, them = ("white", "black") if row["white_to_move"] else ("black", "white")
    king = boards[f"{us}_kings"] & start != 0
    boards[f"{us}_kings" if king else f"{us}_men"] &= ~start
    boards[f"{us}_kings" if king or move["promotes"] else f"{us}_men"] |= end
    for square in move["captured"]:
        boards[f"{them}_men"] &= ~bit[str(square)]
        boards[f"{them}_kings"] &= ~bit[str(square)]
    return boards


@pytest.mark.parametrize("variant", VARIANTS)
def test_bitboards_are_the_positions_of_the_games(plain, variant):
    """Written out as FEN, each row goes through draughtlab's move generator: it
    finds as many moves as the row says, and one of those with the ends of the
    move that was played leads exactly to the next row."""
    columns = plain["positions", variant]
    rows = [dict(zip(columns, cells)) for cells in zip(*columns.values())][:6000]
    answers = legal_moves(variant, [question(variant, r) for r in rows])
    for row, following, answer in zip(rows, rows[1:], answers):
        where = f"game {row['game']} ply {row['ply']}"
        assert len(answer["moves"]) == row["legal_moves"], where
        assert any(m["captured"] for m in answer["moves"]) == row["capture_due"], where
        ends = row["move"].replace("x", "-").split("-")
        played = [m for m in answer["moves"] if [str(m["from"]), str(m["to"])] == [ends[0], ends[-1]]]
        assert played, f"{where}: {row['move']} is not among the legal moves"
        if following["game"] == row["game"]:
            want = {c: following[c] & (1 << 64) - 1 for c in BITBOARDS}
            assert want in [after(variant, row, m) for m in played], where
            assert following["white_to_move"] is not row["white_to_move"], where


@pytest.mark.parametrize("variant", VARIANTS)
def test_nulls_stand_where_nothing_is_known(plain, variant):
    """A game without result must not count as a draw, nor an unsearched
    position as an even one."""
    games, positions = plain["games", variant], plain["positions", variant]
    for outcome, cause in zip(games["outcome"], games["termination_class"], strict=True):
        assert (outcome is None) == (cause == "cut-off")
        assert outcome in (None, -1, 0, 1)
    outcome_of = dict(zip(games["game"], games["outcome"]))
    opening_of = dict(zip(games["game"], games["opening_plies"]))
    for game, ply, outcome, score, win_in, depth in zip(*(positions[c] for c in ["game", "ply", "outcome", "score", "win_in", "depth"])):
        where = f"game {game} ply {ply}"
        assert outcome == outcome_of[game], where
        assert win_in != 0, where
        assert score is None or win_in is None, where
        if ply < opening_of[game]:
            assert score is None and win_in is None and depth == 0, where
    assert any(s is not None for s in positions["score"]), "no position was searched"


# Predicate pushdown. White's and Black's men of Croda use all 64 bits; h8 is
# bit 63, so values with a man there are negative. Readers that compare
# statistics of unsigned columns as signed lose such rows (Polars issue 15323).


def croda_h8(plain):
    """The row numbers with a black man on h8, and one such value."""
    cells = plain["positions", "croda"]["black_men"]
    found = [i for i, v in enumerate(cells) if v < 0]
    assert 0 < len(found) < len(cells), "the dataset has rows of both kinds"
    return found, cells[found[len(found) // 2]]


def test_pushdown_finds_the_high_bit(run, plain):
    found, value = croda_h8(plain)
    equal = plain["positions", "croda"]["black_men"].count(value)
    path = f"{run}/positions/variant=croda/*.parquet"

    def in_duckdb(condition):
        return duckdb.sql(f"SELECT count(*) FROM read_parquet('{path}') WHERE {condition}").fetchall()[0][0]

    def in_polars(condition):
        return pl.scan_parquet(path).filter(condition).select(pl.len()).collect().item()

    def in_pyarrow(condition):
        return pyarrow.dataset.dataset(run / "positions/variant=croda", format="parquet").count_rows(filter=condition)

    def in_pandas(*condition):
        return len(pd.read_parquet(run / "positions/variant=croda", columns=["black_men"], filters=[condition]))

    assert in_duckdb("black_men < 0") == in_duckdb("(black_men >> 63) & 1 = 1") == len(found)
    assert in_polars(pl.col("black_men") < 0) == in_polars(pl.col("black_men").reinterpret(signed=False) >= 1 << 63) == len(found)
    assert in_pyarrow(pc.field("black_men") < 0) == in_pandas("black_men", "<", 0) == len(found)
    assert in_duckdb(f"black_men = {value}") == in_polars(pl.col("black_men") == value) == equal
    assert in_pyarrow(pc.field("black_men") == value) == in_pandas("black_men", "==", value) == equal


@pytest.mark.parametrize("variant", VARIANTS)
def test_statistics_of_bitboards_are_signed_and_true(run, variant):
    for path in shards(run, "positions", variant):
        file = pyarrow.parquet.ParquetFile(path)
        for group in range(file.num_row_groups):
            meta = file.metadata.row_group(group)
            assert 0 < meta.num_rows <= 1 << 17, "row groups stay small"
            for column in BITBOARDS:
                i = file.schema_arrow.get_field_index(column)
                statistics, cells = meta.column(i).statistics, file.read_row_group(group, columns=[column])[column]
                assert statistics.null_count == 0
                assert {"min": statistics.min, "max": statistics.max} == pc.min_max(cells).as_py()


def test_unsigned_views(plain):
    """The ways the documentation names to get unsigned bits all give the same."""
    cells = plain["positions", "croda"]["black_men"]
    want = [v & (1 << 64) - 1 for v in cells]
    assert max(want) >= 1 << 63
    assert np.array(cells, dtype=np.int64).view(np.uint64).tolist() == want
    assert pl.Series(cells, dtype=pl.Int64).reinterpret(signed=False).to_list() == want
    counts = [v.bit_count() for v in want]
    assert np.bitwise_count(np.array(cells, dtype=np.int64).view(np.uint64)).tolist() == counts
    assert pl.Series(cells, dtype=pl.Int64).bitwise_count_ones().to_list() == counts
    frame = pd.DataFrame({"v": cells})  # noqa: F841  (DuckDB finds it by name)
    assert [r[0] for r in duckdb.sql("SELECT bit_count(v) FROM frame").fetchall()] == counts


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_flat_and_say_what_may_be_null(run, table):
    """No nested types (fixed-size lists come back as null from some readers),
    and null only where documented, so pandas keeps bitboards as integers."""
    nullable = {"games": {"outcome"}, "positions": {"outcome", "score", "win_in"}}[table]
    for variant in VARIANTS:
        for path in shards(run, table, variant):
            schema = pyarrow.parquet.read_schema(path)
            assert not any(pyarrow.types.is_nested(f.type) for f in schema)
            assert {f.name for f in schema if f.nullable} == nullable
    frame = pd.read_parquet(run / "positions" / "variant=croda")
    assert {str(frame[c].dtype) for c in BITBOARDS} == {"int64"}


@pytest.mark.parametrize("reader", READERS)
def test_files_in_the_making_are_not_read(run, plain, reader, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    for name in (".shard-00099.host.1.2.tmp", ".shard-00099.7.partial"):
        (copy / "positions" / "variant=croda" / name).write_bytes(b"PAR1 half written")
    assert len(READERS[reader](copy, "positions", "croda")["ply"]) == len(plain["positions", "croda"]["ply"])
