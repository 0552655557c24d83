#!/usr/bin/env python3
"""Checks that the layers hold: a folder of src/mmo includes only itself and the folders that
cmake/folders.cmake allows it, those are declared below it, and src/mmo/README.md says the same.

Usage: check_includes.py [ROOT]      (ROOT = the repository, by default the one of this file)
"""

import pathlib
import re
import sys

SUFFIXES = {".h", ".cpp"}
FOLDER = re.compile(r"^mmo_folder\(([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
README_ROW = re.compile(r"^\|\s*`([\w/]+)`\s*\|[^|]*\|([^|]*)\|\s*$", re.MULTILINE)


def allowed_includes(root):
    """folder -> the folders it may include, and complaints about the list itself."""
    allowed, problems = {}, []
    for match in FOLDER.finditer((root / "cmake/folders.cmake").read_text()):
        name, *below = match.group(1).split()
        for folder in below:
            if folder not in allowed:
                problems.append(f"cmake/folders.cmake: {name} may include {folder}, which is not declared below it")
        allowed[name] = set(below)
    return allowed, problems


def folder_of(path, allowed):
    """The innermost declared folder that holds the file ("learn/trees" before "learn")."""
    parents = [str(parent) for parent in pathlib.PurePosixPath(path).parents if parent.name]
    return next((folder for folder in parents if folder in allowed), parents[-1] if parents else "")


def include_problems(root, allowed):
    source = root / "src/mmo"
    for path in sorted(p for p in source.rglob("*") if p.suffix in SUFFIXES):
        folder = folder_of(path.relative_to(source).as_posix(), allowed)
        place = path.relative_to(root)
        if folder not in allowed:
            yield f"{place}: folder {folder} is not declared in cmake/folders.cmake"
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            parts = match.group(1).split("/")
            if parts[0] != "mmo" or len(parts) < 3:
                yield f'{place}:{number}: write "mmo/folder/file.h", not "{match.group(1)}"'
                continue
            included = folder_of("/".join(parts[1:]), allowed)
            if included != folder and included not in allowed[folder]:
                yield f"{place}:{number}: {folder} may not include {included} (cmake/folders.cmake)"


def readme_problems(root, allowed):
    readme = root / "src/mmo/README.md"
    rows = {name: set(re.findall(r"[\w/]+", below)) for name, below in README_ROW.findall(readme.read_text())}
    for name in sorted(allowed.keys() | rows.keys()):
        if name not in rows:
            yield f"src/mmo/README.md: no row for {name}"
        elif name not in allowed:
            yield f"src/mmo/README.md: {name} is not declared in cmake/folders.cmake"
        elif rows[name] != allowed[name]:
            yield (
                f"src/mmo/README.md: {name} may include {' '.join(sorted(allowed[name])) or 'nothing'}, "
                f"the table says {' '.join(sorted(rows[name])) or 'nothing'}"
            )


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    allowed, problems = allowed_includes(root)
    problems += include_problems(root, allowed)
    problems += readme_problems(root, allowed)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    print(f"includes: {len(allowed)} folders hold their layers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
