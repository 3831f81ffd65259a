"""Protects against mistakes met in other Parquet writers and readers, by the
names of export/dataset/testdata/cases.jsonl, where it takes more rows than the
study of the other tests has. The Go tests hold the same cases with two readers.
"""

import re

import duckdb
import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from conftest import draughtlab

LIMIT = 1 << 20  # equal values in a row that some readers refuse in one dictionary page


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The positions of one shard with more rows than the limit, and their number."""
    run = tmp_path_factory.mktemp("large") / "run"
    told = draughtlab(
        "selfplay", "--variant", "croda", "--engine", "random", "--games", "11000", "--shard-games", "11000",
        "--seed", "1", "--tables", "0", "--quiet", "--out", run,
    )  # fmt: skip
    rows = int(re.search(r"(\d+) positions", told).group(1))
    assert rows > LIMIT
    return run / "positions" / "variant=croda" / "shard-00000.parquet", rows


def test_dict_run_limit(large):
    """pq-dict-run-limit: random players search nothing, so depth, which has a
    dictionary, is 0 in every row."""
    path, rows = large
    column = pyarrow.parquet.read_table(path, columns=["depth", "plies_to_end"])
    assert (len(column), pc.min_max(column["depth"]).as_py()) == (rows, {"min": 0, "max": 0})
    total = pc.sum(column["plies_to_end"]).as_py()
    assert pl.scan_parquet(path).select(pl.len(), pl.col("depth").max(), pl.col("plies_to_end").sum()).collect().row(0) == (rows, 0, total)
    assert duckdb.sql(f"SELECT count(*), max(depth), sum(plies_to_end) FROM '{path}'").fetchall() == [(rows, 0, total)]


def test_page_index_is_true(large):
    """Readers skip pages by the index: each game is found, whole, by its number
    and by the bounds of its bitboards."""
    path, rows = large
    frame = pl.read_parquet(path, columns=["game", "ply", "white_men", "white_kings"])
    for row in (0, rows // 3, rows // 2, rows - 1):
        game, men, kings = frame["game"][row], frame["white_men"][row], frame["white_kings"][row]
        for column, value in (("game", game), ("white_men", men), ("white_kings", kings)):
            want = frame.filter(pl.col(column) == value).height
            assert pl.scan_parquet(path).filter(pl.col(column) == value).select(pl.len()).collect().item() == want, column
            assert duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE {column} = {value}").fetchall() == [(want,)], column
            assert pyarrow.parquet.read_table(path, columns=[column], filters=[(column, "=", value)]).num_rows == want, column
