"""The dataset all these tests read: a tiny study, made once by bin/draughtlab.

What stands in the files is judged from outside: by other Parquet readers, by
statsmodels, and by following the pieces.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(NOTEBOOKS))

VARIANTS = ["croda", "russian", "frisian"]
PROGRAM = Path(os.environ.get("DRAUGHTLAB", NOTEBOOKS.parent / "bin" / "draughtlab"))


def draughtlab(*args, stdin: str | None = None) -> str:
    """Run draughtlab and return what it prints; a failure fails the test."""
    done = subprocess.run([PROGRAM, *args], input=stdin or "", capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"draughtlab {' '.join(map(str, args))}: exit code {done.returncode}: {done.stderr}"
    return done.stdout


def legal_moves(variant: str, questions: list[dict]) -> list[dict]:
    """Ask `draughtlab moves` for the legal moves of positions."""
    lines = "".join(json.dumps(q) + "\n" for q in questions)
    return [json.loads(line) for line in draughtlab("moves", "--variant", variant, stdin=lines).splitlines()]


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """A run directory with a complete tiny study of the three games."""
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM}: not found: run `make build` first", returncode=1)
    directory = tmp_path_factory.mktemp("study") / "run"
    draughtlab("study", "--preset", "tiny", "--quiet", "--out", directory)
    return directory
