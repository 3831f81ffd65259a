"""Protects the games against py-draughts: that a whole game is judged by our
rules, that an illegal move costs it the game and is told, that a file of games
is taken up again, and the arithmetic of the table."""

import json
from collections import Counter

import outside_opponents as outside
import pytest
from conftest import PROGRAM


@pytest.fixture(scope="module", autouse=True)
def program():
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM}: not found: run `make build` first", returncode=1)


@pytest.fixture
def players():
    """A function that starts draughtlab as judge and as player."""
    pipes = []

    def start(variant):
        rules, ours = outside.Rules(PROGRAM, variant), outside.Ours(PROGRAM, variant)
        pipes.extend([rules.pipe, ours.pipe])
        return rules, ours

    yield start
    for pipe in pipes:
        pipe.close()


@pytest.mark.parametrize("variant", outside.VARIANTS)
def test_a_game_replays(variant, players):
    """The moves on record are legal one after the other, and we are the one who
    won or drew: at depth 1 py-draughts loses."""
    rules, ours = players(variant)
    got = outside.play(rules, ours, number=1, depth=1, share=10, seed=7)
    assert got["our_side"] == "B" and got["score"] >= 0.5
    assert got["our_seconds"] > 0 and got["their_seconds"] > 0
    game, moves = outside.Game.start(variant), got["moves"].split()
    assert len(moves) == got["plies"] > outside.OPENING_PLIES
    for notation in moves:
        game.play(variant, next(m for m in rules.legal(game) if m.notation == notation))
    if got["why"] == "no-moves":
        assert rules.legal(game) == [] and (got["score"] == 1) == (game.side == "W")


def test_an_illegal_move_loses(players, monkeypatch):
    """py-draughts is made to answer 1-2, which no game has."""
    rules, ours = players("russian")
    monkeypatch.setattr(outside.Theirs, "think", lambda self: ((1, 2, []), "1-2", 0.01))
    got = outside.play(rules, ours, number=0, depth=1, share=0.1, seed=7)
    assert (got["score"], got["why"]) == (1, "illegal-move")
    assert got["illegal"]["move"] == "1-2" and got["illegal"]["why"] == "moves"
    assert got["illegal"]["fen"].startswith("B:W")


def test_king_runs_bind(players):
    """F9: the fourth quiet move running of a king is not legal where there is a
    man beside it, and is told apart from other illegal moves."""
    rules, _ = players("frisian")
    game = outside.Game({45: "W", 36: "w", 1: "b", 2: "b"})
    for start, end in [(45, 50), (1, 6), (50, 44), (2, 7), (44, 49), (7, 12)]:
        game.play("frisian", next(m for m in rules.legal(game) if m.same(start, end, [])))
    assert game.runs == {"W": [49, 3]}
    assert {m.start for m in rules.legal(game)} == {36}
    assert outside.illegal(rules, game, (49, 44, []), "49-44")["why"] == "three-move rule"
    assert outside.illegal(rules, game, (49, 48, []), "49-48")["why"] == "moves"


def test_verdicts():
    """R9, F10, G3, the third repetition and the end of a long game."""
    stay = [outside.Move(1, 2, frozenset(), False, "")]
    take = [outside.Move(1, 2, frozenset([3]), False, "")]

    def verdict(variant, board, legal=stay, **state):
        return outside.Game(board, **state).verdict(variant, legal)

    three = {1: "W", 2: "W", 3: "W", 32: "B"}
    assert verdict("russian", three, quiet=29) == (None, "")
    assert verdict("russian", three, quiet=30) == ("", "draw-article")
    assert verdict("russian", three, [], quiet=30) == ("B", "no-moves")
    assert verdict("frisian", {1: "W", 2: "W", 50: "B"}, quiet=14) == ("", "draw-article")
    assert verdict("frisian", {1: "W", 50: "B"}) == ("", "draw-article")
    assert verdict("frisian", {1: "W", 50: "B"}, take) == (None, "")
    assert verdict("frisian", {5: "W", 46: "B"}) == ("B", "f10-corners")
    assert verdict("russian", {1: "W", 32: "B"}, plies=300) == ("", "cut-off")
    game = outside.Game(dict(three))
    game.seen[game.key()] = 3
    assert game.verdict("russian", stay) == ("", "repetition")


def test_a_file_is_taken_up_again(tmp_path):
    """A last line that was broken off is dropped, other settings are left out."""
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({"depth": 6, "number": 0}) + "\n" + json.dumps({"depth": 8, "number": 0}) + '\n{"depth": 6, "num')
    record = outside.Record(path)
    record.add({"depth": 6, "number": 1})
    assert [g["number"] for g in outside.Record(path).of({"depth": 6})] == [0, 1]


def test_table():
    """Wilson's interval of 50 of 100 and of 10 of 10, known values."""
    assert outside.wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert outside.wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    game = {"number": 3, "our_seconds": 1.0, "their_seconds": 10.0, "called_drawn": 0, "plies": 60, "illegal": None}
    games = [{**game, "score": s, "why": w} for s, w in [(1.0, "no-moves"), (0.5, "cut-off"), (0.0, "no-moves")]]
    games.append({**game, "score": 1.0, "why": "illegal-move", "illegal": {"fen": "W:Wa1:Bh8"}})
    text = outside.table({"russian": games})
    assert "62.5 %" in text and "10.0 %" in text and "W:Wa1:Bh8" in text
    assert Counter(text.splitlines()[1].split()[1:5]) == Counter(["4", "2", "1", "1"])
