"""Play draughtlab against py-draughts, an engine from PyPI by somebody else.

    python outside_opponents.py [--variant russian] [--games 100] [--depth 6] …

py-draughts searches to a fixed depth with SimpleEngine, its alpha-beta engine
for all boards. draughtlab gets a tenth of the time that py-draughts took for
its move before (--share), by the clock. What we use beyond it, waiting for a
processor included, is taken off our next moves, three quarters of each at
most; what we leave over is not saved. Each opening, 6 random plies from the
seed that our own short analysis finds level (within half a man), is played
twice with colours changed.

Our rules judge, and end the games: `draughtlab moves` lists what is legal. Who
cannot move loses, and so does py-draughts by a move that is not legal; each
such move is reported with its position. The third repetition and the basic
draw articles on few kings (R9, F10 of engine/RULES.md) draw; after 300 plies a
game is cut off, counted as a draw and told apart. Dead positions are played on.
Where py-draughts' own board calls a draw that ours does not, its draw clock is
set back so that it goes on thinking, and the game is counted as "called drawn".

Every finished game is one line of a JSON-lines file. The same command again
plays the games that are missing there and prints the table of all. Games of
other settings or of another draughtlab program in the file are left alone.

Start at `play`.
"""

import argparse
import hashlib
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = Path(os.environ.get("DRAUGHTLAB", HERE.parent / "bin" / "draughtlab"))
VARIANTS = ["russian", "frisian"]  # those that both know

OPENING_PLIES = 6
MOST_PLIES = 300  # random plies included
LEVEL, LEVEL_NODES = 50, 20_000  # an opening's score in hundredths of a man, and the nodes of its analysis
WIDTH = 80  # columns of the table
FIRST_MOVE = 0.01  # seconds for our move before py-draughts made its first

# Draw articles: plies since the ending of so many kings, and nothing else, stands.
KING_ENDINGS = {"russian": {(1, 3): 30}, "frisian": {(1, 2): 14}}


# What py-draughts imports; requirements.txt has it.
NEEDED = ["loguru", "numpy"]


