"""Protects that `draughtlab hub` can be driven by clients from elsewhere: whole
games through the Hub clients of py-draughts and pydraughts, as PyPI has them.

Both packages call themselves `draughts`, so each is installed into a directory
of its own, and each game runs in a Python of its own that sees one of them.
Croda, which no client knows, is played by a dialogue of our own.
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from conftest import NOTEBOOKS, PROGRAM, legal_moves

CLIENTS = dict(line.split("==") for line in (NOTEBOOKS / "hub_clients.txt").read_text().split("\n") if "==" in line and line[0] != "#")


def install(package) -> Path:
    """Install a client into a directory within the environment, once, and
    return that directory."""
    target = Path(sys.prefix) / "hub-clients" / f"{package}-{CLIENTS[package]}"
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as unfinished:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-compile"]
            subprocess.run([*pip, "--only-binary", ":all:", "--no-deps", "--target", f"{unfinished}/client", f"{package}=={CLIENTS[package]}"], check=True)
            Path(unfinished, "client").rename(target)
    return target


@pytest.fixture(scope="session")
def client():
    """A function that runs a script with one client package and returns what
    the script prints as JSON."""
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM}: not found: run `make build` first", returncode=1)

    def run(package, script, *args):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(install(package))}, capture_output=True, text=True, timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run


PYDRAUGHTS = """
    import json, sys
    from draughts import Board
    from draughts.engine import HubEngine, Limit

    program, variant, numbering = sys.argv[1:]
    engine = HubEngine([program, "hub"])
    engine.configure({"variant": variant, "move-numbering": numbering, "hash": "1"})
    engine.init()
    engine.ping()
    board = Board(variant=variant)
    while not board.is_over() and len(board.move_stack) < 400:
        board.push(engine.play(board, Limit(nodes=300), ponder=False).move)  # an illegal move raises
    print(json.dumps({"id": engine.id, "variants": sorted(engine.variants), "over": board.is_over(),
                      "plies": len(board.move_stack), "info": sorted(engine.info)}))
    engine.quit()
    engine.kill_process()
"""


@pytest.mark.parametrize("variant,numbering", [("frisian", "top"), ("russian", "bottom")])
def test_pydraughts_plays_a_whole_game(client, variant, numbering):
    """pydraughts sends the start and all moves; it numbers Russian squares from
    a1 in moves, from b8 in positions."""
    got = client("pydraughts", PYDRAUGHTS, PROGRAM, variant, numbering)
    assert got["id"]["name"] == "draughtlab"
    assert got["variants"] == ["croda", "frisian", "russian"]
    assert got["over"] and got["plies"] > 20
    assert {"depth", "score", "nodes", "time", "pv"} <= set(got["info"])


PY_DRAUGHTS = """
    import json, sys
    from draughts import FrisianBoard
    from draughts.engines.hub import HubEngine
    from loguru import logger

    logger.remove()
    board, plies = FrisianBoard(), 0
    with HubEngine(sys.argv[1], depth_limit=3) as engine:
        assert engine.ping()
        while not board.game_over and plies < 400:
            board.push(engine.get_best_move(board))  # an illegal move raises
            plies += 1
    print(json.dumps({"over": board.game_over, "plies": plies}))
"""


def test_py_draughts_plays_a_whole_game(client, tmp_path):
    """py-draughts sends positions alone, for boards of 50 squares only. It
    selects on a pipe it also reads into a buffer, so that lines which come
    together are lost to it: --terse."""
    script = tmp_path / "engine"
    script.write_text(f'#!/bin/sh\nexec "{PROGRAM}" hub --terse\n')
    script.chmod(0o755)
    got = client("py-draughts", PY_DRAUGHTS, script)
    assert got["over"] and got["plies"] > 20


def test_croda_plays_a_whole_game():
    """Croda by hand: squares 1 (a8) to 64 (h1), positions and moves. Legal is
    what `draughtlab moves` says."""
    number = {f"{'abcdefgh'[i % 8]}{8 - i // 8}": i + 1 for i in range(64)}
    engine = subprocess.Popen([PROGRAM, "hub", "--variant", "croda"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(line, last):
        print(line, file=engine.stdin, flush=True)
        while (answer := engine.stdout.readline().split())[0] != last:
            pass
        return answer

    def hub(move):
        ends = [move["from"], move["to"], *move["captured"]]
        numbers = [number[ends[0]], number[ends[1]], *sorted(number[s] for s in ends[2:])]
        return ("x" if move["captured"] else "-").join(map(str, numbers))

    try:
        ask("hub", "wait")
        ask("init", "ready")
        board = ["b"] * 24 + ["e"] * 16 + ["w"] * 24
        side, plies = "W", 0
        while plies < 300:
            pieces = {c: [("K" if p.isupper() else "") + s for s, i in number.items() if (p := board[i - 1]).lower() == c] for c in "wb"}
            fen = f"{side}:W{','.join(pieces['w'])}:B{','.join(pieces['b'])}"
            legal = {hub(m): m for m in legal_moves("croda", [{"fen": fen}])[0]["moves"]}
            if not legal:
                break
            print("pos pos=" + side + "".join(board), file=engine.stdin)
            print("level nodes=300", file=engine.stdin)
            move = legal[ask("go think", "done")[1].removeprefix("move=")]
            piece = board[number[move["from"]] - 1]
            for s in [move["from"], *move["captured"]]:
                board[number[s] - 1] = "e"
            board[number[move["to"]] - 1] = piece.upper() if move["promotes"] else piece
            side, plies = "WB"[side == "W"], plies + 1
        assert plies > 40, "the engine lost or won without a fight"
        print("quit", file=engine.stdin, flush=True)
        assert engine.wait(timeout=30) == 0
    finally:
        engine.kill()
        engine.communicate()
