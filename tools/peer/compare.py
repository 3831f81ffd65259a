"""Measure draughtlab's generator and the C++ one of perft.cpp, in turns.

    python compare.py --ours bin/draughtlab --peer .cache/peer/perft [--rounds 3]

First the C++ generator must give known perft counts. Then both count the same
trees from the start, making every leaf or counting the last ply (bulk), and
play random games under the same rules: basic draw articles, no repetition, a
limit of 1000 plies. In a round each figure is taken of one program and at once
of the other; the next round begins with the other. The best of the rounds
counts, for a core's speed drifts and other programs only ever slow it down.

A count that differs, or random games of another mean length, is an error.
"""
import argparse
import json
import subprocess
import sys
from functools import partial

# Counts that a generator gets wrong easily. The starts of Russian and Frisian
# are in the tests of rhalbersma/dctl, too; the others were made by two
# generators written independently: (arguments, count).
KNOWN = [
    ("croda 5", 3624616),
    ("croda 5 W:Wa6:Ba7,b8,d8,e7,Kg8", 1429),  # C10: a man crosses the base
    ("croda 5 W:WKd2,Kh4:Bb5,c2,d3,f3,g4,Kd5,Ke2,Ke6,Kg6", 82312),  # routes that meet (G4)
    ("russian 9", 4570586),
    ("russian 1 W:WKa1:Bd4,e7,b6,Kg5", 2),  # R7: the landing squares
    ("russian 5 W:WKa3,Kc5,Kc7,Kd6,Kf6,Kg1:BKa1,Kc1,Kd2,Kd4,Kf4,Kg5,Kg7", 30404),
    ("frisian 7", 540126),
    ("frisian 5 W:WK1,K26,K40,K49:B8,37,43,K33,K39", 29496),  # captures in a circle (G1)
    ("frisian 7 W:W49,K31:B8,45,K3 W31,3 B3,3", 76732),  # both kings bound (F9)
]

# By game: depth of the count with every leaf, with bulk, and random games.
SIZES = {"croda": (6, 7, 60_000), "russian": (10, 11, 180_000), "frisian": (9, 10, 80_000)}


def measured(parse, *command):
    """Run a command and return what parse makes of its output. Whatever goes
    wrong is told in one line and ends this program."""
    name = f"compare.py: {' '.join(command)}"
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as e:
        sys.exit(f"{name}: {e.strerror}: run `make peer`, which compiles both programs")
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr.strip() or f'exit code {done.returncode} and no message'}")
    try:
        return parse(done.stdout)
    except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError):
        sys.exit(f"{name}: the answer {done.stdout[:60]!r} is not understood: is it the right program?")


class Programs:
    """Both programs. Each method returns a speed and a mark: what both must agree on."""

    def __init__(self, ours, peer):
        self.ours, self.peer = ours, peer

    def peer_perft(self, game, depth, bulk=False, position=()):
        mode = ["bulk"] if bulk else []

        def parse(text):
            fields = text.split("\t")
            return int(fields[2]) / float(fields[3]) / 1e6, int(fields[2])

        return measured(parse, self.peer, "perft", game, str(depth), *mode, *position)

    def our_perft(self, game, depth, bulk):
        flags = ["--variant", game, "--depth", str(depth), f"--bulk={str(bulk).lower()}", "--json"]

        def parse(text):
            last = json.loads(text.splitlines()[-1])
            return last["nodes"] / last["seconds"] / 1e6, last["nodes"]

        return measured(parse, self.ours, "perft", *flags)

    def peer_playouts(self, game, games):

        def parse(text):
            fields = text.split("\t")
            return games / float(fields[3]) / 1e3, int(fields[4]) / games

        return measured(parse, self.peer, "playouts", game, str(games), "1", "norepetition")

    def our_playouts(self, game, seconds):
        flags = ["--variant", game, "--seconds", str(seconds), "--json"]

        def parse(text):
            row = json.loads(text)["games"][0]
            return row["playouts_per_second"] / 1e3, row["playout_plies"]

        return measured(parse, self.ours, "bench", *flags)


def measurements(p):
    """Return the rows of the table: game, what, ours, theirs, tolerance of the mark."""
    for game, (leaf, bulk, games) in SIZES.items():
        for what, depth in (("every leaf", leaf), ("bulk", bulk)):
            args = (game, depth, what == "bulk")
            yield (game, f"perft {depth}, {what}, M nodes/s",
                   partial(p.our_perft, *args), partial(p.peer_perft, *args), 0)
        yield (game, "random games, k games/s", partial(p.our_playouts, game, 0.5),
               partial(p.peer_playouts, game, games), 0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True, help="the draughtlab program")
    parser.add_argument("--peer", required=True, help="perft.cpp, compiled")
    parser.add_argument("--rounds", type=int, default=3, help="how often each figure is taken")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: give 1 or more")
    p = Programs(options.ours, options.peer)
    measured(lambda text: text.index("draughtlab "), p.ours, "version")  # before the long part

    for arguments, want in KNOWN:
        game, depth, *position = arguments.split()
        for bulk in (False, True):
            _, got = p.peer_perft(game, int(depth), bulk, position)
            if got != want:
                sys.exit(f"compare.py: perft {arguments}: the C++ generator counts {got}, not {want}")
    print(f"C++: {len(KNOWN)} known perft counts are right", file=sys.stderr)

    rows = list(measurements(p))
    best = [[0, 0] for _ in rows]
    for n in range(options.rounds):
        print(f"round {n + 1} of {options.rounds}", file=sys.stderr)
        for (game, what, *programs, tolerance), speeds in zip(rows, best):
            marks = [0, 0]
            for i in (0, 1) if n % 2 == 0 else (1, 0):
                speed, marks[i] = programs[i]()
                speeds[i] = max(speeds[i], speed)
            if abs(marks[0] - marks[1]) > tolerance * marks[1]:
                sys.exit(f"compare.py: {game}, {what}: ours says {marks[0]}, C++ {marks[1]}")

    print(f"{'Game':<9}{'What':<38}{'draughtlab':>12}{'C++':>11}{'Ratio':>9}")
    for (game, what, *_), (ours, theirs) in zip(rows, best):
        print(f"{game.title():<9}{what:<38}{ours:>12.1f}{theirs:>11.1f}{ours / theirs:>9.2f}")


if __name__ == "__main__":
    main()