def check_environment() -> None:
    """Leave, before anything is downloaded, where py-draughts could not run."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise SystemExit(f"outside_opponents.py: this Python has no {' and no '.join(missing)}: run `make venv` and use .venv/bin/python")


def install_client() -> Path:
    """Install py-draughts, as hub_clients.txt pins it, into a directory within
    the environment, once, and return that directory. The packages it needs are
    in requirements.txt. It calls itself `draughts`, as others do: so it has a
    directory of its own."""
    pins = (HERE / "hub_clients.txt").read_text().splitlines()
    pin = next(line for line in pins if line.startswith("py-draughts=="))
    target = Path(sys.prefix) / "hub-clients" / pin.replace("==", "-")
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as unfinished:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-compile"]
            subprocess.run([*pip, "--only-binary", ":all:", "--no-deps", "--target", f"{unfinished}/client", pin], check=True)
            Path(unfinished, "client").rename(target)
    return target


class Pipe:
    """A draughtlab process that answers line by line."""

    def __init__(self, program: Path, *args: str):
        self.name = f"{program} {' '.join(args)}"
        self.process = subprocess.Popen([program, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(self, line: str) -> None:
        print(line, file=self.process.stdin)

    def ask(self, line: str) -> str:
        """Send a line and return the next line of the answer."""
        self.tell(line)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name}: no answer to {line!r}")
        return answer.rstrip("\n")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


@dataclass(frozen=True)
class Move:
    """A legal move; squares are numbers from 1, row by row from the top left."""

    start: int
    end: int
    captured: frozenset[int]
    promotes: bool
    notation: str

    def same(self, start: int, end: int, captured) -> bool:
        return (self.start, self.end, self.captured) == (start, end, frozenset(captured))


class Rules:
    """What is legal, as `draughtlab moves` says it."""

    def __init__(self, program: Path, variant: str):
        self.variant, self.program, self.pipe = variant, program, Pipe(program, "moves", "--variant", variant)
        if variant == "frisian":
            self.names = [str(n + 1) for n in range(50)]
        else:
            self.names = ["bdfhaceg"[i % 8] + str(8 - i // 4) for i in range(32)]
        self.number = {name: n + 1 for n, name in enumerate(self.names)}

    def fen(self, game: "Game") -> str:
        def pieces(colour):
            return ",".join(("K" if p.isupper() else "") + self.names[s - 1] for s, p in sorted(game.board.items()) if p.upper() == colour)

        return f"{game.side}:W{pieces('W')}:B{pieces('B')}"

    def legal(self, game: "Game", runs: bool = True) -> list[Move]:
        """Return the legal moves, or those without the three-move rule (F9)."""
        answer = json.loads(self.pipe.ask(json.dumps({"fen": self.fen(game), "runs": game.runs if runs else {}})))
        if "error" in answer:
            raise RuntimeError(f"draughtlab moves, {self.fen(game)}: {answer['error']}")
        number = {s: n for name, n in self.number.items() for s in (name, n)} if self.variant == "frisian" else self.number
        return [
            Move(number[m["from"]], number[m["to"]], frozenset(number[s] for s in m["captured"]), m["promotes"], m["notation"])
            for m in answer["moves"]
        ]

    def level(self, game: "Game") -> bool:
        """Report whether `draughtlab analyse` finds the position level."""
        command = [self.program, "analyse", "--variant", self.variant, "--nodes", str(LEVEL_NODES), "--json", self.fen(game)]
        lines = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["lines"]
        return bool(lines) and lines[0]["win_in"] is None and abs(lines[0]["score"]) <= LEVEL


@dataclass
class Game:
    """The state of a game; pieces are w b for men, W B for kings."""

    board: dict[int, str]
    side: str = "W"
    runs: dict[str, list[int]] = field(default_factory=dict)  # as in `draughtlab moves`
    quiet: int = 0  # plies since the last capture or move of a man
    plies: int = 0
    seen: Counter = field(default_factory=Counter)

    @classmethod
    def start(cls, variant: str) -> "Game":
        men, squares = (20, 50) if variant == "frisian" else (12, 32)
        return cls({n: "b" if n <= men else "w" for n in range(1, squares + 1) if n <= men or n > squares - men})

    def play(self, variant: str, move: Move) -> None:
        """Make a legal move; king runs follow F9 and F13."""
        piece = self.board.pop(move.start)
        for s in move.captured:
            del self.board[s]
        self.board[move.end] = piece.upper() if move.promotes else piece
        square, length = self.runs.pop(self.side, (0, 0))
        king = piece.isupper() and not move.captured
        if variant == "frisian" and king:
            self.runs[self.side] = [move.end, length + 1 if square == move.start else 1]
        for side, (square, _) in list(self.runs.items()):
            if self.board.get(square) != side or side.lower() not in self.board.values():
                del self.runs[side]
        self.quiet = self.quiet + 1 if king else 0
        self.side = "WB"[self.side == "W"]
        self.plies += 1
        self.seen[self.key()] += 1

    def key(self):
        return self.side, tuple(sorted(self.board.items())), tuple(sorted((c, *run) for c, run in self.runs.items()))

    def hub(self, variant: str) -> str:
        """Return the position as the Hub protocol writes it."""
        return self.side + "".join(self.board.get(n, "e") for n in range(1, 51 if variant == "frisian" else 33))

    def verdict(self, variant: str, legal: list[Move]) -> tuple[str | None, str]:
        """Return who has won ("W", "B", or "" for a draw; None: it goes on) and
        why. A win comes before a draw (G3)."""
        other = "WB"[self.side == "W"]
        if not legal:
            return other, "no-moves"
        kings = Counter(self.board.values())
        if not kings["w"] and not kings["b"]:
            material = tuple(sorted((kings["W"], kings["B"])))
            if self.quiet >= KING_ENDINGS[variant].get(material, math.inf):
                return "", "draw-article"
            if variant == "frisian" and material == (1, 1) and not legal[0].captured:
                return (other, "f10-corners") if set(self.board) == {5, 46} else ("", "draw-article")
        if self.seen[self.key()] >= 3:
            return "", "repetition"
        if self.plies >= MOST_PLIES:
            return "", "cut-off"
        return None, ""


class Ours:
    """draughtlab, through the Hub protocol. A position that follows from the
    one before continues the game, so that its engine knows runs and clocks."""

    def __init__(self, program: Path, variant: str):
        self.variant, self.pipe = variant, Pipe(program, "hub", "--terse", "--variant", variant)
        for line, want in ("hub", "wait"), ("init", "ready"):
            if (got := self.pipe.ask(line)) != want:
                raise RuntimeError(f"draughtlab hub: {got!r} where {want!r} was due")

    def new_game(self) -> None:
        self.pipe.tell("new-game")
        if (got := self.pipe.ask("ping")) != "pong":  # clearing its memory is not thinking
            raise RuntimeError(f"draughtlab hub: {got!r} where 'pong' was due")

    def think(self, game: Game, legal: list[Move], seconds: float) -> tuple[Move, float]:
        """Return a move and the seconds it took, the way through the pipe
        included. The engine's clock has a least time of a millisecond: below
        that, nodes are counted, a million a second."""
        self.pipe.tell(f"pos pos={game.hub(self.variant)}")
        self.pipe.tell(f"level move-time={seconds:.6f}" if seconds >= 0.001 else f"level nodes={max(1, int(seconds * 1e6))}")
        began = time.perf_counter()
        answer = self.pipe.ask("go think")
        took = time.perf_counter() - began
        word, _, rest = answer.partition(" move=")
        text = rest.split(" ")[0]
        squares = [int(n) for n in text.replace("-", "x").split("x")] if word == "done" and text else [0, 0]
        fit = [m for m in legal if m.same(squares[0], squares[1], squares[2:])]
        if len(fit) != 1:
            raise RuntimeError(f"draughtlab hub: {answer!r} for {game.hub(self.variant)}: this is no legal move")
        return fit[0], took


class Theirs:
    """py-draughts: a board and an engine for one game."""

    def __init__(self, variant: str, depth: int):
        sys.path.insert(0, str(install_client()))
        import draughts

        sys.path.pop(0)
        self.package = draughts
        self.board = draughts.RussianBoard() if variant == "russian" else draughts.FrisianBoard()
        self.engine = draughts.SimpleEngine(depth_limit=depth)

    def think(self):
        """Return its move, as squares and captured squares from 1, its notation,
        and the seconds it took."""
        began = time.perf_counter()
        move = self.engine.get_best_move(self.board)
        took = time.perf_counter() - began
        ends = move.square_list[0] + 1, move.square_list[-1] + 1
        return (*ends, [s + 1 for s in move.captured_list]), str(move), took

    def follow(self, move: Move) -> bool:
        """Make a move of either side, whether its own rules have it or not, and
        report whether they call a draw."""
        captured = [s - 1 for s in sorted(move.captured)]
        pieces = [self.board[s] for s in captured]
        self.board.push(self.package.Move([move.start - 1, move.end - 1], captured, pieces, move.promotes))
        drawn = self.board.is_draw
        if drawn:
            self.board.halfmove_clock = 0  # else it plays its first legal move, unthinking
        return drawn


def opening(rules: Rules, seed: int, pair: int) -> list[Move]:
    """Return random legal plies to a level position; the same for both games of
    a pair."""
    rng = random.Random(f"{seed}/{rules.variant}/{pair}")
    while True:
        game, moves = Game.start(rules.variant), []
        while len(moves) < OPENING_PLIES and (legal := rules.legal(game)):
            moves.append(rng.choice(legal))
            game.play(rules.variant, moves[-1])
        if len(moves) == OPENING_PLIES and rules.legal(game) and rules.level(game):
            return moves


def illegal(rules: Rules, game: Game, got, text: str) -> dict:
    """Describe a move of py-draughts that is not legal."""
    unbound = any(m.same(*got) for m in rules.legal(game, runs=False))
    return {"fen": rules.fen(game), "runs": game.runs, "move": text, "captured": [rules.names[s - 1] for s in got[2]],
            "why": "three-move rule" if unbound else "moves"}


def play(rules: Rules, ours: Ours, number: int, depth: int, share: float, seed: int) -> dict:
    """Play a game, draughtlab White in even numbers, and return its line.
    `called_drawn` is the ply after which py-draughts first called a draw."""
    variant, us = rules.variant, "WB"[number % 2]
    game, theirs, moves = Game.start(variant), Theirs(variant, depth), []
    line = {"our_side": us, "our_seconds": 0.0, "their_seconds": 0.0, "called_drawn": 0, "illegal": None}
    game.seen[game.key()] = 1
    first = opening(rules, seed, number // 2)
    ours.new_game()
    budget = FIRST_MOVE
    while True:
        legal = rules.legal(game)
        winner, why = game.verdict(variant, legal)
        if winner is not None:
            break
        if first:
            move = first.pop(0)
        elif game.side == us:
            move, took = ours.think(game, legal, budget)
            line["our_seconds"] += took
        else:
            got, text, took = theirs.think()
            line["their_seconds"] += took
            spare = line["their_seconds"] * share - line["our_seconds"]
            budget = max(took * share / 4, min(took * share, spare))
            fit = [m for m in legal if m.same(*got)]
            if not fit:
                winner, why, line["illegal"] = us, "illegal-move", illegal(rules, game, got, text)
                break
            move = fit[0]
        if theirs.follow(move) and not line["called_drawn"]:
            line["called_drawn"] = game.plies + 1
        game.play(variant, move)
        moves.append(move.notation)
    score = 0.5 if winner == "" else float(winner == us)
    return {**line, "score": score, "why": why, "plies": game.plies, "moves": " ".join(moves)}


# The keys of a game's line, in their order.
KEYS = ["variant", "depth", "share", "seed", "program", "number", "our_side", "our_seconds", "their_seconds", "called_drawn",
        "illegal", "score", "why", "plies", "moves"]


class Record:
    """The JSON-lines file of games. A file that holds anything else is refused
    and left as it is; of a game's line that was broken off the rest is cut."""

    def __init__(self, path: Path):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise SystemExit(f"{path} is no regular file: give another --out")
            text = path.read_bytes() if path.exists() else b""
            *lines, rest = text.split(b"\n")
            self.games = [self.game(n, line) for n, line in enumerate(lines, 1)]
            if rest:
                self.check_start(len(lines) + 1, rest)
            with path.open("ab") as f:
                f.truncate(len(text) - len(rest))
        except (FileExistsError, NotADirectoryError) as e:
            raise SystemExit(f"{path}: {e.filename} is no directory: give another --out") from e
        except OSError as e:
            raise SystemExit(f"{path}: {e.strerror}: give another --out") from e

    def game(self, n: int, line: bytes) -> dict:
        """Return the game of a line."""
        try:
            game = json.loads(line)
        except (ValueError, RecursionError) as e:
            raise SystemExit(f"{self.path}:{n}: this is no JSON ({e}): give another --out") from e
        if not isinstance(game, dict) or set(game) != set(KEYS):
            raise SystemExit(f"{self.path}:{n}: this is no game against py-draughts: give another --out")
        return game

    def check_start(self, n: int, rest: bytes) -> None:
        """Leave if what stands behind the last line end is no part of a game's line."""
        begin = f'{{"{KEYS[0]}": "'.encode()
        if rest.endswith(b"}"):
            self.game(n, rest)
        elif not (rest.startswith(begin) or begin.startswith(rest)):
            raise SystemExit(f"{self.path}:{n}: this is not the beginning of a game's line: give another --out")

    def add(self, game: dict) -> None:
        try:
            with self.path.open("a") as f:
                f.write(json.dumps(game) + "\n")
                f.flush()
                os.fsync(f.fileno())
        except OSError as e:
            raise RuntimeError(f"{self.path}: {e.strerror}") from e
        self.games.append(game)

    def of(self, setting: dict) -> list[dict]:
        return [g for g in self.games if all(g.get(k) == v for k, v in setting.items())]


