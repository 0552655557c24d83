#!/usr/bin/env python3
"""Converts weights saved by torch (.pth, .pt, .bin; also the legacy format) to safetensors, names and values unchanged.

Usage: pth_to_safetensors.py IN.pth OUT.safetensors      (needs torch and safetensors)
"""

import sys

import torch
from safetensors.torch import save_file


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    # weights_only: the file is data; a pickle that wants to run code is refused.
    stored = torch.load(sys.argv[1], map_location="cpu", weights_only=True)
    stored = stored.get("state_dict", stored)
    tensors = {name: value.contiguous().clone() for name, value in stored.items() if torch.is_tensor(value)}
    if not tensors:
        sys.exit(f"{sys.argv[1]}: holds no tensors by name")
    save_file(tensors, sys.argv[2])
    print(f"{sys.argv[2]}: {len(tensors)} tensors")


if __name__ == "__main__":
    main()
