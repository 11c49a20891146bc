#!/usr/bin/env python3
"""Doubles hostile inputs, and fails where time or memory grows faster than n log n.

growth.py PROGRAMS [FAMILY...]

PROGRAMS is the directory with the programs. Each family is made four times, each twice as large as
the one before; the last is of about a megabyte. Prints processor time and peak memory of each. A
program may refuse an input that passes a limit, with a message.
"""

import functools
import gzip
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from bpfobj import Blob  # noqa: E402

INT, PTR, STRUCT, FWD, TYPEDEF, FUNC, FUNC_PROTO, DECL_TAG = 1, 2, 4, 7, 8, 12, 13, 17
MAX_GROWTH = 2.7  # of a doubling; n log n is 2.2
MIN_SECONDS = 1.5  # below, a slow machine differs by more
MAX_SECONDS, MAX_MEGABYTES = 10, 1000


class Types:
    """A blob, with ids."""

    def __init__(self):
        self.blob = Blob()
        self.count = 0

    def add(self, *type_, **options):
        self.blob.add(*type_, **options)
        self.count += 1
        return self.count

    def struct(self, name, *members, size=8):
        words = []
        for number, member in enumerate(members):
            words += [f"m{number}", member, 64 * number]
        return self.add(STRUCT, name, size, *words)

    def int_of(self, size):
        return self.add(INT, f"int{size}", size, 8 * size)

    def write(self, path):
        self.blob.write(path, "")
        return path


def retraction(n, folder, distinct):
    """Units that declare what the next one defines, and all reach a tag of their own."""
    types = Types()
    types.int_of(4)
    types.int_of(4)  # so the blob is one of many units
    below = types.struct("T0", size=8)
    for k in range(1, n):
        below = types.struct(f"T{k}", types.add(PTR, "", below))
    for k in range(1, n):
        types.struct("T0", size=(k if distinct else k % 2) + 9)
        types.struct(f"T{k}", types.add(PTR, "", types.add(FWD, f"T{k - 1}")))
    return ["btfdedup", types.write(folder / "a.btf"), "-o", folder / "out"]


def profiles(n, folder, declared):
    """Units that each define a tag that a chain of n structs reaches."""
    files = []
    types = Types()
    below = types.struct("X", size=8)
    for k in range(n):
        below = types.struct(f"s{k}", types.add(PTR, "", below))
    files.append(types.write(folder / "chain.btf"))
    for k in range(n):
        types = Types()
        types.struct("X", size=16 + k)
        if declared:
            types.add(PTR, "", types.add(FWD, f"s{n - 1}"))
        files.append(types.write(folder / f"{k}.btf"))
    (folder / "list").write_text("\n".join(map(str, files)))
    return ["btfdedup", f"@{folder}/list", "-o", folder / "out"]


