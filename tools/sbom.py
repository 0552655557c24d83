#!/usr/bin/env python3
"""Writes what a built program consists of: mmo.cdx.json (CycloneDX 1.5) and licences.txt with every licence's text.

    tools/sbom.py PROGRAM FOLDER

Versions are those of the installed Debian packages the build used. Fails when the program needs a shared library that
no component accounts for. The same program gives the same bytes: no time, no random number.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Debian source package: (what is linked, its development package, licence as SPDX expression)
COMPONENTS = {
    "eigen3": ("headers", "libeigen3-dev", "MPL-2.0"),
    "cli11": ("headers", "libcli11-dev", "BSD-3-Clause"),
    "nlohmann-json3": ("headers", "nlohmann-json3-dev", "MIT"),
    "fast-float": ("headers", "libfast-float-dev", "Apache-2.0 OR MIT"),
    "fmtlib": ("library", "libfmt-dev", "MIT"),
    "pugixml": ("library", "libpugixml-dev", "MIT"),
    "zlib": ("library", "zlib1g-dev", "Zlib"),
    "libzstd": ("library", "libzstd-dev", "BSD-3-Clause"),
    "utf8proc": ("library", "libutf8proc-dev", "MIT AND Unicode-DFS-2016"),
    "gcc": ("runtime", "libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "glibc": ("runtime", "libc6", "LGPL-2.1-or-later"),
}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def installed_versions():
    packages = [package for _, package, _ in COMPONENTS.values()]
    lines = output("dpkg-query", "-W", "-f", "${Package}\t${Version}\n", *packages).splitlines()
    return dict(line.split("\t") for line in lines)


def component(name, versions):
    kind, package, licence = COMPONENTS[name]
    version = versions[package]
    return {
        "type": "library",
        "bom-ref": f"pkg:deb/{package}@{version}",
        "name": name,
        "version": version,
        "scope": "required",
        "licenses": [{"expression": licence}],
        "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}",
        "properties": [{"name": "mmo:linked", "value": kind}],
    }


def packages_with(libraries):
    """library: the installed packages that hold a file of this name."""
    # Exits with 1 where one of the names is nobody's: that is answered by the missing line.
    command = ["dpkg-query", "-S", *[f"*/{library}" for library in libraries]]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    packages = {library: [] for library in libraries}
    for names, path in (line.split(": ", 1) for line in found.splitlines() if ": " in line):
        packages[path.rsplit("/", 1)[1]] += names.split(", ")
    return packages


def source_of(package):
    return re.sub(r"^gcc-\d+$", "gcc", output("dpkg-query", "-W", "-f", "${source:Package}", package))


def unaccounted(program):
    """The shared libraries that the program needs and no source of COMPONENTS gave."""
    needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--wide", "--dynamic", program))
    packages = packages_with(needed)
    return [library for library in needed if not any(source_of(name) in COMPONENTS for name in packages[library])]


def bill(program):
    unknown = unaccounted(program)
    if unknown:
        sys.exit(f"sbom: {program} needs {', '.join(unknown)}: add its package to COMPONENTS of tools/sbom.py")
    version = output(program, "--version").split()[1]
    versions = installed_versions()
    components = [component(name, versions) for name in sorted(COMPONENTS)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"pkg:generic/mmo@{version}",
                "name": "mmo",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": components,
        "dependencies": [{"ref": f"pkg:generic/mmo@{version}", "dependsOn": [c["bom-ref"] for c in components]}],
    }


def licences():
    parts = [("mmo", (ROOT / "LICENSE").read_text())]
    for name in sorted(COMPONENTS):
        text = pathlib.Path("/usr/share/doc", COMPONENTS[name][1], "copyright").read_text(errors="replace")
        parts.append((name, text))
    return "".join(f"==== {name} ====\n\n{text.rstrip()}\n\n" for name, text in parts)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    made = bill(program)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mmo.cdx.json").write_text(json.dumps(made, indent=2) + "\n")
    (folder / "licences.txt").write_text(licences())
    print(folder / "mmo.cdx.json", folder / "licences.txt", sep="\n")


if __name__ == "__main__":
    main()
