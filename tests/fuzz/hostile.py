#!/usr/bin/env python3
"""Runs the programs on damaged files of the kinds that a mutator of one input does not make.

    hostile.py PROGRAMS SECONDS [--seed N] [KIND...]

PROGRAMS is the directory with the programs, SECONDS the time for each kind:

    two        an object in which two fields differ, which may then agree with each other
    split      split BTF with another base than its own
    container  a kernel in its container: setup header, compression, ELF, BTF
    archive    archives, thin or not, that name themselves, each other, and members that are not there
    bitcode    bitcode with bits, ranges and blocks of other bitcode

A program must end by itself, in time; with a message and without an output, or with one. Prints the seed of
what does not; `--seed N` begins there.
"""

import contextlib
import gzip
import lzma
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import bpfobj  # noqa: E402
from mutated_links import damage  # noqa: E402

LIMIT = 60  # seconds of the clock
TRACES = (b"Sanitizer", b"runtime error:", b"internal error", b"terminate called")
BITCODE = """
int ext(int); static long kept[4]; struct s { int a; struct s *next; } *head;
__attribute__((section("xdp"))) int %s(void *c) { kept[1] += ext(3); return head ? head->a : kept[ext(1) & 3]; }
__attribute__((noinline)) int %s(int x) { return x * 3 + %d; }
"""