def long_name(n, folder, *options):
    """A name of n bytes that n / 1000 different structs share, with typedefs of that name."""
    types = Types()
    below = types.int_of(4)
    for k in range(n // 2000):
        struct = types.struct("x" * n, below, size=8 + k)
        below = types.add(TYPEDEF, "x" * n, types.add(PTR, "", struct))
    return ["btfdedup", types.write(folder / "a.btf"), *options]


def shared_name(n, folder):
    """n typedefs of one name of 16 n bytes, each of the one before."""
    types = Types()
    below = types.int_of(4)
    for _ in range(n):
        below = types.add(TYPEDEF, "x" * 16 * n, below)
    return ["btfdedup", "--sort", types.write(folder / "a.btf"), "-o", folder / "out"]


def tied(n, folder, *options):
    """A chain of n structs of one name and size, which differ only in how far they are from its end."""
    types = Types()
    below = types.int_of(8)
    for k in range(n):
        below = types.struct("s", types.add(PTR, "", below))
    return ["btfdedup", types.write(folder / "a.btf"), *options]


def kfuncs(n, folder, *options):
    """n kfuncs of one prototype with n parameters."""
    types = Types()
    parameters = [word for k in range(n) for word in (f"p{k}", 1)]
    types.int_of(4)
    proto = types.add(FUNC_PROTO, "", 1, *parameters)
    for k in range(n):
        types.add(DECL_TAG, "bpf_kfunc", types.add(FUNC, f"f{k}", proto, vlen=1), -1)
    return ["btfdedup", types.write(folder / "a.btf"), *options]


def one_shape(n, folder):
    """n prototypes of a base, and n of a module, that begin alike."""
    for name in ("base", "split"):
        types = Types()
        if name == "split":
            types.blob.split(folder / "base.btf")
        else:
            types.int_of(4)
        for k in range(n):
            types.add(FUNC_PROTO, "", 1, "a", 1, "b", 1, f"{name}{k}", 1)
        types.write(folder / f"{name}.btf")
    return ["btfdedup", "--base", folder / "base.btf", folder / "split.btf", "-o", folder / "out"]


def module(base_types, types, folder):
    """A module with half of its structs equal to the base's, and half its own."""
    for name, begin, count in (("base", 0, base_types), ("split", base_types - types // 2, types)):
        blob = Types()
        if name == "split":
            blob.blob.split(folder / "base.btf")
        blob.int_of(4)
        for k in range(begin, begin + count):
            blob.struct(f"s{k}", 1, 1)
        blob.write(folder / f"{name}.btf")
    return ["btfdedup", "--base", folder / "base.btf", folder / "split.btf", "-o", folder / "out"]


def compiled(folder, name, text, *options):
    (folder / f"{name}.c").write_text(text)
    clang = os.environ.get("CC", "clang-19")
    subprocess.run([clang, "-g", "-O2", "--target=bpf", *options, "-w", "-c", f"{name}.c", "-o", f"{name}.o"],
                   cwd=folder, check=True)
    return folder / f"{name}.o"


def sections(n, folder, *options):
    """n programs, each in a section of its own with CO-RE relocations, and n variables likewise."""
    text = """struct task { int pid; } __attribute__((preserve_access_index));\n"""
    for k in range(n):
        text += f"""
static volatile int v{k} __attribute__((section(".data.v{k}"))) = 1;
__attribute__((section("raw_tp/{k}"))) int p{k}(struct task *t) {{ v{k}++; return t->pid; }}
"""
    return ["bpflink", *options, compiled(folder, "a", text), "-o", folder / "out.o"]


def long_member(n, folder):
    """A member name of n bytes, which n / 250 structs without a name share, each in a pointer to the next."""
    types = Types()
    below = types.int_of(4)
    for k in range(n // 250):
        struct = types.add(STRUCT, "", 8, "x" * n, below, 0)
        below = types.add(PTR, "", struct)
    types.struct("root", below)
    return ["btfdedup", types.write(folder / "a.btf"), "--print-sizes", "-o", folder / "out"]


def long_symbol(n, folder, *options):
    """n / 250 programs and as many variables that share a name of n bytes, and a program that uses them all."""
    count = n // 250
    text = "".join(f"static volatile long v{k} = 1; static volatile long *p{k}(void) {{ return &v{k}; }}\n"
                   f"__attribute__((section(\"tc\"), used)) long f{k}(void) {{ return *p{k}(); }}\n" for k in range(count))
    path = compiled(folder, "a", text + f"long {'x' * n} = 1;", "-g0")
    image = bytearray(path.read_bytes())
    (section,), (sections, number) = struct.unpack_from("<Q", image, 0x28), struct.unpack_from("<HH", image, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, section + sections * k) for k in range(number)]
    _, _, _, _, at, size, link, *_ = next(header for header in headers if header[1] == 2)
    names = {bytes(image[headers[link][4] + k:][:n]): k for k in
             (struct.unpack_from("<I", image, at + 24 * s)[0] for s in range(size // 24))}
    for s in range(1, size // 24):
        name, info = struct.unpack_from("<IB", image, at + 24 * s)
        if info == 1:  # a local object
            struct.pack_into("<I", image, at + 24 * s, names[b"x" * n])
    path.write_bytes(image)
    return ["bpflink", path, *options, "-o", folder / "out.o"]


def symbol_tables(n, folder):
    """n section headers that say that the one symbol table is theirs."""
    text = "".join(f"int f{k}(int x) {{ return x; }}\n" for k in range(n))
    (folder / "a.c").write_text(text)
    subprocess.run(["gcc", "-gbtf", "-c", "a.c"], cwd=folder, check=True)
    image = bytearray((folder / "a.o").read_bytes())
    (table,), (size, number) = struct.unpack_from("<Q", image, 0x28), struct.unpack_from("<HH", image, 0x3A)
    headers = [bytes(image[table + size * k:][:size]) for k in range(number)]
    symbols = next(header for header in headers if header[4:8] == b"\2\0\0\0")
    struct.pack_into("<Q", image, 0x28, len(image))
    struct.pack_into("<H", image, 0x3C, number + n)
    (folder / "linked").write_bytes(image + b"".join(headers) + n * symbols)
    return ["btfdedup", "--linked", folder / "linked", folder / "a.o", "-o", folder / "out"]


def declarations(n, folder):
    """A module whose distilled base declares a struct n times, of which the kernel has n definitions."""
    base, kernel, split = Types(), Types(), Types()
    for k in range(n):
        base.add(FWD, "s", 0)
        kernel.struct("s", size=8 + k)
    split.blob.split(base.write(folder / "base"))
    split.struct("own")
    image = compiled(folder, "a", "int x;", "-g0")
    subprocess.run(["llvm-objcopy-19", "--add-section", f".BTF={split.write(folder / 'split')}", "--add-section",
                    f".BTF.base={folder / 'base'}", image, folder / "m.ko"], check=True)
    return ["btfdedup", "--base", kernel.write(folder / "kernel"), folder / "m.ko", "-o", folder / "out"]


def shared_code(n, folder):
    """n functions that are the same n instructions."""
    text = ".globl f\n.type f,@function\nf: *(u64 *)(r10 - 8) = r1\n" + " r0 = 0\n" * n + " exit\n.size f, .-f\n"
    text += "".join(f".globl g{k}\n.type g{k},@function\n.set g{k}, f\n.size g{k}, {8 * n}\n" for k in range(n))
    (folder / "a.s").write_text(text)
    clang = os.environ.get("CC", "clang-19")
    subprocess.run([clang, "--target=bpf", "-c", "a.s"], cwd=folder, check=True)
    return ["bpflink", "-q", folder / "a.o", "-o", folder / "out.o"]


def duplicates(n, folder):
    """n objects that define the same function."""
    made = compiled(folder, "a", "int f(void) { return 1; } int g(void) { return 2; }", "-g0")
    for k in range(n):
        shutil.copy(made, folder / f"{k}.o")
    return ["bpflink", *sorted(folder.glob("[0-9]*.o")), "-o", folder / "out.o"]


def mangled(n, folder):
    """An undefined C++ name in which each of n parts repeats the one before twice."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = "_Z1fI1aE"
    for k in range(n):
        name += f"St4pairIS{digits[k] if k else ''}_S{digits[k] if k else ''}_E"
    return ["bpflink", compiled(folder, "a", f"extern int {name}(void); int g(void) {{ return {name}(); }}"),
            "-o", folder / "out.o"]


def bomb(n, folder):
    """n megabytes of zeros, compressed as a kernel's image."""
    path = folder / "kernel.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(n):
            file.write(bytes(1 << 20))
    object_ = compiled(folder, "a", "__attribute__((section(\"xdp\"))) int f(void *ctx) { return 1; }")
    return ["bpfcore", "check", object_, "--kernel", path]


def program(folder):
    return compiled(folder, "a", "__attribute__((section(\"xdp\"))) int f(void *ctx) { return 1; }", "-g0")


def flat_image(folder):
    """The begin of a flat image for arm64, with BTF."""
    types = Types()
    types.int_of(4)
    return b"\0" * 0x38 + b"ARMd\0\0\0\0" + types.write(folder / "btf").read_bytes()


BANNER = b"Linux version "


def banner(n, folder):
    """n megabytes of what begins like a banner, in an image that shrinks to no less than a hundredth."""
    text = flat_image(folder) + BANNER * ((n << 20) // len(BANNER)) + random.Random(1).randbytes(n << 13)
    (folder / "Image.gz").write_bytes(gzip.compress(text, 1))
    return ["bpfcore", "check", program(folder), "--kernel", folder / "Image.gz", "--threads", "1"]


def nested(n, folder):
    """n megabytes of that, compressed thrice: each layer is as large as a kernel that shrinks to the one before."""
    part = gzip.compress(BANNER * 208)  # 1/80
    inner = gzip.compress(flat_image(folder)) + part * ((n << 20) // len(BANNER * 208))
    (folder / "Image.gz").write_bytes(gzip.compress(gzip.compress(inner)))
    return ["bpfcore", "check", program(folder), "--kernel", folder / "Image.gz", "--threads", "1"]


def archive_header(name, size):
    return f"{name:16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()


def archive_of_itself(n, folder):
    """A thin archive with n empty tables and n members, each of which is the first member in the same archive."""
    name = b"self.a/\n"
    begin = b"!<thin>\n" + n * archive_header("/", 0) + archive_header("//", len(name)) + name
    (folder / "self.a").write_bytes(begin + n * archive_header(f"/0:{len(begin)}", 0))
    return ["bpflink", program(folder), folder / "self.a", "-o", folder / "out.o"]


def archive_of_one(n, folder):
    """A thin archive that names an object with n functions n times."""
    text = "".join(f"int f{k}(int x) {{ return x; }}\n" for k in range(n))
    compiled(folder, "one", text, "-g0")
    name = b"one.o/\n\n"
    (folder / "one.a").write_bytes(b"!<thin>\n" + archive_header("//", len(name)) + name + n * archive_header("/0", 0))
    return ["bpflink", program(folder), folder / "one.a", "-o", folder / "out.o"]


def sources(n, folder):
    """An archive with n copies of an object that was compiled again, with 10 n functions; and undefined symbols."""
    member = compiled(folder, "one", "int g(int x) { return x; }", "-g0").read_bytes()
    member += bytes(len(member) % 2)
    (folder / "one.a").write_bytes(b"!<arch>\n" + n * (archive_header("one.o/", len(member)) + member))
    compiled(folder, "one", "".join(f"int f{k}(int x) {{ return x; }}\n" for k in range(10 * n)), "-g0")
    calls = "".join(f"int u{k}(int x); int g{k}(int x) {{ return u{k}(x); }}\n" for k in range(20))
    return ["bpflink", compiled(folder, "a", calls, "-g0"), folder / "one.a", "-o", folder / "out.o"]


def flavors(n, member="a"):
    """A program with a relocation for each of n flavors of one struct."""
    text = "".join(f"struct s___{k} {{ int {member}; }} __attribute__((preserve_access_index));\n" for k in range(n))
    calls = "".join(f"sum += ((struct s___{k} *)ctx)->{member};\n" for k in range(n))
    return text + f"__attribute__((section(\"raw_tp/f\"))) int f(void *ctx) {{ int sum = 0;\n{calls} return sum; }}"


def candidates(n, folder):
    """n relocations, for each of which 4000 structs of the kernel have the member."""
    kernel = Types()
    below = kernel.int_of(4)
    for _ in range(4000):
        kernel.add(STRUCT, "s", 8, "a", below, 0)
    return ["bpfcore", "minimize", compiled(folder, "a", flavors(n)), kernel.write(folder / "kernel.btf"), "--threads",
            "1", "-o", folder / "out"]


def other_kind(n, folder):
    """n relocations against a struct that the kernel has as 4 n typedefs."""
    kernel = Types()
    below = kernel.int_of(4)
    for _ in range(4 * n):
        kernel.add(TYPEDEF, "s", below)
    return ["bpfcore", "check", compiled(folder, "a", flavors(n)), kernel.write(folder / "kernel.btf"), "--threads", "1"]


def long_access(n, folder):
    """n / 250 relocations for a member with a name of n bytes, which the kernel has elsewhere."""
    kernel = Types()
    below = kernel.int_of(4)
    for k in range(n // 250):
        kernel.add(STRUCT, "s", 8, "y" * n, below, 0, "z" * n, below, 32)
    text = f"#define MEMBER {'x' * n}\n" + flavors(n // 250, "MEMBER")
    return ["bpfcore", "check", compiled(folder, "a", text), kernel.write(folder / "kernel.btf"),
            "--threads", "1", "--json", folder / "json"]


def shared_function(n, folder, *options):
    """A function with n relocations, which the kernel lacks, and n programs that call it."""
    members = "".join(f"int m{k};" for k in range(n))
    reads = "".join(f"sum += s->m{k};\n" for k in range(n))
    text = f"""struct s {{ {members} }} __attribute__((preserve_access_index));
static __attribute__((noinline)) int shared(struct s *s) {{ int sum = 0;\n{reads} return sum; }}\n"""
    text += "".join(f"__attribute__((section(\"raw_tp/{k}\"))) int p{k}(void *s) {{ return shared(s); }}\n"
                    for k in range(n))
    kernel = Types()
    kernel.int_of(4)
    kernel.struct("s", 1)
    return ["bpfcore", "check", compiled(folder, "a", text), kernel.write(folder / "kernel.btf"), "--threads", "1",
            *options]


def kernels(n, folder):
    """n / 4 relocations and programs on n kernels."""
    for k in range(n):
        kernel = Types()
        kernel.add(STRUCT, "s", 8 + k, "a", kernel.int_of(4), 8 * k)
        kernel.write(folder / f"5.{k}.0.btf")
    return ["bpfcore", "check", compiled(folder, "a", flavors(n // 4)), *sorted(folder.glob("*.btf")), "--threads", "1",
            "--json", folder / "json"]


def aligned(n, folder, *options):
    """n sections of a byte, each aligned to 64 KiB."""
    text = "".join(f".section .data.{k},\"aw\",@progbits\n .balign 65536\n .byte 1\n" for k in range(n))
    (folder / "a.s").write_text(text)
    clang = os.environ.get("CC", "clang-19")
    subprocess.run([clang, "--target=bpf", "-c", "a.s"], cwd=folder, check=True)
    return ["bpfskel", folder / "a.o", *options, "-o", folder / "out.h"]


def variables(n, folder, *options):
    """n variables of an unnamed struct with n members, whose layout is C's but for the last one."""
    members = "".join(f"int m{k};" for k in range(n))
    text = f"struct {{ {members} struct {{ char a; int b; }} __attribute__((packed)) last; }}"
    text += ",".join(f" v{k}" for k in range(n)) + ";\n"
    license = "char LICENSE[] __attribute__((section(\"license\"))) = \"GPL\";"
    return ["bpfskel", compiled(folder, "a", text + license), *options, "-o", folder / "out.h"]


def uleb(number):
    more = bytes([number & 0x7F | (0x80 if number > 0x7F else 0)])
    return more + uleb(number >> 7) if number > 0x7F else more


def dwarf(n, folder, kind):
    """Entries of DWARF that cost more than their bytes: n of each, with what n bytes of other sections say of them."""
    def abbreviation(code, tag, *words, has_children=0):
        return b"".join(map(uleb, (code, tag, has_children, *words))) + b"\0\0"

    def unit(entries, *more):
        body = struct.pack("<HIB", 4, 0, 8) + b"\1" + b"".join(more) + entries + b"\0"
        return struct.pack("<I", len(body)) + body

    flag, string, line_string, list_at = 0x19, 0x0E, 0x1F, 0x17
    begin, more = abbreviation(1, 0x11, has_children=1), {}
    text = b"c" * n + b"\0"
    numbers = [struct.pack("<I", k) for k in range(0, n, 5)]
    if kind == "attributes":  # one attribute n / 2 times, of no bytes
        made, info = abbreviation(2, 0x16, *(0x3F, flag) * (n // 2)), unit(b"\2" * n)
    elif kind == "line-strings":
        made, info = abbreviation(2, 0x16, 3, line_string), unit(b"".join(b"\2" + number for number in numbers))
        more[".debug_line_str"] = text
    elif kind == "producers":
        begin, made = abbreviation(1, 0x11, 0x25, string, has_children=1), abbreviation(2, 0x16)
        info = unit(b"\2", bytes(4)) * (n // 20)
        more[".debug_str"] = text
    elif kind == "abbreviations":  # whose numbers would be in one bucket of a hash table
        buckets = (10273, 20753, 42043, 85229)[(n // 62500).bit_length() - 1]
        made = b"".join(abbreviation(buckets * k, 0x16) for k in range(1, n // 8))
        info = unit(b"".join(uleb(buckets * (k % (n // 8 - 2) + 1)) for k in range(n // 5)))
    elif kind == "lists":  # of places that say nothing
        made = abbreviation(2, 0x2E, 3, 8, has_children=1) + abbreviation(3, 5, 3, 8, 2, list_at)
        info = unit((b"\2f\0" + (b"\3a\0" + bytes(4)) * 6 + b"\0") * (n // 46))
        more[".debug_loc"] = (struct.pack("<QQH", 1, 2, 0)) * (n // 18)
    elif kind == "compressed":
        made, info = abbreviation(2, 0x24), unit(b"\2" * n)
    else:  # a table of relocations n / 64 times
        made, info = abbreviation(2, 0x16), unit(b"\2" * n)
    more |= {".debug_info": info, ".debug_abbrev": begin + made + b"\0"}
    image = folder / "dwarf.o"
    for name, contents in more.items():
        (folder / name).write_bytes(contents)
    (folder / "a.c").write_text("int f(int x) { return x; }")
    subprocess.run(["gcc", "-c", "a.c"], cwd=folder, check=True)
    subprocess.run(["llvm-objcopy-19", *(f"--add-section={name}={folder / name}" for name in more), folder / "a.o", image],
                   check=True)
    if kind == "compressed":
        subprocess.run(["llvm-objcopy-19", "--compress-debug-sections=zlib", image], check=True)
    if kind == "tables":
        bytes_ = bytearray(image.read_bytes())
        (table,), (number,) = struct.unpack_from("<Q", bytes_, 0x28), struct.unpack_from("<H", bytes_, 0x3C)
        headers = [bytes(bytes_[table + 64 * k:][:64]) for k in range(number)]
        info_at = next(k for k in range(number) if headers[k][32:40] == struct.pack("<Q", len(info)))
        empty = struct.pack("<IIQQQQIIQQ", 0, 4, 0, 0, 64, 0, 0, info_at, 8, 24)
        struct.pack_into("<Q", bytes_, 0x28, len(bytes_))
        struct.pack_into("<H", bytes_, 0x3C, number + n // 64)
        image.write_bytes(bytes_ + b"".join(headers) + empty * (n // 64))
    return ["btfdedup", "--dwarf", image, "-o", folder / "out"]


FAMILIES = {
    "sections": (200, sections),
    "sections-gc": (200, lambda n, d: sections(n, d, "--gc-sections")),
    "sections-all": (200, lambda n, d: sections(n, d, "--gc-sections", "--prune-types", "--print-sizes",
                                                "--json", d / "json", "--Map", d / "map")),
    "shared-code": (8000, shared_code),
    "symbol-sizes": (62500, lambda n, d: long_symbol(n, d, "--print-sizes")),
    "symbol-json": (62500, lambda n, d: long_symbol(n, d, "--json", d / "json")),
    "symbol-tables": (1000, symbol_tables),
    "member-sizes": (62500, long_member),
    "declarations": (2500, declarations),
    "duplicates": (125, duplicates),
    "mangled": (4, mangled),
    "bomb": (64, bomb),
    "banner": (15, banner),
    "nested": (128, nested),
    "archive-of-itself": (1000, archive_of_itself),
    "archive-of-one": (500, archive_of_one),
    "sources": (100, sources),
    "candidates": (500, candidates),
    "other-kind": (500, other_kind),
    "long-access": (31250, long_access),
    "shared-function": (200, shared_function),
    "shared-json": (200, lambda n, d: shared_function(n, d, "--json", d / "json", "--html", d / "html")),
    "kernels": (200, kernels),
    "aligned": (250, aligned),
    "aligned-rust": (250, lambda n, d: aligned(n, d, "--rust")),
    "variables": (1000, variables),
    "retraction": (700, lambda n, d: retraction(n, d, False)),
    "retraction-distinct": (700, lambda n, d: retraction(n, d, True)),
    "profiles": (500, lambda n, d: profiles(n, d, False)),
    "profiles-declared": (500, lambda n, d: profiles(n, d, True)),
    "name-sizes": (125000, lambda n, d: long_name(n, d, "--print-sizes", "-o", d / "out")),
    "name-explain": (125000, lambda n, d: long_name(n, d, "--explain", "int4", "-o", d / "out")),
    "name-dump": (125000, lambda n, d: long_name(n, d, "--dump", "c")),
    "tied-dump": (12500, lambda n, d: tied(n, d, "--dump", "c")),
    "tied-map": (12500, lambda n, d: tied(n, d, "--size-map", d / "map.html")),
    "kfuncs-dump": (4000, lambda n, d: kfuncs(n, d, "--dump", "c")),
    "name-sort": (5000, shared_name),
    "one-shape": (12500, one_shape),
    "module-base": (12500, lambda n, d: module(n, 1000, d)),
    "module-types": (12500, lambda n, d: module(100000, n, d)),
    **{f"dwarf-{kind}": (62500, functools.partial(dwarf, kind=kind))
       for kind in ("attributes", "line-strings", "producers", "abbreviations", "lists", "tables")},
    "dwarf-compressed": (1 << 22, functools.partial(dwarf, kind="compressed")),
    "name-dedup": (125000, lambda n, d: long_name(n, d, "-o", d / "out")),
}


def measure(command, programs):
    """Seconds of the processor, peak in megabytes, and the message where it fails."""
    with tempfile.TemporaryFile() as errors:
        limit = 4 * MAX_SECONDS
        process = subprocess.Popen([programs / command[0], *command[1:]], stdout=subprocess.DEVNULL, stderr=errors,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read(400).decode(errors="replace").strip()
    seconds = usage.ru_utime + usage.ru_stime
    return seconds, usage.ru_maxrss / 1024, process.returncode, text


def check(name, programs):
    first, make = FAMILIES[name]
    problems, before, last_status = [], None, None
    row = f"{name:20}"
    for n in (first, 2 * first, 4 * first, 8 * first):
        with tempfile.TemporaryDirectory() as folder:
            seconds, megabytes, status, text = measure(make(n, pathlib.Path(folder)), programs)
        row += f" {seconds:7.2f} s {megabytes:5.0f} MB{'' if status == 0 else ' refused'}"
        if seconds > MAX_SECONDS or megabytes > MAX_MEGABYTES:
            problems.append(f"{name} {n}: {seconds:.1f} s, {megabytes:.0f} MB")
        if status not in (0, 1, 2) or (status and "error:" not in text):
            problems.append(f"{name} {n}: status {status}: {text}")
        if status == last_status and before and seconds > max(MIN_SECONDS, MAX_GROWTH * before):
            problems.append(f"{name} {n}: {seconds / before:.1f} times the time of the half")
        before, last_status = seconds, status
    print(row, flush=True)
    if status:
        print(f"    {text}")
    return problems


def main(programs, *names):
    problems = []
    for name in names or FAMILIES:
        problems += check(name, pathlib.Path(programs))
    print("\n".join(problems))
    return bool(problems)


sys.exit(main(*sys.argv[1:]))
