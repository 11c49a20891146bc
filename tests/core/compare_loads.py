#!/usr/bin/env python3
"""Holds bpfcore's verdicts against what a kernel did.

Usage: compare_loads.py CORE.json LOADS

CORE.json is what `bpfcore check --json` wrote of one kernel, LOADS are lines of tests/boot/load_each.c
for the same objects. Prints how many programs of each status load, and each disagreement:

  false plus   bpfcore shows + or g, and the kernel or libbpf refuses something that an object and a
               kernel show: a type, a helper, a kfunc, an attach target, a section, an instruction
  false X      bpfcore shows X, and the program loads

What a verifier finds in the code itself is no disagreement; it is counted by its message. Exit
status 1 if anything disagrees.
"""
import collections
import json
import os
import re
import sys

MARKS = {"resolves": "+", "guarded": "g", "unknown": "?", "fails": "X"}
SHOWN = re.compile(
    "unknown func|invalid func |cannot use helper|sleepable helper|calling kernel function|invalid kfunc"
    "|invalid CO-RE|failed to find|not found in kernel|extern .* not|BPF_(CALL|ST|STX|LDX|ATOMIC|MOV|END) uses"
    "|unknown opcode|invalid atomic|reserved fields|be sleepable|program type|(No such file or directory|Operation not supported): Caller passes"
    "|No such (process|file)|BPF program load failed|unknown program type")
# Words of a verifier that reads the code, about things of the classes above.
OF_THE_CODE = re.compile(r"BPF_ALU uses reserved fields|BPF_JA\|BPF_X uses reserved fields|BPF_(JMP|EXIT)|in [\w-]+ region")


def read_loads(path):
    loads = {}
    for line in open(path, errors="replace"):
        name, tab, result = line.rstrip("\n").partition("\t")
        words = name.split()
        if words[:1] == ["load"]:
            words = words[1:]
        if tab and len(words) == 2:
            loads[os.path.basename(words[0]), words[1]] = result
    return loads


def main():
    report = json.load(open(sys.argv[1]))
    statuses = {(os.path.basename(p["object"]), p["program"]): p["status"] for p in report["programs"]}
    loads = read_loads(sys.argv[2])
    counts, own = collections.Counter(), collections.Counter()
    wrong = []
    # A loader loads the programs of a struct together.
    told = {(name, loads.get((name, program))) for (name, program), status in statuses.items() if status == "fails"}
    for program, result in sorted(loads.items()):
        status = statuses.get(program)
        if status is None:
            continue
        does_load = result.startswith("loads")
        counts[MARKS[status], does_load] += 1
        said_to_load = status in ("resolves", "guarded")
        if does_load and status == "fails":
            wrong.append(("false X", program, result))
        elif said_to_load and not does_load:
            if (program[0], result) in told:
                continue
            if SHOWN.search(result) and not OF_THE_CODE.search(result):
                wrong.append(("false plus", program, result))
            else:
                own[re.sub(r"-?\b[0-9]\w*", "N", result)[:70]] += 1
    print(f"{sum(counts.values())} programs of {len({name for name, _ in loads})} objects")
    for mark in "+g?X":
        print(f"  {mark}  {counts[mark, True]:5} load  {counts[mark, False]:5} do not")
    print(f"{sum(own.values())} more are refused for what the verifier finds in the code:")
    for message, count in own.most_common(8):
        print(f"  {count:5}  {message}")
    for what, (name, program), result in wrong:
        print(f"{what}: {name} {program}: {result}")
    print(f"{len(wrong)} disagree")
    if not counts:
        print("no program was loaded")
    sys.exit(bool(wrong) or not counts)


main()
