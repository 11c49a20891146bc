#!/usr/bin/env python3
"""Compares bpfcore's results for CO-RE relocations with libbpf's.

    compare.py OBJECT KERNEL...

prints each difference in the outcome or value of a relocation, with the kernel's whole types and with
the types that `bpfcore minimize` keeps. Exits with 1 if there is a difference. The environment has
the paths of the programs: BPFCORE, CORE_OF_LIBBPF."""
import json
import os
import subprocess
import sys
import tempfile

BPFCORE, LIBBPF = os.environ["BPFCORE"], os.environ["CORE_OF_LIBBPF"]


def of_libbpf(program, kernel):
    """{(section, index): (kind, outcome, value)}, or None if libbpf stops before relocations"""
    ran = subprocess.run([LIBBPF, program, kernel], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        return None
    found = {}
    for line in ran.stdout.splitlines():
        section, index, kind, outcome, *value = line.rsplit(" ", 4) if " value " in line else line.rsplit(" ", 3)
        found[section, int(index)] = (kind, outcome, int(value[0]) if value else None)
    return found


def of_bpfcore(program, kernel):
    ran = subprocess.run([BPFCORE, "check", "--kernel", kernel, program, "--json", "-"],
                         capture_output=True, text=True, check=False)
    text = ran.stdout
    if not text:
        raise SystemExit(f"{program} {kernel}: {ran.stderr}")
    found = {}
    for relocation in json.loads(text)["relocations"]:
        found[relocation["section"], relocation["index"]] = (relocation["kind"], relocation["outcome"], relocation["value"])
    return found


def differences(program, kernel):
    """Returns lines of text. libbpf looks at nothing after a relocation that fails."""
    theirs = of_libbpf(program, kernel)
    if theirs is None:
        return ["libbpf stops before relocations"] if "--all" in sys.argv else []
    ours = of_bpfcore(program, kernel)
    # libbpf shows no kind for relocations that it cannot parse.
    theirs = {key: (ours[key][0], *value[1:]) if value[0] == "?" and key in ours else value for key, value in theirs.items()}
    lines = [f"{key}: libbpf {value}, bpfcore {ours.get(key)}" for key, value in theirs.items() if ours.get(key) != value]
    if not any(outcome == "failed" for _, outcome, _ in theirs.values()):
        lines += [f"{key}: bpfcore {ours[key]}, libbpf nothing" for key in ours if key not in theirs]
    return lines + minimized_differences(program, kernel, ours, theirs)


def minimized_differences(program, kernel, ours, theirs):
    with tempfile.TemporaryDirectory() as directory:
        ran = subprocess.run([BPFCORE, "minimize", "--kernel", kernel, program, "-o", directory],
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            return [f"minimize: {ran.stderr}"]
        with open(f"{directory}/index.json", encoding="utf-8") as file:
            blob = f"{directory}/{json.load(file)['kernels'][0]['files'][0]['file']}"
        lines = []
        for name, whole, found in ("bpfcore", ours, of_bpfcore(program, blob)), ("libbpf", theirs, of_libbpf(program, blob)):
            for key, value in whole.items():
                same = (found.get(key) or ["", "", 0])[1:] == value[1:] or (value[0] == "target_type_id" and found.get(key, ["", "", 0])[2])
                if not same:
                    lines.append(f"minimized, {key}: {name} {value}, then {found.get(key)}")
        return lines


def main():
    program, *kernels = [a for a in sys.argv[1:] if a != "--all"]
    failed = False
    for kernel in kernels:
        for line in differences(program, kernel):
            print(f"{program} {kernel} {line}")
            failed = True
    sys.exit(failed)


main()
