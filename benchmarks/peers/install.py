"""Installs the pinned peers of peers.json into a virtual environment and notes what came of it.

    python3 install.py VENV

A peer that can't be installed or imported does not stop the others: VENV/peers.json records its version or the reason,
and the report prints it. `beside` packages go into a folder of their own: LibMultiLabel's liblinear-multicore
overwrites the module of liblinear-official.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = {"scikit-learn": "sklearn"}


def pip(python, *arguments):
    return subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def install(python, folder, name, pins):
    """The peer's state: {"version": …} or {"error": …}."""
    done = pip(python, *pins["install"])
    path = []
    if done.returncode == 0 and "beside" in pins:
        path = [str(folder / "beside")]
        done = pip(python, "--no-deps", "--upgrade", "--target", path[0], *pins["beside"])
    if done.returncode != 0:
        return {"error": "pip: " + last_line(done.stderr)}
    module = MODULES.get(name, name)
    check = subprocess.run(
        [python, "-c", f"import sys; sys.path[:0] = {path!r}; import {module}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if check.returncode != 0:
        return {"error": "import: " + last_line(check.stderr)}
    return {"version": (pins.get("beside") or pins["install"])[0].split("==")[1]}


def main():
    folder = Path(sys.argv[1])
    wanted = json.loads((HERE / "peers.json").read_text())
    state = folder / "peers.json"
    if state.exists():
        known = json.loads(state.read_text())
        if known["pins"] == wanted and all("version" in peer for peer in known["peers"].values()):
            return
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True)
    python = str(folder.resolve() / "bin" / "python")
    peers = {}
    for name, pins in wanted.items():
        print(f"peers: installing {name}", file=sys.stderr)
        peers[name] = install(python, folder.resolve(), name, pins)
        if "error" in peers[name]:
            print(f"peers: {name} is left out: {peers[name]['error']}", file=sys.stderr)
    state.write_text(json.dumps({"pins": wanted, "peers": peers}, indent=1))


if __name__ == "__main__":
    main()