def wilson(score: float, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion. A draw is half a success,
    which varies less than a success or a failure: the interval is a wide one."""
    p = score / n
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (centre - half) / (1 + z * z / n)), min(1.0, (centre + half) / (1 + z * z / n))


def table(rows: dict[str, list[dict]]) -> str:
    """Return results as text, 80 columns wide: a line a variant, then how the
    games ended and the illegal moves, which may be longer."""
    out = [
        f"{'cut':>65} {'called':>6} {'our':>7}",
        f"variant games {'W':>4} {'D':>4} {'L':>4} {'score':>7} {'95 % (Wilson)':>16} illegal off {'drawn':>6} {'time':>7}",
    ]
    notes = []
    for variant, games in rows.items():
        if not games:
            out.append(f"{variant:7} {0:5}")
            continue
        count, n = Counter(g["score"] for g in games), len(games)
        low, high = wilson(sum(g["score"] for g in games), n)
        why = Counter(g["why"] for g in games)
        used = sum(g["our_seconds"] for g in games) / max(1e-9, sum(g["their_seconds"] for g in games))
        out.append(
            f"{variant:7} {n:5} {count[1.0]:4} {count[0.5]:4} {count[0.0]:4} {100 * sum(g['score'] for g in games) / n:5.1f} %"
            f" {100 * low:5.1f} to {100 * high:5.1f} % {why['illegal-move']:7} {why['cut-off']:3}"
            f" {sum(0 < g['called_drawn'] < g['plies'] for g in games):6} {100 * used:5.1f} %"
        )
        ends = f"{variant} {', '.join(f'{w} {k}' for k, w in sorted(why.items()))}"
        notes += textwrap.wrap(ends, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        notes += [f"  {variant} game {g['number']}: {json.dumps(g['illegal'])}" for g in games if g["illegal"]]
    return "\n".join([*out, "how the games ended, and illegal moves of py-draughts:", *notes])


def options(arguments) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=VARIANTS, action="append", help="may be given twice; both if not given")
    parser.add_argument("--games", type=int, default=100, help="of each variant, an even number (%(default)s)")
    parser.add_argument("--depth", type=int, default=6, help="of py-draughts, in plies (%(default)s)")
    parser.add_argument("--share", type=float, default=0.1, help="our time, as a part of theirs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the openings (%(default)s)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no game later than this")
    parser.add_argument("--out", type=Path, default=HERE.parent / "runs" / "outside.jsonl", help="the games (%(default)s)")
    parser.add_argument("--program", type=Path, default=PROGRAM, help="draughtlab (%(default)s)")
    o = parser.parse_args(arguments)
    if o.games < 2 or o.games % 2 or o.depth < 1 or not 0 < o.share <= 10:
        parser.error("--games must be even and at least 2, --depth at least 1, --share within 0 and 10")
    if not o.program.exists():
        parser.error(f"{o.program}: not found: run `make build` first")
    if not is_draughtlab(o.program):
        parser.error(f"{o.program}: this is not draughtlab, or cannot be run: run `make build`, or give another --program")
    o.program = o.program.absolute()
    return o


def is_draughtlab(program: Path) -> bool:
    """Report whether a program runs and calls itself draughtlab."""
    try:
        done = subprocess.run([program.absolute(), "version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and done.stdout.startswith(b"draughtlab ")


def main(arguments=None) -> None:
    o = options(arguments)
    check_environment()
    end = time.monotonic() + 60 * o.minutes
    record, rows = Record(o.out), {}
    program = hashlib.sha256(o.program.read_bytes()).hexdigest()[:16]
    for variant in o.variant or VARIANTS:
        setting = {"variant": variant, "depth": o.depth, "share": o.share, "seed": o.seed, "program": program}
        done = {g["number"] for g in record.of(setting)}
        rules, ours = Rules(o.program, variant), Ours(o.program, variant)
        for number in range(o.games):
            if number in done:
                continue
            if time.monotonic() >= end:
                break
            game = {**setting, "number": number, **play(rules, ours, number, o.depth, o.share, o.seed)}
            record.add(game)
            print(f"{variant} game {number + 1} of {o.games}: {game['score']:g} ({game['why']}, {game['plies']} plies, "
                  f"{game['our_seconds']:.2f} s against {game['their_seconds']:.2f} s)", file=sys.stderr, flush=True)
        for pipe in rules.pipe, ours.pipe:
            pipe.close()
        rows[variant] = [g for g in record.of(setting) if g["number"] < o.games]
    print(table(rows))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as e:
        sys.exit(f"outside_opponents.py: {e} {(e.stderr or '').strip()}".rstrip())
    except (OSError, RuntimeError, subprocess.SubprocessError) as e:
        sys.exit(f"outside_opponents.py: {e}")
    except KeyboardInterrupt:
        sys.exit("outside_opponents.py: stopped: run the same command again to go on")
