"""Make the virtual environment of the notebooks, once for each content of the
requirements file.

    python3 make_venv.py DIRECTORY REQUIREMENTS

A stamp in the directory holds a hash of the requirements and of the Python
version. Where it matches, nothing is done. It is written last, so an
installation that was broken off is made anew.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

try:
    import ensurepip  # noqa: F401  (Debian ships venv without it)
    import venv
except ImportError:
    sys.exit("make_venv.py: this Python has no venv module: install it (on Debian: apt-get install python3-venv)")

STAMP = "requirements.sha256"


def stamp_of(requirements: Path) -> str:
    """Return the hash that tells one environment from another."""
    return hashlib.sha256(sys.version.encode() + requirements.read_bytes()).hexdigest()


def lock(path: Path):
    """Wait until no other make works on the same environment, by a lock on its
    requirements file; closing the returned file lets go."""
    handle = path.open()
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)
    except (ImportError, OSError):  # no such locks here: one make at a time
        pass
    return handle


def make(directory: Path, requirements: Path) -> None:
    """Create the environment and install the pinned packages into it."""
    want = stamp_of(requirements)
    stamp = directory / STAMP
    if stamp.exists() and stamp.read_text() == want:
        return
    print(f"== making {directory} (about a minute, once)", flush=True)
    venv.create(directory, clear=True, with_pip=True, symlinks=os.name != "nt")
    python = directory / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    # Wheels only: nothing is compiled, and no setup.py runs. Without --compile
    # only the modules that are used get compiled, on first use.
    result = subprocess.run([*pip, "--only-binary", ":all:", "--no-compile", "-r", requirements])
    if result.returncode != 0:
        sys.exit(f"make_venv.py: pip could not install {requirements}: see the lines above")
    stamp.write_text(want)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.version_info < (3, 11):
        sys.exit(f"make_venv.py: Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    directory, requirements = Path(sys.argv[1]), Path(sys.argv[2])
    with lock(requirements):
        make(directory, requirements)


if __name__ == "__main__":
    main()
