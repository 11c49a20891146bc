#!/usr/bin/env python3
"""Finds messages without a test.

    complete.py CHECKOUT

A message is a string in linker/ or dedup/ that contains a space. Its text, with anything for each {}
or %s, must be on one line of a file in tests/, or be listed below with the reason why no test can have
it. An unneeded reason is an error as well.
"""
import glob
import os
import re
import sys

# Files whose strings are code of C, Rust or shells, tables of figures or comments, not messages; tests/ has their output.
NOT_MESSAGES = {"dedup/print/c_body.cpp", "dedup/print/c_declarator.cpp", "dedup/print/c_names.cpp",
                "dedup/print/c_scalars.cpp", "dedup/print/c_types.cpp", "dedup/print/print_c.cpp", "dedup/print/print_header.cpp", "dedup/print/print_raw.cpp",
                "linker/skeleton/emit_c.cpp", "linker/skeleton/emit_cpp.cpp", "linker/skeleton/emit_rust.cpp", "linker/skeleton/rust_types.cpp",
                "linker/skeleton/libbpf_rs.cpp", "linker/skeleton/text.cpp",
                "linker/skeleton/model.cpp", "linker/text/completions.cpp",
                "linker/facts/denied_targets.cpp"}

# Message: why no input can provoke it
EXCEPTIONS = {
    "string offsets, with those of the base, exceed 32 bits": "takes 4 GiB of strings",
    "too many bytes of strings to deduplicate": "takes 4 GiB of strings",
    "too many bytes of strings": "takes 4 GiB of strings",
    "too many types to deduplicate": "takes 3 GiB of types",
    "too many types to compare": "takes two structs of a million members",
    "too many bytes of types to deduplicate": "takes 8 GiB of types",
    "(strings that nothing uses)": "the deduplicator writes none; they may be those of kinds of types that it does not know",
    "section header {}: {}": "libelf has counted it, so only memory can be short",
    "not enough memory": "only memory can be short",
    "{}: has more than {} files": "takes a million files",
    "has more than {} files": "takes a million files",
    "{}: too much code is shared by too many programs: check fewer kernels or programs at once": "takes 6000 functions and programs",
    "there are more problems, with {}": "takes ten thousand problems",
    "no file in memory": "only memory can be short",
    "in inline asm: '": "the words of LLVM",
    "Dwarf Version": "the words of LLVM",
    "is not a recognized processor": "the words of LLVM",
    "is not a recognized feature": "the words of LLVM",
    "argmemonly captures dead_on_return dereferenceable dereferenceable_or_null inaccessiblemem_or_argmemonly inaccessiblememonly initializes memory noalias nocapture nofree nonnull norecurse noreturn nosync range readnone readonly returned willreturn writeonly": "the words of LLVM",
    "says too much": "takes a gigabyte of a kernel",
    "Options of bpf-linker": "the head of a group of options",
    "qemu-system-x86_64 -machine pc": "the words of qemu",
    "console=ttyAMA0 earlyprintk=ttyAMA0 reboot=t panic=-1": "the words of Linux",
    "{} -accel {} -cpu {} -m {} -smp {}{} -no-user-config -nodefaults -nic none -monitor none -display none -no-reboot -serial stdio -kernel /dev/fd/{} -initrd /dev/fd/{} -append": "the words of qemu",
    " -sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny": "the words of qemu",
    "{}: module {}: {}": "takes a kernel that refuses its own module",
    "@ %15s %zu %zu %d %d %zu %zu": "the words of a guest",
    "no pipe": "only descriptors can be short",
    "no limit for open files": "any process may lower it",
    "cannot be joined with the others": "LLVM says why itself",
    "is not bitcode that LLVM can read": "LLVM says why itself",
    "internal error: the output is malformed: {}": "the linker writes none; verify.sh has what follows",
}


def strings(source):
    """Yields adjacent string literals as one, except in #include lines and comments."""
    source = re.sub(r"^\s*#.*$", "", source, flags=re.M)
    source = re.sub(r'("(?:[^"\\\n]|\\.)*")|//.*$', lambda m: m[1] or "", source, flags=re.M)
    # Rows of the tables of options: --help prints them, and the manual pages are held against them.
    source = re.sub(r'\{\s*"--?[a-zA-Z][^"]*",\s*"[^"]*",\s*(?:"(?:[^"\\\n]|\\.)*"\s*)+(?=[,}])', "", source)
    for match in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', source):
        pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', match[0])
        yield "".join(pieces).encode().decode("unicode_escape")


def is_message(text):
    fixed = re.sub(r"\{[^}]*\}|%[.*]*[a-z]+", "\0", text)
    return re.search(r"[A-Za-z]+ |[A-Za-z] ?\0 [a-z]| [A-Za-z]{2}", fixed) is not None


def pattern(text):
    # What stands for anything at an end, or twice, only makes the search slow.
    text = re.sub(r"^(\{[^}]*\})+|(\{[^}]*\})+$|(?<=\})(\{[^}]*\})+", "", text.strip("\n "))
    parts = re.split(r"(\{[^}]*\}|%[.*]*[a-z]+|\n)", text)
    return "".join(r".*" if part and (part[0] in "{%") else r"[\s\S]?\n?" if part == "\n"
                   else r"\s+".join(map(re.escape, part.split(" "))) for part in parts)


def main():
    os.chdir(sys.argv[1])
    tests = []
    for path in glob.glob("tests/**/*", recursive=True):
        if path.endswith((".sh", ".cpp", ".c", ".hpp", ".h")):
            tests.append(open(path).read().replace("'\"'\"'", "'").replace('\\"', '"').replace("\\`", "`"))
    tests = "\n".join(tests)
    missing, used = [], set()
    sources = glob.glob("linker/**/*.[ch]pp", recursive=True) + glob.glob("dedup/**/*.[ch]pp", recursive=True)
    for path in sorted(set(sources) - NOT_MESSAGES):
        for text in strings(open(path).read()):
            if not is_message(text) or re.search(pattern(text), tests):
                continue
            if text in EXCEPTIONS:
                used.add(text)
            else:
                missing.append(f"{path}: {text!r}")
    for line in missing:
        print(f"no test has the message of {line}")
    for text in sorted(EXCEPTIONS.keys() - used):
        print(f"no exception is needed for {text!r}")
    return 1 if missing or EXCEPTIONS.keys() - used else 0


if __name__ == "__main__":
    sys.exit(main())
