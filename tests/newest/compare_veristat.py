#!/usr/bin/env python3
"""Compares veristat's tables of the objects of two folders, from the results of a guest on standard
input: verdict, instructions and states of each program. Exit status 1 if a program that was accepted
is refused or absent after, or if there are none.

  compare_veristat.py BEFORE AFTER"""
import csv
import sys


def tables(lines):
    """The rows of each folder: {folder: {(file, program): [(verdict, instructions, states), ...]}}"""
    result = {}
    for line in lines:
        if not line.startswith("veristat-"):
            continue
        folder, row = line.rstrip("\n").split(" ", 1)
        fields = next(csv.reader([row]))
        if len(fields) != 5 or fields[0] == "file_name":
            continue
        rows = result.setdefault(folder.removeprefix("veristat-"), {})
        # Static programs of several files may have one name.
        rows.setdefault((fields[0], fields[1]), []).append(tuple(fields[2:]))
    return result


def main():
    before, after = sys.argv[1:]
    found = tables(sys.stdin)
    old, new = found.get(before, {}), found.get(after, {})
    programs = accepted = instructions = worse = better = changed = 0
    for key, rows in sorted(old.items()):
        others = new.get(key, [])
        others = others + [("absent", "0", "0")] * (len(rows) - len(others))
        for row, other in zip(rows, others):
            programs += 1
            accepted += row[0] == "success"
            instructions += int(row[1] or 0)
            if row == other:
                continue
            worse += row[0] == "success" and other[0] != "success"
            better += row[0] != "success" and other[0] == "success"
            changed += row[0] == other[0]
            print("veristat: %s %s: %s, after %s" % (*key, " ".join(row), " ".join(other)))
    print(f"veristat: {programs} programs, {accepted} accepted, {instructions} instructions; "
          f"{worse} accepted only before, {better} only after, "
          f"{changed} of one verdict with other instructions or states")
    return worse > 0 or programs == 0


sys.exit(main())
