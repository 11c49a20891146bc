#!/usr/bin/env python3
"""Lists what differs between the BTF of two builds of one kernel.

compare.py A B [--names A_NAME B_NAME] [--details FILE]

A and B are vmlinux files, or modules with --base-a and --base-b. Prints a Markdown table of the
types by kind, and for functions, per-CPU variables, structs, unions, enums, typedefs and forward
declarations how many are in one only or differ, by reason where the symbol table tells one. The
names are in FILE. Types are compared as C: what has the same text is the same.
"""

import argparse
import collections
import json
import math
import re
import subprocess

KINDS = ("INT", "PTR", "ARRAY", "STRUCT", "UNION", "ENUM", "ENUM64", "FWD", "TYPEDEF", "VOLATILE",
         "CONST", "RESTRICT", "FUNC", "FUNC_PROTO", "VAR", "DATASEC", "FLOAT", "DECL_TAG", "TYPE_TAG")
WORDS = {"STRUCT": "struct", "UNION": "union", "ENUM": "enum", "ENUM64": "enum"}
QUALIFIERS = {"CONST": "const", "VOLATILE": "volatile", "RESTRICT": "restrict"}


class Kernel:
    """The types of one file, and its symbols."""

    def __init__(self, path, base):
        command = ["bpftool", "--json", *(["--base-btf", base] if base else []), "btf", "dump", "file", path]
        types = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["types"]
        self.types = {type_["id"]: type_ for type_ in types}
        self.texts = {}
        # Symbols of code: their names, and of clones ("f.isra.0", "f.part.1") those without the end.
        self.symbols, self.clones = set(), collections.defaultdict(set)
        for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
            *_, letter, name = line.split()
            if letter in "tTwW":
                self.symbols.add(name)
                if "." in name:
                    self.clones[name.split(".")[0]].add(name.split(".")[1])

    def text(self, id_):
        """A type as C would write it; what has a name by that alone."""
        if id_ == 0:
            return "void"
        if id_ not in self.texts:
            self.texts[id_] = self.written(self.types[id_])
        return self.texts[id_]

    def written(self, type_):
        kind, name = type_["kind"], type_.get("name", "(anon)")
        if kind in WORDS:
            return f"{WORDS[kind]} {name}" if name != "(anon)" else f"{WORDS[kind]} {self.body(type_)}"
        if kind == "FWD":
            return f"{type_['fwd_kind']} {name}"
        if kind == "PTR":
            return f"{self.text(type_['type_id'])} *"
        if kind in QUALIFIERS:
            return f"{QUALIFIERS[kind]} {self.text(type_['type_id'])}"
        if kind == "ARRAY":
            return f"{self.text(type_['type_id'])}[{type_['nr_elems']}]"
        if kind == "FUNC_PROTO":
            parameters = ", ".join(f"{self.text(p['type_id'])} {p['name']}" for p in type_["params"])
            return f"{self.text(type_['ret_type_id'])}({parameters})"
        return name

    def body(self, type_):
        """What a definition says besides its name."""
        if type_["kind"] in ("ENUM", "ENUM64"):
            values = ", ".join(f"{value['name']} = {value['val']}" for value in type_["values"])
            return f"{{{values}}} of {type_['size']}"
        if type_["kind"] in ("STRUCT", "UNION"):
            members = "; ".join(f"{self.text(m['type_id'])} {m['name']} @{m['bits_offset']}"
                                + (f":{m['bitfield_size']}" if m.get("bitfield_size") else "")
                                for m in type_["members"])
            return f"{{{members}}} of {type_['size']}"
        return self.text(type_["type_id"]) if "type_id" in type_ else json.dumps(
            {key: value for key, value in type_.items() if key not in ("id", "name")}, sort_keys=True)

    def named(self, *kinds):
        """The definitions of each name."""
        found = collections.defaultdict(set)
        for type_ in self.types.values():
            if type_["kind"] in kinds and type_.get("name", "(anon)") != "(anon)":
                found[type_["name"]].add(self.body(type_))
        return found

    def counts(self):
        return collections.Counter(type_["kind"] for type_ in self.types.values())


def why_missing(name, other):
    """Of a function that is in one file's BTF: what the other's symbols say of it."""
    if name.startswith("__SCT__"):
        return "the trampoline of a static call"
    if name in other.symbols:
        return "a symbol of both"
    if name in other.clones:
        return "only clones: " + ", ".join(sorted(other.clones[name]))
    return "no symbol"


