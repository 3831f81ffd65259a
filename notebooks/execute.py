"""Run the notebooks on a run directory and keep executed copies.

    python execute.py --run DIRECTORY --out DIRECTORY [--png]

The notebooks themselves stay as they are, without outputs. With --png each
picture is written beside the copy as well.
"""

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))


def execute(path: Path, run: Path, timeout: float = 600):
    """Return an executed copy of a notebook; `timeout` is seconds a cell.
    Raises nbclient's CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as private:
        # Sockets in a private directory, not ports others on this machine could reach.
        kernel = Config({"KernelManager": {"transport": "ipc", "connection_file": f"{private}/kernel.json"}})
        client = NotebookClient(notebook, config=kernel, timeout=timeout, resources={"metadata": {"path": str(HERE)}})
        client.execute(env={**os.environ, "DRAUGHTLAB_RUN": str(run.resolve()), "IPYTHONDIR": private})
    return notebook


def pictures(notebook):
    """Yield the PNG pictures of an executed notebook in their order."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield base64.b64decode(output["data"]["image/png"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the notebooks on a run directory.")
    parser.add_argument("--run", type=Path, required=True, help="run directory that draughtlab wrote")
    parser.add_argument("--out", type=Path, required=True, help="where the executed copies go")
    parser.add_argument("--png", action="store_true", help="write the pictures as well")
    args = parser.parse_args()
    if not (args.run / "games").is_dir():
        sys.exit(f"execute.py: {args.run}: no games here: `make run` writes runs/quick")
    args.out.mkdir(parents=True, exist_ok=True)
    for path in NOTEBOOKS:
        try:
            notebook = execute(path, args.run)
        except CellExecutionError as err:
            sys.exit(f"execute.py: {path.name}: {err}")
        nbformat.write(notebook, args.out / path.name)
        print(args.out / path.name)
        if args.png:
            for i, png in enumerate(pictures(notebook), start=1):
                (args.out / f"{path.stem}-{i}.png").write_bytes(png)


if __name__ == "__main__":
    main()
