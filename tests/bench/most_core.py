#!/usr/bin/env python3
"""Prints the paths of the N objects in a directory that have the most CO-RE relocations.

    most_core.py DIRECTORY N
"""
import pathlib
import sys

import bpfobj


def count_relocations(path):
    try:
        return len(bpfobj.Object(path).ext["core_relo"])
    except (ValueError, KeyError, IndexError, AttributeError):
        return 0  # not a BPF object


def main(directory, count):
    paths = sorted(pathlib.Path(directory).glob("*.o"))
    counts = {path: count_relocations(path) for path in paths}
    for path in sorted(paths, key=lambda path: (-counts[path], path.name))[:int(count)]:
        if counts[path]:
            print(path)


main(*sys.argv[1:])
