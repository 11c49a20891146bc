#!/usr/bin/env python3
"""Makes the inputs of the benchmarks: the same bytes for the same seed and compiler.

generate.py [--seed N] DIRECTORY CASE...

small        DIRECTORY/small/{main,maps}.o: a program and its maps
functions:N  DIRECTORY/functions/0000.o...: N objects of 5,000 functions and 5,000 variables
headers:N    DIRECTORY/headers/0000.o...: N objects of 5 functions and 430 types, nearly all from
             headers that the objects share
debug:N      DIRECTORY/debug/0000.o...: the same objects, each with a debug section of zeros, as large
             as the DWARF of programs with vmlinux.h
programs:N   DIRECTORY/programs/0000.o...: N programs that include the running kernel's vmlinux.h,
             with CO-RE relocations, a map and a license each
arena:MB     DIRECTORY/arena/0000.o: one object with MB megabytes of arena data
bss:MB       DIRECTORY/bss/0000.o: one object with a .bss of MB megabytes

clang is $CC or clang-19. Compiling thousands of objects would take minutes, so this compiles a few
templates only. Names that belong to one object begin with TOKEN. A copy of a template with a number
in place of the token is another object; no offset changes.
"""

import argparse
import os
import pathlib
import random
import subprocess

TOKEN = "o0000"  # as long as a name from object_name()
TEMPLATES = 8  # compiled objects that share headers
PROGRAM_TEMPLATES = 32
FUNCTIONS = 5000
STRUCTS = 87
HEADER_FUNCTIONS = 5
DEBUG_BYTES = 610_000


def object_name(number):
    return f"o{number:04}"


def compile_source(path, source, *options):
    """Compiles to `path`. Names in the debug information do not depend on the path."""
    command = [os.environ.get("CC", "clang-19"), "-g", "-O2", "--target=bpf", "-mcpu=v3",
               "-fdebug-compilation-dir=/bench", *options, "-x", "c", "-c", "-", "-o", str(path)]
    subprocess.run(command, input=source.encode(), check=True)


def derive(template, path, number):
    path.write_bytes(template.replace(TOKEN.encode(), object_name(number).encode()))


PRELUDE = """
#define SEC(name) __attribute__((section(name)))
#define __noinline __attribute__((noinline))
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
static void *(*const lookup)(void *map, const void *key) = (void *)1;
"""

MAPS = PRELUDE + """
struct value { u64 packets, bytes; };
struct { int (*type)[2]; int (*max_entries)[256]; u32 *key; struct value *value; } counters SEC(".maps");
struct { int (*type)[1]; int (*max_entries)[1024]; u64 *key; struct value *value; } flows SEC(".maps");
u64 total;
char LICENSE[] SEC("license") = "GPL";
"""

MAIN = PRELUDE + """
struct value { u64 packets, bytes; };
struct context { u32 data, data_end, meta, ifindex, queue, egress; };
extern struct { int (*type)[2]; int (*max_entries)[256]; u32 *key; struct value *value; } counters SEC(".maps");
extern struct { int (*type)[1]; int (*max_entries)[1024]; u64 *key; struct value *value; } flows SEC(".maps");
extern u64 total;
static __noinline int count(void *map, const void *key, u32 bytes) {
  struct value *value = lookup(map, key);
  if (!value) return 0;
  value->packets++;
  value->bytes += bytes;
  return 1;
}
SEC("xdp") int pass(struct context *ctx) {
  u32 key = ctx->queue;
  u64 flow = ((u64)ctx->ifindex << 32) | ctx->queue;
  total += count(&counters, &key, ctx->data_end - ctx->data);
  return count(&flows, &flow, ctx->data_end - ctx->data) + 1;
}
"""


def make_small(directory):
    compile_source(directory / "main.o", MAIN)
    compile_source(directory / "maps.o", MAPS)


def make_functions(directory, count, _rng):
    lines = [PRELUDE]
    for i in range(FUNCTIONS):
        lines.append(f"int {TOKEN}_variable_{i} = {i + 1};")
        lines.append(f"__noinline int {TOKEN}_function_{i}(int x)"
                     f" {{ return {TOKEN}_variable_{i} {'+-*^|'[i % 5]} x; }}")
    lines.append(f'SEC("socket") int {TOKEN}_program(void *ctx) {{ return {TOKEN}_function_0(1); }}')
    path = directory / f"{0:04}.o"
    compile_source(path, "\n".join(lines))
    template = path.read_bytes()
    for number in range(1, count):
        derive(template, directory / f"{number:04}.o", number)


def make_header(rng):
    """Returns declarations, and definitions of structs, which may follow in any order."""
    declarations = [f"struct record_{i};" for i in range(STRUCTS)]
    definitions = []
    for i in range(STRUCTS):
        fields = []
        for j in range(rng.randint(3, 14)):
            other = rng.randrange(STRUCTS)
            fields.append(rng.choice([
                f"u32 count_{j};", f"u64 address_{j};", f"u8 flag_{j} : 3;", f"u16 port_{j};",
                f"struct record_{other} *next_{j};", f"const char *name_{j};",
                f"enum state_{other % 24} state_{j};", f"handle_{other % 24} handle_{j};",
                f"u8 bytes_{j}[{rng.randint(2, 40)}];",
                f"int (*call_{j})(struct record_{other} *, u64);",
                f"union {{ u64 whole; u32 half[2]; }} word_{j};"]))
        definitions.append(f"struct record_{i} {{ {' '.join(fields)} }};")
    enums = [f"enum state_{i} {{ " + ", ".join(f"STATE_{i}_{j}" for j in range(rng.randint(2, 9))) + " };"
             for i in range(24)]
    handles = [f"typedef struct record_{rng.randrange(STRUCTS)} *handle_{i};" for i in range(24)]
    return declarations + enums + handles, definitions


