#!/usr/bin/env python3
"""Makes linker/facts/call_tables.inc of what probe_programs printed on several kernels.

Usage: call_tables.py RELEASE=FILE...    in order of the releases, such as 5.10=bullseye.txt
"""
import sys
import textwrap
from collections import defaultdict

STRUCT_OPS = 27
ANY = 255


def merge(values):
    """Of several targets: the answer, or * where it depends on the target."""
    return "*" if len(set(values)) > 1 else values[0]


def best(values):
    """Of several members of a struct: whether one of them may."""
    return next((answer for answer in "+s*" if answer in values), "-")


def read(path):
    """By program, (type, attach type, sleepable, struct): its helpers, and its kfuncs by name; and
    the programs that may not sleep."""
    helpers, kfuncs, sleepless = defaultdict(list), defaultdict(lambda: defaultdict(list)), set()
    for line in open(path):
        words = line.split()
        if words[:1] == ["probe"]:
            words = words[1:]
        if words[0] == "impossible" and words[-1] == "sleepless":
            sleepless.add((*map(int, words[1:4]), ""))
        if words[0] not in ("helpers", "kfunc"):
            continue
        name = words.pop(1) if words[0] == "kfunc" else None
        kind, attach, sleepable = map(int, words[1:4])
        if kind == STRUCT_OPS and words[4] == "bpf_dummy_ops":
            continue  # of the kernel's own tests
        program = (kind, 0, 0, words[4]) if kind == STRUCT_OPS else (kind, attach, sleepable, "")
        if name:
            kfuncs[program][name].append(words[5])
        else:
            helpers[program].append(words[5])
    of = {program: best if program[0] == STRUCT_OPS else merge for program in helpers}
    return ({p: "".join(of[p](column) for column in zip(*rows)) for p, rows in helpers.items()},
            {p: {name: of[p](v) for name, v in names.items()} for p, names in kfuncs.items()},
            sleepless)


def rule(answers):
    """The rule for answers by release, None where there is no such function or program."""
    known = [(i, a) for i, a in enumerate(answers) if a in ("+", "-", "*", "s")]
    if not known or any(a == "*" for _, a in known):
        return "*"
    allowed = [i for i, a in known if a == "+"]
    sleeping = [i for i, a in known if a == "s"]
    if not allowed:
        return "!" if sleeping else "-"
    if any(a != "+" for i, a in known if i >= allowed[0]):
        return "*"
    return chr(ord("A" if sleeping else "0" if known[0][1] == "-" else "a") + allowed[0])


def main():
    releases, files = zip(*(argument.split("=") for argument in sys.argv[1:]))
    kernels = [read(file) for file in files]
    programs = sorted({p for helpers, *_ in kernels for p in helpers})
    names = sorted({n for _, kfuncs, _ in kernels for of in kfuncs.values() for n in of})
    count = max(len(row) for helpers, *_ in kernels for row in helpers.values())
    rows = {}
    for p in programs:
        of = [helpers.get(p) for helpers, *_ in kernels]
        exists = ["+" if row else "-" if p in sleepless else None for row, (*_, sleepless) in zip(of, kernels)]
        rows[p] = (rule(exists),
                   "".join(rule([row and row[i] for row in of]) for i in range(count)),
                   tuple(rule([kfuncs.get(p, {}).get(n) for _, kfuncs, _ in kernels]) for n in names))
    # Where the attach type makes no difference, one row for all.
    for kind, sleepable in sorted({(p[0], p[2]) for p in programs if p[0] != STRUCT_OPS}):
        same = [p for p in programs if (p[0], p[2]) == (kind, sleepable)]
        if len({rows[p] for p in same}) == 1:
            row = rows[same[0]]
            for p in same:
                del rows[p]
            rows[(kind, ANY, sleepable, "")] = row
    helpers = sorted({row[1] for row in rows.values()})
    columns = sorted({row[2] for row in rows.values()})
    print("// What booted kernels said. Made by tests/core/calls.sh.")
    print("constexpr std::array<LinuxRelease, %d> releases = {{%s}};\n" % (
        len(releases), ", ".join("{%s}" % r.replace(".", ", ") for r in releases)))
    print("constexpr std::array<std::string_view, %d> helpers = {{" % len(helpers))
    print("".join('    "%s",\n' % row for row in helpers) + "}};\n")
    print("constexpr std::array<ProgramCalls, %d> programs = {{" % len(rows))
    for p, row in sorted(rows.items()):
        print('    {ProgramType{%d}, %d, %s, "%s", \'%s\', %d, %d},' % (
            p[0], p[1], "true" if p[2] else "false", p[3], row[0], helpers.index(row[1]), columns.index(row[2])))
    print("}};\n")
    groups = defaultdict(list)
    for i, name in enumerate(names):
        groups["".join(column[i] for column in columns)].append(name)
    print("constexpr std::array<KfuncCalls, %d> kfuncs = {{" % len(groups))
    for rules, of in sorted(groups.items()):
        lines = textwrap.wrap(" ".join(of), 88, break_long_words=False, break_on_hyphens=False)
        text = "\n".join('     "%s"' % (line + " ") for line in lines)
        print('    {"%s",\n%s},' % (rules, text[:-2] + '"'))
    print("}};")


main()