def flip(rng, data, begin=0):
    """Changes bits, words and ranges of bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(begin, len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at & ~3:(at & ~3) + 4] = struct.pack("<I", rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, rng.randrange(200))))
        elif kind == 2:
            size, other = rng.randrange(64), rng.randrange(len(data))
            data[at:at + size] = data[other:other + size]
        elif rng.random() < 0.3:
            del data[at:]
        if len(data) <= begin + 4:
            break
    return bytes(data)


class Kinds:
    """Each method writes files into the directory, and returns commands: (program, arguments)."""

    def __init__(self, seeds):
        self.objects = sorted((seeds / "elf").iterdir())
        self.blobs = [path.read_bytes() for path in sorted((seeds / "btf").iterdir())]
        self.modules = [path.read_bytes() for path in sorted(seeds.glob("*.bc"))]
        self.splits = []
        for base in sorted((seeds / "btf").glob("*.bpf.btf")):
            blob, types = bpfobj.Blob(), bpfobj.Btf(base.read_bytes())
            last = len(types.starts) - 1
            blob.split(base)
            for number in range(1, last, max(last // 8, 1)):
                blob.add(2, "", number)
                blob.add(4, f"split_{number}", 16, "first", last + 1, 0, "second", number, 64)
                blob.add(8, types.name(number), number)
            blob.write("made", "")
            self.splits.append((base.read_bytes(), pathlib.Path("made").read_bytes()))

    def two(self, rng):
        editor = bpfobj.Editor(str(rng.choice(self.objects)))
        for _ in range(2):
            with contextlib.suppress(struct.error, ValueError, IndexError, KeyError):
                editor.set(damage(rng, editor))
        pathlib.Path("a.o").write_bytes(editor.bytes)
        return [("bpflink", ["a.o", "-o", "out", *rng.choice(([], ["-r"], ["--gc-sections"]))]), ("bpfskel", ["a.o", "-o", "out"]),
                ("btfdedup", ["--check", "a.o"]), ("bpfcore", ["check", "--table", "a.o", "a.o"])]

    def split(self, rng):
        base, second = rng.choice(self.splits)
        pathlib.Path("base.btf").write_bytes(rng.choice(self.blobs))
        pathlib.Path("split.btf").write_bytes(flip(rng, second, 24) if rng.random() < 0.3 else second)
        pathlib.Path("other.btf").write_bytes(flip(rng, base, 24))
        bases = rng.choice((["--base", "base.btf"], ["--base", "other.btf"], ["--base", "other.btf", "--base", "split.btf"]))
        option = rng.choice((["-o", "out"], ["--distill", "-o", "out"], ["--dump", "c"], ["--check"], ["--sort", "-o", "out"], ["--flatten", "-o", "out"]))
        return [("btfdedup", ["split.btf", *bases, *option])]

    def container(self, rng):
        image = bytearray(rng.choice(self.objects).read_bytes())
        image[18:20] = struct.pack("<H", 62)
        image = flip(rng, image) if rng.random() < 0.5 else bytes(image)
        pack = rng.choice((gzip.compress, lzma.compress, lambda data: lzma.compress(data, lzma.FORMAT_ALONE)))
        payload = pack(image)
        if rng.random() < 0.3:
            payload = pack(payload)
        payload = flip(rng, payload) if rng.random() < 0.5 else payload
        header = bytearray(5 * 512)
        header[0x1F1] = 4
        header[0x1FE:0x206] = b"\x55\xaa\0\0HdrS"
        struct.pack_into("<HxxxxxxH", header, 0x206, 0x20F, 0x300)
        struct.pack_into("<II", header, 0x248, 0, len(payload))
        header[0x500:0x507] = b"6.12.0 "
        header = flip(rng, header, 0x1F1) if rng.random() < 0.5 else bytes(header)
        pathlib.Path("vmlinuz").write_bytes(header + payload)
        good = str(self.objects[0])
        return [("bpfcore", ["check", good, "vmlinuz"]), ("btfdedup", ["vmlinuz", "--check"]), ("btfdedup", ["vmlinuz", "-o", "out"])]

    def archive(self, rng):
        names = ["l.a", "m.a", "a.o", "./l.a", "../l.a", "none", "/proc/self/mem", "l.a/a.o", "", "/0", "//", "x" * 300]

        def header(name, size):
            return b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", size)
        for file in ("m.a", "l.a"):
            is_thin, table, members = rng.random() < 0.6, b"", b""
            for _ in range(rng.randrange(1, 6)):
                at, name = len(table), rng.choice(names)
                table += name.encode() + b"/\n"
                content = rng.choice(self.objects).read_bytes() if rng.random() < 0.5 else pathlib.Path("m.a").read_bytes() if file == "l.a" else b""
                size = len(content) + rng.choice((0, 0, 0, 1, -1, 1 << 20))
                members += header(b"/%d" % rng.choice((at, at, at, at + 1, 9999)), max(size, 0))
                if not is_thin:
                    members += content + b"\n" * (len(content) % 2)
            table += b"\n" * (len(table) % 2)
            whole = (b"!<thin>\n" if is_thin else b"!<arch>\n") + header(b"//", len(table)) + table + members
            pathlib.Path(file).write_bytes(flip(rng, whole, 8) if rng.random() < 0.3 else whole)
        pathlib.Path("a.o").write_bytes(rng.choice(self.objects).read_bytes())
        return [("bpflink", ["--whole-archive", "l.a", "-o", "out", "--reproduce", "r.tar"]), ("btfdedup", ["l.a", "-o", "out"]),
                ("btfdedup", ["--check", "l.a"])]

    def bitcode(self, rng):
        first, second = (bytearray(data) for data in rng.sample(self.modules, 2))
        if rng.random() < 0.3:  # blocks are aligned to words
            size, at, other = 4 * rng.randrange(1, 64), 4 * rng.randrange(4, len(first) // 4), 4 * rng.randrange(4, len(second) // 4)
            first[at:at + size] = second[other:other + size]
        else:
            first = flip(rng, first, 16)
        pathlib.Path("a.bc").write_bytes(first)
        pathlib.Path("b.bc").write_bytes(second)
        return [("bpflink", ["a.bc", *rng.choice(([], ["b.bc"])), "-o", "out"])]


def fault(programs, program, arguments):
    """What is wrong with a run; or None."""
    pathlib.Path("out").unlink(missing_ok=True)
    try:
        run = subprocess.run([programs / program, *arguments], capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT} s"
    if run.returncode not in (0, 1, 2) or any(trace in run.stderr for trace in TRACES):
        return f"exit status {run.returncode}: {run.stderr[-2000:].decode(errors='replace')}"
    if run.returncode != 0 and b": error: " not in run.stderr and "check" not in " ".join(arguments):
        return f"exit status {run.returncode} without a message"
    if run.returncode != 0 and os.path.exists("out"):
        return "an output of what was refused"
    if run.returncode == 0 and "a.bc" in arguments and (rules := bpfobj.Object("out").check(has_own_names=True)):
        return f"a bad output: {rules[:3]}"
    return None


def main(programs, seconds, *rest):
    programs, rest, seed = pathlib.Path(programs).resolve(), list(rest), 1
    if "--seed" in rest:
        at = rest.index("--seed")
        seed = int(rest[at + 1])
        del rest[at:at + 2]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seeds = pathlib.Path(folder) / "seeds"
        subprocess.run([HERE / "make-seeds.sh", seeds], check=True)
        for number, (name, other) in enumerate((("one", "ext"), ("two", "more"), ("three", "ext"))):
            subprocess.run([os.environ.get("CC", "clang-19"), "-g", "-fdebug-compilation-dir=.", "-O2", "--target=bpf", "-flto", "-w", "-c", "-x", "c", "-", "-o",
                            seeds / f"{number}.bc"], input=(BITCODE % (name, other, number)).encode(), check=True)
        kinds = Kinds(seeds)
        os.mkdir("work")
        os.chdir("work")
        for kind in rest or ("two", "split", "container", "archive", "bitcode"):
            begin, count, good, now = time.monotonic(), 0, 0, seed
            while time.monotonic() - begin < float(seconds) and faults < 20:
                for program, arguments in getattr(kinds, kind)(random.Random(f"{kind} {now}")):
                    wrong = fault(programs, program, arguments)
                    count, good = count + 1, good + os.path.exists("out")
                    if wrong:
                        faults += 1
                        print(f"{kind}, --seed {now}: {program} {' '.join(arguments)}: {wrong}", flush=True)
                now += 1
            print(f"{kind}: {count} runs, seeds {seed} to {now - 1}, {good} outputs, {faults} faults", flush=True)
    sys.exit(faults != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
