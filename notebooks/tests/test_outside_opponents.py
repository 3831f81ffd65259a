"""Protects the games against py-draughts: that a whole game is judged by our
rules, that an illegal move costs it the game and is told, that a file of games
is taken up again, and the arithmetic of the table."""

import json
from collections import Counter
from pathlib import Path

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
    line = dict.fromkeys(outside.KEYS, "x")
    path.write_text("".join(json.dumps({**line, "depth": d, "number": 0}) + "\n" for d in (6, 8)) + '{"variant": "russian", "dep')
    record = outside.Record(path)
    record.add({**line, "depth": 6, "number": 1})
    assert [g["number"] for g in outside.Record(path).of({"depth": 6})] == [0, 1]


def test_a_whole_line_may_lack_its_end(tmp_path):
    path = tmp_path / "games.jsonl"
    text = json.dumps(dict.fromkeys(outside.KEYS, "x")) + "\n"
    path.write_text(text + text[:-1])
    assert len(outside.Record(path).games) == 1 and path.read_text() == text


@pytest.mark.parametrize("text", ["foreign", "[1,2]\n", '{"a": 1}', '{"a": 1}\n', '{"variant": "x"}', "a\nb\n", "\n", '{\n "a": 1', "\xff\n"])
def test_a_foreign_file_is_left_alone(tmp_path, text):
    """It is refused in one line that names it, and keeps its bytes."""
    path = tmp_path / "foreign"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SystemExit, match="foreign:1: ") as e:
        outside.Record(path)
    assert path.read_bytes() == text.encode("latin-1") and "\n" not in str(e.value)


def test_out_that_is_no_file(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for path in tmp_path, file / "x", Path("/dev/null"):
        with pytest.raises(SystemExit, match=f"^{path}.*give another --out$"):
            outside.Record(path)


@pytest.mark.parametrize("program", ["/", __file__, "/bin/false", "/bin/true"])
def test_program_that_is_not_draughtlab(program, capsys):
    with pytest.raises(SystemExit):
        outside.options(["--program", program])
    assert f"{program}: this is not draughtlab" in capsys.readouterr().err


def test_missing_packages(monkeypatch, tmp_path):
    """They are told before anything is installed or written."""
    monkeypatch.setattr(outside, "NEEDED", ["numpy", "no_such_package"])
    with pytest.raises(SystemExit, match="no no_such_package: run `make venv`"):
        outside.main(["--program", str(PROGRAM), "--out", str(tmp_path / "x" / "games")])
    assert not (tmp_path / "x").exists()


def test_table():
    """Wilson's interval of 50 of 100 and of 10 of 10, known values."""
    assert outside.wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert outside.wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    game = {"number": 3, "our_seconds": 1.0, "their_seconds": 10.0, "called_drawn": 0, "plies": 60, "illegal": None}
    games = [{**game, "score": s, "why": w} for s, w in [(1.0, "no-moves"), (0.5, "cut-off"), (0.0, "no-moves")]]
    games.append({**game, "score": 1.0, "why": "illegal-move", "illegal": {"fen": "W:Wa1:Bh8"}})
    text = outside.table({"russian": games})
    assert max(map(len, outside.table({"frisian": games * 250}).splitlines())) <= outside.WIDTH
    assert "62.5 %" in text and "10.0 %" in text and "W:Wa1:Bh8" in text
    assert Counter(text.splitlines()[2].split()[1:5]) == Counter(["4", "2", "1", "1"])
