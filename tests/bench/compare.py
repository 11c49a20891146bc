#!/usr/bin/env python3
"""Counts the instructions of three fixed runs and compares them with baseline.json.

compare.py [--update] [--tolerance PERCENT] [PROGRAMS]

PROGRAMS is the directory with bpflink and btfdedup; default build/release/bin. Unlike time, the count
does not depend on the machine's load. It depends on the compiler of the programs and a little on the
processor, for which the C library chooses a memcpy(). Exits with 1 if a run needs more instructions
than the baseline and the tolerance allow, and with 2 if the inputs differ from the baseline's because
another clang made them. --update writes the counts as the new baseline.
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
CASES = ["small", "headers:400"]

# The program and inputs of each run
RUNS = {
    "link two small objects": ("bpflink", "small"),
    "link 400 objects that share headers": ("bpflink", "headers"),
    "deduplicate the types of 400 objects": ("btfdedup", "headers"),
}


def objects(directory, case):
    return sorted(str(path.relative_to(directory)) for path in (directory / case).glob("*.o"))


def hash_of(directory):
    digest = hashlib.sha256()
    for path in sorted(directory.rglob("*.o")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def count_instructions(directory, program, inputs):
    """Runs in an empty environment, which the kernel would copy and the program search, and with one
    thread, since the work of several threads varies."""
    result = subprocess.run(
        ["/usr/bin/valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         program, "--threads", "1", "-o", "out", *inputs],
        cwd=directory, env={}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not found:
        sys.exit(f"compare.py: {program} failed under valgrind:\n{result.stderr}")
    return int(found[1])


def measure(programs):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        subprocess.run([HERE / "generate.py", directory, *CASES], check=True)
        return {
            "inputs": hash_of(directory),
            "instructions": {
                title: count_instructions(directory, programs / program, objects(directory, case))
                for title, (program, case) in RUNS.items()
            },
        }


def compare(measured, baseline, tolerance):
    """Prints one line per run; returns the exit status."""
    if measured["inputs"] != baseline["inputs"]:
        print("the inputs are not those of the baseline: was it made with another clang?")
        return 2
    status = 0
    for title, count in measured["instructions"].items():
        expected = baseline["instructions"][title]
        change = 100 * (count / expected - 1)
        verdict = "MORE THAN ALLOWED" if change > tolerance else ""
        print(f"{title:40} {count:>14,} {change:+7.2f} % {verdict}".rstrip())
        if verdict:
            status = 1
    return status


def main():
    parser = argparse.ArgumentParser(usage="compare.py [--update] [--tolerance PERCENT] [PROGRAMS]")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--tolerance", type=float, default=2)
    parser.add_argument("programs", type=pathlib.Path, nargs="?",
                        default=HERE.parent.parent / "build/release/bin")
    arguments = parser.parse_args()
    measured = measure(arguments.programs.resolve())
    if arguments.update:
        BASELINE.write_text(json.dumps(measured, indent=2) + "\n")
    sys.exit(compare(measured, json.loads(BASELINE.read_text()), arguments.tolerance))


if __name__ == "__main__":
    main()