def make_headers(directory, count, rng, debug_bytes=0):
    first, definitions = make_header(rng)
    templates = []
    for i in range(min(TEMPLATES, count)):
        rng.shuffle(definitions)
        lines = [PRELUDE, *first, *definitions]
        # By value: of structs behind pointers, clang emits declarations only.
        lines.append(f"struct {TOKEN}_all {{ "
                     + " ".join(f"struct record_{j} r{j};" for j in rng.sample(range(STRUCTS), STRUCTS))
                     + " };")
        lines.append(f"struct {TOKEN}_all *{TOKEN}_state;")
        for j in range(HEADER_FUNCTIONS):
            record = rng.randrange(STRUCTS)
            section = 'SEC("socket") ' if j == 0 else "__noinline "
            lines.append(f"{section}int {TOKEN}_function_{j}(struct record_{record} *p)"
                         f" {{ return p ? (int)(u64)&{TOKEN}_state->r{record} : {j}; }}")
        if debug_bytes:
            lines.append('asm(".pushsection .debug_more,\\"\\",@progbits\\n'
                         f'.fill {debug_bytes}\\n.popsection");')
        path = directory / f"template_{i}.o"
        compile_source(path, "\n".join(lines))
        templates.append(path.read_bytes())
        path.unlink()
    for number in range(count):
        derive(templates[number % len(templates)], directory / f"{number:04}.o", number)


# Fields that the programs read, of types that kernels have had for long
KERNEL_FIELDS = {
    "task_struct": ["pid", "tgid", "mm, total_vm", "real_parent, pid", "files, next_fd"],
    "sk_buff": ["len", "data_len", "dev, ifindex", "mark", "sk, sk_rcvbuf"],
    "file": ["f_flags", "f_pos", "f_inode, i_ino"],
    "inode": ["i_ino", "i_size", "i_sb, s_magic"],
    "sock": ["sk_rcvbuf", "sk_sndbuf", "sk_socket, state"],
    "dentry": ["d_inode, i_ino", "d_parent, d_flags"],
    "net_device": ["ifindex", "mtu", "flags"],
    "mm_struct": ["total_vm", "start_code", "exe_file, f_flags"],
    "super_block": ["s_magic", "s_dev"],
    "linux_binprm": ["argc", "file, f_flags"],
}


def make_program(rng):
    lines = ['#include "vmlinux.h"', "#include <bpf/bpf_helpers.h>", "#include <bpf/bpf_core_read.h>",
             f"struct {TOKEN}_event {{ u64 sum; u32 pid; char comm[16]; u64 values[{rng.randint(1, 8)}]; }};",
             "struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, u32);"
             f" __type(value, struct {TOKEN}_event); }} {TOKEN}_events SEC(\".maps\");"]
    for i, name in enumerate(rng.sample(sorted(KERNEL_FIELDS), rng.randint(2, 4))):
        lines.append(f'SEC("kprobe/{TOKEN}_{i}") int {TOKEN}_program_{i}(struct pt_regs *ctx) {{'
                     f" struct {name} *p = (void *)bpf_get_current_task(); u32 key = {i};"
                     f" struct {TOKEN}_event *event = bpf_map_lookup_elem(&{TOKEN}_events, &key);"
                     " if (!event) return 0; event->pid = bpf_get_current_pid_tgid() >> 32;")
        lines += [f"  event->sum += (u64)BPF_CORE_READ(p, {field});"
                  for field in rng.sample(KERNEL_FIELDS[name], 2)]
        lines.append("  return 0; }")
    lines.append('char LICENSE[] SEC("license") = "GPL";')
    return "\n".join(lines)


def make_programs(directory, count, rng):
    header = directory / "vmlinux.h"
    with header.open("w") as file:
        subprocess.run(["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c"],
                       stdout=file, check=True)
    templates = []
    for i in range(min(PROGRAM_TEMPLATES, count)):
        path = directory / "template.o"
        compile_source(path, make_program(rng), f"-I{directory}")
        templates.append(path.read_bytes())
        path.unlink()
    header.unlink()
    for number in range(count):
        derive(templates[number % len(templates)], directory / f"{number:04}.o", number)


def make_arena(directory, megabytes):
    """Fills the array's bytes afterwards; none is 0."""
    path, size, mark = directory / "0000.o", megabytes << 20, b"arena data begins"
    compile_source(path, f'__attribute__((address_space(1))) char all[{size}] = "{mark.decode()}";')
    with path.open("r+b") as file:
        begin = file.read().index(mark)
        file.seek(begin)
        for _ in range(megabytes):
            file.write(bytes(i % 255 + 1 for i in range(1 << 10)) * (1 << 10))


def make_bss(directory, megabytes):
    compile_source(directory / "0000.o", f"char all[{megabytes}][1 << 20];")


def main():
    parser = argparse.ArgumentParser(usage="generate.py [--seed N] DIRECTORY CASE...")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("cases", nargs="+")
    arguments = parser.parse_args()
    for case in arguments.cases:
        kind, _, size = case.partition(":")
        directory = arguments.directory / kind
        directory.mkdir(parents=True, exist_ok=True)
        rng = random.Random(arguments.seed)
        if kind == "small":
            make_small(directory)
        elif kind == "functions":
            make_functions(directory, int(size), rng)
        elif kind == "headers":
            make_headers(directory, int(size), rng)
        elif kind == "debug":
            make_headers(directory, int(size), rng, DEBUG_BYTES)
        elif kind == "programs":
            make_programs(directory, int(size), rng)
        elif kind == "arena":
            make_arena(directory, int(size))
        elif kind == "bss":
            make_bss(directory, int(size))
        else:
            parser.error(f"unknown case: {case}")


if __name__ == "__main__":
    main()