def one_dimension(text):
    """The text with one dimension for each array."""
    return re.sub(r"(?:\[\d+\]){2,}", lambda dimensions: "[{}]".format(
        math.prod(int(number) for number in re.findall(r"\d+", dimensions[0]))), text)


def no_sign(text):
    """The text with values of enums as if they had no sign."""
    return re.sub(r" = (-?\d+)", lambda value: f" = {int(value[1]) & 0xffffffff}", text)


def no_large_values(text):
    """The text without enumerators that an int cannot hold."""
    return re.sub(r"\w+ = (\d+)(, )?", lambda value: value[0] if int(value[1]) < 1 << 31 else "",
                  no_sign(text)).replace(", }", "}")


# What definitions are alike without.
CAUSES = (("names of parameters", lambda text: re.sub(r" [\w()]+(?=[,)])", "", text)),
          ("qualifiers", lambda text: re.sub(r"\b(const|volatile|restrict) ", "", text)),
          ("arrays of several dimensions", one_dimension),
          ("the sign of an enum", no_sign),
          ("enumerators of more than 31 bits", no_large_values),
          ("characters, or not", lambda text: re.sub(r'"encoding": "(CHAR|\(none\))"', "", text)),
          ("a function without parameters", lambda text: re.sub(r"^.*\(.*\)$", "", text)))


def why_different(a, b):
    """Of two sets of definitions of a name."""
    for cause, without in CAUSES:
        if {without(text) for text in a} == {without(text) for text in b}:
            return cause
    return f"{len(a)} and {len(b)} definitions" if len(a) != len(b) else "other"


def main():
    parser = argparse.ArgumentParser(usage="compare.py A B [options]")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--names", nargs=2, default=("a", "b"))
    parser.add_argument("--base-a")
    parser.add_argument("--base-b")
    parser.add_argument("--details")
    arguments = parser.parse_args()
    kernels = Kernel(arguments.a, arguments.base_a), Kernel(arguments.b, arguments.base_b)
    names = arguments.names

    counts = [kernel.counts() for kernel in kernels]
    print(f"| kind | {names[0]} | {names[1]} |\n| --- | ---: | ---: |")
    for kind in KINDS:
        if any(count[kind] for count in counts):
            print(f"| {kind} | {counts[0][kind]:,} | {counts[1][kind]:,} |")
    print(f"| all | {counts[0].total():,} | {counts[1].total():,} |\n")

    details = []
    print(f"| what | the same | only {names[0]} | only {names[1]} | differ |\n| --- | ---: | ---: | ---: | ---: |")
    reasons = []
    for what, kinds in (("functions", ["FUNC"]), ("per-CPU variables", ["VAR"]), ("structs", ["STRUCT"]),
                        ("unions", ["UNION"]), ("enums", ["ENUM", "ENUM64"]), ("typedefs", ["TYPEDEF"]),
                        ("forward declarations", ["FWD"]), ("numbers", ["INT", "FLOAT"])):
        found = [kernel.named(*kinds) for kernel in kernels]
        only = [sorted(found[0].keys() - found[1].keys()), sorted(found[1].keys() - found[0].keys())]
        both = sorted(found[0].keys() & found[1].keys())
        differ = [name for name in both if found[0][name] != found[1][name]]
        print(f"| {what} | {len(both) - len(differ):,} | {len(only[0]):,} | {len(only[1]):,} | {len(differ):,} |")
        why = collections.Counter()
        for side in (0, 1):
            for name in only[side]:
                reason = f"only {names[side]}"
                if what == "functions":
                    reason += ", " + why_missing(name, kernels[1 - side])
                why[reason] += 1
                details.append(f"{what}: {reason}: {name}")
        for name in differ:
            reason = why_different(found[0][name], found[1][name])
            why[f"differ: {reason}"] += 1
            details += [f"{what}: differ: {reason}: {name}",
                        *(f"    {names[side]}: {text}" for side in (0, 1) for text in sorted(found[side][name]))]
        reasons += [f"{what}: {reason}: {count:,}" for reason, count in sorted(why.items())]
    print("\n" + "\n".join(reasons))
    if arguments.details:
        with open(arguments.details, "w", encoding="utf-8") as file:
            file.write("\n".join(details) + "\n")


if __name__ == "__main__":
    main()
