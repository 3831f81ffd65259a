"""Protects training sets: that other programs read them exactly, and that their
rows are what becomes of the rows of the run, computed again in pandas."""

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import VARIANTS, draughtlab

from boards import BITBOARDS, bit_of

KEYS = ["source", "game", "ply"]


@pytest.fixture(scope="session")
def sets(run, tmp_path_factory):
    """A directory with a training set of every command."""
    out = tmp_path_factory.mktemp("sets")
    for args in (
        ["merge", run, "--out", out / "all"],
        ["sample", run, "--per-game", "9", "--out", out / "sample"],
        ["split", run, "--parts", "train=0.7,test=0.3", "--out", out / "parts"],
        ["dedupe", out / "parts" / "train", "--out", out / "train"],
        ["dedupe", run, "--ignore-clocks", "--out", out / "positions"],
    ):
        draughtlab("dataset", *args, "--quiet")
    return out


def read_pyarrow(path, variant):
    rows = pyarrow.dataset.dataset(path / "positions", format="parquet", partitioning="hive").to_table(filter=pc.field("variant") == variant)
    return rows.sort_by([(k, "ascending") for k in KEYS]).to_pydict()


def read_pandas(path, variant):
    rows = pd.read_parquet(path / "positions", filters=[("variant", "==", variant)]).sort_values(KEYS)
    return {c: rows[c].tolist() for c in rows}


def read_polars(path, variant):
    rows = pl.scan_parquet(path / "positions" / "**/*.parquet", hive_partitioning=True).filter(variant=variant)
    return rows.sort(KEYS).collect().to_dict(as_series=False)


def read_duckdb(path, variant):
    rows = duckdb.execute(
        f"SELECT * FROM read_parquet('{path}/positions/*/*.parquet', hive_partitioning = true) WHERE variant = ? ORDER BY {', '.join(KEYS)}", [variant]
    )
    return dict(zip([c[0] for c in rows.description], map(list, zip(*rows.fetchall()))))


