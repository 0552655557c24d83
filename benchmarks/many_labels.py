"""Many labels: generated sets with the shapes of public ones.

    many_labels.py shapes NAME FOLDER    writes FOLDER/train.npz and test.npz; the law is in label_shapes.py

Real data: package_dependencies.py.
"""

import argparse
from pathlib import Path

from label_shapes import SHAPES, write_shape


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    shapes = commands.add_parser("shapes", help="write a generated set")
    shapes.add_argument("name", choices=SHAPES)
    shapes.add_argument("folder", type=Path)
    options = parser.parse_args()
    write_shape(options.name, options.folder)


if __name__ == "__main__":
    main()
