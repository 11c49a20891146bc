#!/usr/bin/env python3
"""Links damaged objects; where a link succeeds, holds the output against its inputs, as same_code.py does.

    mutated_links.py BPFLINK SEED COUNT INPUT...

Each link damages numbers of one input, of clang or llc: fields of symbols, of relocations, of section
headers and of instructions. A link may refuse that, with exit 1 and a message. Prints what differs, with
the damage that leads to it.
"""
import contextlib
import random
import struct
import subprocess
import sys

import bpfobj
import same_code

INTERESTING = (0, 1, 2, 3, 4, 7, 8, 16, 24, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFF1, 0xFFF2)


def damage(rng, editor):
    """One setting of Editor."""
    obj = editor.object
    symbol = f"symbol:{rng.randrange(len(obj.symbols))}"
    judged = [s for s in obj.sections if not s.name.startswith((".BTF", ".debug", ".rel.BTF", ".rel.debug"))]
    relocated = [s for s in judged if s.type == bpfobj.SHT_REL]
    section = rng.choice(relocated)
    relocation = f"rel:{obj.sections.index(section)}:{rng.randrange(section.size // section.entsize)}"
    code = [s for s in obj.sections if s.flags & bpfobj.SHF_EXECINSTR and s.size]
    insn = rng.choice(code)
    at = rng.randrange(insn.size // 8) * 8
    insn_number = obj.sections.index(insn)
    contents = f"bytes:{insn_number}"
    header = f"header:{obj.sections.index(rng.choice(judged))}"
    return rng.choice([
        f"{symbol}:st_value=old+{rng.choice((8, -8, 16, 1, 4))}&0xffffffff",
        f"{symbol}:st_size={rng.choice((0, 4, 8, 16, 24, 1 << 20))}",
        f"{symbol}:st_shndx={rng.choice((*range(len(obj.sections)), 0xFFF2))}",
        f"{symbol}:st_info={rng.randrange(3) << 4 | rng.randrange(7)}",
        f"{symbol}:st_other={rng.randrange(4)}",
        f"{relocation}:r_offset=old+{rng.choice((8, -8, 16, 4, 1))}&0xffffffff",
        f"{relocation}:r_type={rng.choice((0, 1, 2, 3, 4, 10))}",
        f"{relocation}:r_sym={rng.randrange(len(obj.symbols))}",
        f"{contents}:{at}={rng.choice((0x85, 0x18, 0x95, 0x05, 0xB7, 0x61))}",
        f"{contents}:{at + 1}={rng.randrange(256)}",
        f"{contents}:{at + 4}:4={rng.choice(INTERESTING)}",
        f"{header}:sh_flags=old^{rng.choice((1, 2, 4, 0x10, 0x20, 0x200))}",
        f"{header}:sh_type={rng.choice((0, 1, 3, 7, 8, 9))}",
        f"{header}:sh_entsize={rng.choice((0, 1, 4, 8, 16, 24))}",
        f"{header}:sh_link={rng.randrange(len(obj.sections))}",
        f"{header}:sh_info={rng.randrange(len(obj.sections))}",
        f"header:{insn_number}:sh_size=old+{rng.choice((8, -8, 4, -4))}&0xffffffff",
    ])


def main(bpflink, seed, count, *inputs):
    linked = faults = 0
    for number in range(int(seed), int(seed) + int(count)):
        rng = random.Random(number)
        chosen = rng.randrange(len(inputs))
        editor, settings = bpfobj.Editor(inputs[chosen]), []
        for _ in range(rng.choice((1, 1, 1, 2))):
            settings.append(damage(rng, editor))
            with contextlib.suppress(struct.error):
                editor.set(settings[-1])
        with open("damaged.o", "wb") as file:
            file.write(editor.bytes)
        files = [*inputs[:chosen], "damaged.o", *inputs[chosen + 1:]]
        options = rng.choice(([], ["-r"], ["--gc-sections"]))
        result = subprocess.run([bpflink, "-q", *options, *files, "-o", "linked.o"],
                                capture_output=True, text=True, timeout=20)
        what = f"seed {number}: {inputs[chosen]}: {' '.join(settings)} {' '.join(options)}"
        if result.returncode == 1 and "error: " in result.stderr:
            continue
        linked += 1
        found = [f"exit status {result.returncode}: {result.stderr}"] if result.returncode else []
        if not found:
            programs = [same_code.Program(path, "llvm") for path in files]
            comparison = same_code.Comparison(same_code.Program("linked.o", "llvm"), programs)
            comparison.run(["--dead-code"] + ["--gc"] * ("--gc-sections" in options))
            found = comparison.faults
        if found:
            faults += 1
            print(what, *found[:3], sep="\n    ")
    print(f"{count} links: {linked} succeeded, {faults} differ")
    sys.exit(faults != 0 or linked == 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