NAMES = ["all", "sample", "parts/train", "parts/test", "train", "positions"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_readers_agree_on_every_cell(sets, name, variant):
    want = read_pyarrow(sets / name, variant)
    assert len(want["game"]) > 0 and set(want["variant"]) == {variant}
    for read in (read_pandas, read_polars, read_duckdb):
        assert read(sets / name, variant) == want, read.__name__


@pytest.mark.parametrize("name", NAMES)
def test_files_say_what_they_are(sets, name):
    """No nulls and no nested types; as many rows and the sums that
    provenance.json has."""
    provenance = json.loads((sets / name / "provenance.json").read_text())
    for entry in provenance["variants"]:
        for file in entry["files"]:
            parquet = pyarrow.parquet.ParquetFile(sets / name / file["file"])
            assert parquet.metadata.num_rows == file["rows"]
            assert not any(f.nullable or pyarrow.types.is_nested(f.type) for f in parquet.schema_arrow)
        rows = pd.DataFrame(read_pyarrow(sets / name, entry["variant"]))
        sums = rows[["count", "white_wins", "draws", "black_wins", "scored"]].sum()
        assert [len(rows), *sums] == [entry[k] for k in ("rows", "positions", "white_wins", "draws", "black_wins", "scored")]


def run_rows(run, variant):
    """The positions of the run with the opening plies of their games."""
    positions = pd.read_parquet(run / "positions" / f"variant={variant}", dtype_backend="numpy_nullable")
    games = pd.read_parquet(run / "games" / f"variant={variant}")[["game", "opening_plies"]]
    return positions.merge(games, on="game")


@pytest.mark.parametrize("variant", VARIANTS)
def test_merge_has_the_rows_of_the_run(sets, run, variant):
    want, got = run_rows(run, variant), pd.DataFrame(read_pandas(sets / "all", variant))
    assert len(got) == len(want)
    same = [*BITBOARDS, "white_to_move", "white_run_square", "white_run", "black_run_square", "black_run",
            "since_change", "since_man", "road", "legal_moves", "capture_due", "game", "ply", "opening_plies"]
    for column in same:
        assert got[column].tolist() == want[column].tolist(), column
    for column, outcome in (("white_wins", 1), ("draws", 0), ("black_wins", -1)):
        assert got[column].tolist() == (want["outcome"] == outcome).fillna(False).astype(int).tolist(), column
    assert got["scored"].tolist() == want["score"].notna().astype(int).tolist()
    assert got["score_sum"].tolist() == want["score"].fillna(0).tolist()
    assert got["proven_wins"].tolist() == (want["win_in"] > 0).fillna(False).astype(int).tolist()
    assert got["proven_losses"].tolist() == (want["win_in"] < 0).fillna(False).astype(int).tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_sample_takes_quiet_positions(sets, run, variant):
    rows = run_rows(run, variant)
    wanted = rows[~rows["capture_due"] & rows["outcome"].notna() & (rows["ply"] >= rows["opening_plies"])]
    got = pd.DataFrame(read_pandas(sets / "sample", variant))
    assert set(zip(got["game"], got["ply"])) <= set(zip(wanted["game"], wanted["ply"]))
    assert got.groupby("game").size().to_dict() == wanted.groupby("game").size().clip(upper=9).to_dict()


def canonical(variant, row):
    """The position of a row, colours exchanged and turned where Black is to
    move, as text: of Croda's two mirror images the smaller one."""
    size = {"croda": 64, "russian": 64, "frisian": 50}[variant]
    bits = set(bit_of(variant).values())

    def moved(board, to):
        return sum(1 << to(b) for b in bits if board >> b & 1)

    boards = [row[c] & (1 << 64) - 1 for c in BITBOARDS]
    runs = [(row["white_run_square"], row["white_run"]), (row["black_run_square"], row["black_run"])]
    if not row["white_to_move"]:
        boards = [moved(b, lambda i: size - 1 - i) for b in (boards[2], boards[3], boards[0], boards[1])]
        runs = [(size + 1 - s if s else 0, n) for s, n in reversed(runs)]
    if variant == "croda":
        boards = min(boards, [moved(b, lambda i: i ^ 7) for b in boards])
    return (*boards, *runs)


@pytest.mark.parametrize("variant", VARIANTS)
def test_dedupe_adds_up_equal_positions(sets, run, variant):
    want = {}
    for row in run_rows(run, variant).to_dict("records"):
        sums = want.setdefault(canonical(variant, row), [0, 0, 0, 0, 0])
        sums[0] += 1
        if pd.notna(row["outcome"]):
            mover = row["outcome"] if row["white_to_move"] else -row["outcome"]
            sums[2 - mover] += 1
        if pd.notna(row["score"]):
            sums[4] += row["score"]
    got = {}
    for row in pd.DataFrame(read_pandas(sets / "positions", variant)).to_dict("records"):
        assert row["white_to_move"] and (row["since_change"], row["since_man"], row["road"]) == (0, 0, 0)
        got[canonical(variant, row)] = [row[c] for c in ("count", "white_wins", "draws", "black_wins", "score_sum")]
    assert got == want
    assert max(sums[0] for sums in want.values()) > 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_parts_share_no_opening_and_no_position(sets, variant):
    train, test = (pd.DataFrame(read_pandas(sets / "parts" / p, variant)) for p in ("train", "test"))
    assert not set(train["opening"]) & set(test["opening"])
    assert not set(train["game"]) & set(test["game"])
    seen = [{canonical(variant, r) for r in part.to_dict("records")} for part in (train, test)]
    assert not seen[0] & seen[1]


def test_high_bits_survive(sets):
    """A man on h8 of Croda is the sign bit."""
    rows = pd.read_parquet(sets / "all" / "positions" / "variant=croda", columns=["black_men"])
    assert rows["black_men"].dtype == np.int64 and (rows["black_men"] < 0).any()
