#!/usr/bin/env python3
"""Writes the first half of raw BTF, to test whether half the input takes half the time.

    half.py IN OUT

The cut is the last place before the middle where no earlier type refers to a later one. In the
concatenated BTF of several compilation units, that is where a unit's types begin. All strings stay.
The BTF must be little-endian and have the classic header.
"""
import sys

import bpfobj
from bpfobj import (ARRAY, CONST, DATASEC, DECL_TAG, FUNC, FUNC_PROTO, PTR, RESTRICT, STRUCT, TYPEDEF,
                    TYPE_TAG, UNION, VAR, VOLATILE, WORDS_OF_EACH)

REFERS = {PTR, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, VAR, DECL_TAG, TYPE_TAG}  # in the third word
ID_OF_EACH = {STRUCT: 1, UNION: 1, FUNC_PROTO: 1, DATASEC: 0}  # index of the word


def cut(btf):
    """Returns (types, words) before the last possible cut in the first half."""
    best, largest, words = (0, 0), 0, btf.words
    for number, at in enumerate(btf.starts[1:], 1):
        if at >= len(words) // 2:
            break
        if largest < number:
            best = number - 1, at
        kind = btf.kind(number)
        if kind in REFERS:
            largest = max(largest, words[at + 2])
        elif kind == ARRAY:
            largest = max(largest, words[at + 3], words[at + 4])
        if kind in ID_OF_EACH and btf.vlen(number):
            size, start = WORDS_OF_EACH[kind], at + 3
            largest = max(largest, max(words[start + ID_OF_EACH[kind]:start + size * btf.vlen(number):size]))
    return best


def main():
    with open(sys.argv[1], "rb") as file:
        btf = bpfobj.Btf(file.read())
    number, size = cut(btf)
    if not number:
        sys.exit(f"half.py: {sys.argv[1]}: no place to cut")
    half = bpfobj.Blob()
    half.words, half.strings = btf.words[:size], btf.strings
    half.write(sys.argv[2], "")
    print(f"{number} types")


if __name__ == "__main__":
    main()
