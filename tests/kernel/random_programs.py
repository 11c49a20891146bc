#!/usr/bin/env python3
"""Writes random programs of several files, which a native linker can link as well.

    random_programs.py SEED FILES [rust]

Writes f0.c, f1.c and so on, and native.c, which runs every program as the kernel would and prints
checks for bpf_run; with `rust` one more file, rust.rs. The files share variables and functions in
every way that a linker must support: static ones of the same names, before and after those that call
them, externs in both directions, weak definitions in several files, sections of several names, all
alignments, tables, strings and switch statements, whose tables compilers put where constants of equal
size are merged. Functions of a level call only lower levels, so that call chains are short and end.

The sources need bpf_helpers.h's macros SEC, __weak, __noinline and __hidden. A compiler that calls memcmp
instead of comparing gets another macro EQUAL, and CONF is the section of constants.
"""
import random
import sys

LEVELS = 3
# Rust's names of C's types
TYPES = {"unsigned": "u32", "unsigned char": "u8", "unsigned short": "u16", "unsigned long long": "u64"}
MACROS = """#ifndef EQUAL
#define EQUAL(a, b, size) (!__builtin_memcmp(a, b, size))
#endif
#ifndef CONF
#define CONF SEC(".rodata.conf")
#endif
struct pair { unsigned a, b; };
"""
# Functions of whose bodies a compiler that sees them knows more than callers may: parameters, body, arguments
SHAPES = {"unused": ("unsigned x, unsigned y", "return x + common0;", "x, sum"),
          "returned": ("unsigned x", "++table[2]; return x;", "sum & 3"),
          "constant": ("unsigned x", "table[3] ^= x; return 77;", "x"),
          "reads": ("const struct pair *p", "return p ? p->b * 3 : 1;", "&(struct pair){x, sum}"),
          "writes": ("struct pair *p, unsigned x", "if (p && x & 1) p->a = x; return 5;", "&(struct pair){x, 2}, sum"),
          "value": ("struct pair p", "return p.a ^ table[p.b & 3];", "(struct pair){x, sum}")}
WORDS = ["accept", "drop", "redirect", "pass", "abort"]  # few, so that files have equal ones


class Variable:
    def __init__(self, name, kind, is_const):
        self.name, self.kind, self.is_const = name, kind, is_const

    def declaration(self):
        return f"extern {'const volatile ' if self.is_const else ''}{self.kind} {self.name};"


class CFile:
    """A file in C, with the static functions that only it has. Each makes its own kind of data."""

    def __init__(self, name, rand):
        self.name, self.rand = name, rand
        self.lines, self.later, self.declared, self.helpers = [], [], set(), []

    def declare(self, text):
        if text not in self.declared:
            self.declared.add(text)
            self.lines.append(text)

    def define(self, variable, text):
        self.lines.append(text)
        self.declared.add(variable.declaration())

    def add_helper(self, name, data, body):
        """A static function, defined here or at the end of the file."""
        self.lines += data
        head = f"static __noinline unsigned {name}(unsigned x)"
        if self.rand.random() < 0.5:
            self.lines.append(f"{head};")
            self.later.append(f"{head} {body}")
        else:
            self.lines.append(f"{head} {body}")
        self.helpers.append(name)

    def add_helpers(self):
        rand = self.rand
        kind = rand.choice(list(TYPES))
        self.lines.append(f"static volatile {kind} table[4] = {{{numbers(rand, 4, 99)}}};")
        if rand.random() < 0.5:
            zero = f"static volatile {rand.choice(list(TYPES))} zero[{rand.randint(1, 3)}];"
            self.add_helper("bump", [zero], "{ return x + ++zero[0]; }")
        else:
            self.add_helper("bump", [], "{ return x + ++table[1]; }")
        for add in rand.sample([self.add_choice, self.add_words, self.add_box, self.add_fixed, self.add_long],
                               rand.randint(1, 4)):
            add()

    def add_choice(self):
        """A switch that only returns constants becomes a table: of 4 to 32 bytes, some with padding."""
        index, count = self.rand.choice([("x & 3", 4), ("(x & 3) + (x >> 2 & 1)", 5),
                                         ("(x & 3) + (x >> 2 & 3)", 7), ("x & 7", 8)])
        if self.rand.random() < 0.05:
            index = "x & 15"  # gcc checks a copy of the index, which the verifier cannot follow
        largest = self.rand.choice([200, 60000, 4000000000])
        cases = " ".join(f"case {n}: return {self.rand.randint(0, largest)};" for n in range(count))
        self.add_helper("choice", [], f"{{ switch ({index}) {{ {cases} }} return {self.rand.randint(0, 9)}; }}")

    def add_words(self):
        word, other = self.rand.sample(WORDS, 2)
        self.add_helper("letter", [], f'{{ return "{word}"[x & 3] * 5 + "{other}"[(x >> 1) & 3]; }}')

    def add_fixed(self):
        kind = self.rand.choice(list(TYPES))
        self.add_helper("fixed", [f"static const {kind} fix[8] = {{{numbers(self.rand, 8, 250)}}};"],
                        f"{{ return fix[x & 7] + fix[(x + {self.rand.randint(1, 7)}) & 7]; }}")

    def add_box(self):
        """Structs that are copied, filled and compared, for which compilers have built-in functions."""
        words = self.rand.randint(2, 6)
        some, other = self.rand.randrange(words), self.rand.randrange(words)
        size = 4 * self.rand.randint(1, words)
        self.add_helper(
            "pack", [f"struct box {{ unsigned w[{words}]; }};",
                     f"static struct box box = {{{{{numbers(self.rand, words, 999)}}}}};"],
            f"{{ struct box a = box, b; __builtin_memset(&b, {self.rand.randint(0, 255)}, sizeof b);"
            f" a.w[{some}] += x; b.w[{other}] ^= x; unsigned sum = a.w[{other}] + b.w[{some}];"
            f" if (EQUAL(&a, &box, {size})) sum += 7;"
            f" __builtin_memcpy(&box, &{self.rand.choice('ab')}, {size}); return sum; }}")

    def add_long(self):
        """Moves what follows it by a random distance."""
        steps = " ".join(f"v += {self.rand.randint(1, 9)};" for _ in range(self.rand.randint(1, 30)))
        self.add_helper("steps", [], f"{{ volatile unsigned v = x; {steps} return v; }}")

    def local_terms(self):
        rand = self.rand
        return [f"table[x & 3] * {rand.randint(1, 9)}", "x"] + [
            f"{h}({rand.choice(['x', str(rand.randint(1, 9)), 'sum'])})"
            for h in rand.sample(self.helpers, min(2, len(self.helpers)))]

    def use(self, variable):
        self.declare(variable.declaration())
        terms = [variable.name]
        if not variable.is_const and self.rand.random() < 0.5:
            terms.append(f"++{variable.name}")
        return terms

    def call(self, function, argument):
        self.declare(f"unsigned {function}(unsigned x);")
        return f"{function}({argument})"

    def add_shape(self, name, shape):
        """A struct by value is what kernels refuse of a function that they check alone."""
        attributes = "__hidden " if shape == "value" else self.rand.choice(["", "", "__hidden ", "__weak "])
        self.declare("extern unsigned common0;")
        self.lines.append(f"{attributes}__noinline unsigned {name}({SHAPES[shape][0]}) {{ {SHAPES[shape][1]} }}")

    def add_function(self, name, terms, attributes=""):
        text = body(self.rand, "unsigned sum = {};", terms, "return sum;")
        self.lines.append(f"{attributes}__noinline unsigned {name}(unsigned x) {text}")
        self.declared.add(f"unsigned {name}(unsigned x);")

    def add_program(self, number, terms):
        start = f"unsigned x = {self.rand.randint(0, 3)};\n  unsigned sum = {{}};"
        section = self.rand.choice(["socket", "socket", "tc", "xdp"])
        self.lines.append(f'SEC("{section}") unsigned prog{number}(void *ctx) '
                          + body(self.rand, start, terms, "return sum;"))

    def write(self):
        with open(self.name, "w") as out:
            out.write(MACROS + "\n".join(self.lines + self.later) + "\n")


class RustFile:
    """A file in Rust with the same interface, for the compiler's own core and without panics."""

    def __init__(self, name, rand):
        self.name, self.rand, self.externs, self.lines = name, rand, {}, []

    def define(self, variable, value):
        kind = TYPES[variable.kind]
        self.lines.append(f"#[no_mangle] pub static mut {variable.name}: {kind} = {value};")
        self.externs[variable.name] = None

    def add_helpers(self):
        values = numbers(self.rand, 4, 99)
        cases = ", ".join(f"{n} => {self.rand.randint(0, 4000000000)}" for n in range(self.rand.choice([4, 7, 8])))
        self.lines += [
            f"static mut TABLE: [u32; 4] = [{values}];",
            "#[inline(never)] fn bump(x: u32) -> u32 { unsafe { let at = addr_of_mut!(TABLE[1]);"
            " write_volatile(at, read_volatile(at).wrapping_add(1)); x.wrapping_add(read_volatile(at)) } }",
            f"#[inline(never)] fn choice(x: u32) -> u32 {{ match x & 15 {{ {cases}, _ => 5 }} }}"]

    def local_terms(self):
        return ["read_volatile(addr_of!(TABLE[(x & 3) as usize]))", "x", f"bump({self.rand.randint(1, 9)})",
                self.rand.choice(["choice(x)", "choice(sum)"])]

    def use(self, variable):
        kind = TYPES[variable.kind]
        if variable.name not in self.externs:
            self.externs[variable.name] = f"static mut {variable.name}: {kind};"
        terms = [f"read_volatile(addr_of!({variable.name})) as u32"]
        if not variable.is_const and self.rand.random() < 0.5:
            at = f"addr_of_mut!({variable.name})"
            terms.append(f"{{ let n = read_volatile({at}).wrapping_add(1); write_volatile({at}, n); n as u32 }}")
        return terms

    def call(self, function, argument):
        self.externs.setdefault(function, f"fn {function}(x: u32) -> u32;")
        return f"{function}({argument})"

    def add_function(self, name, terms):
        text = body(self.rand, "let mut sum: u32 = {};", terms, "return sum;",
                    {"+=": "sum = sum.wrapping_add({});", "-=": "sum = sum.wrapping_sub({});", "^=": "sum ^= {};"})
        self.externs[name] = None
        self.lines.append(f'#[no_mangle] #[inline(never)] pub unsafe extern "C" fn {name}(x: u32) -> u32 {text}')

    def write(self):
        externs = "\n".join(text for text in self.externs.values() if text)
        with open(self.name, "w") as out:
            out.write("#![no_std]\n#![no_main]\n#![allow(warnings)]\n"
                      "use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};\n"
                      "#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n"
                      f'extern "C" {{\n{externs}\n}}\n' + "\n".join(self.lines) + "\n")


def numbers(rand, count, largest):
    return ", ".join(str(rand.randint(1, largest)) for _ in range(count))


def body(rand, start, terms, end, statements=None):
    statements = statements or {sign: f"sum {sign} {{}};" for sign in ("+=", "^=", "-=")}
    rand.shuffle(terms)
    lines = [start.format(rand.randint(0, 9))]
    lines += [statements[rand.choice(list(statements))].format(t) for t in terms]
    return "{\n  " + "\n  ".join(lines + [end]) + "\n}"


def main(seed, count, with_rust=""):
    rand = random.Random(seed)
    files = [CFile(f"f{n}.c", rand) for n in range(count)]
    every = files + ([RustFile("rust.rs", rand)] if with_rust else [])
    variables = []
    functions = [[] for _ in range(LEVELS + 1)]  # by level: names

    for n, f in enumerate(files):
        for k in range(rand.randint(1, 3)):
            section = rand.choice(["", "", 'SEC(".data.hot") ', 'CONF const volatile '])
            variable = Variable(f"g{n}_{k}", rand.choice(list(TYPES)), "const" in section)
            value = rand.choice([0, rand.randint(1, 200)]) if not section else rand.randint(1, 200)
            align = rand.choice(["", "", "", " __attribute__((aligned(32)))"])
            f.define(variable, f"{section}{variable.kind} {variable.name}{align} = {value};")
            variables.append(variable)
    if with_rust:
        variables.append(Variable("g_rust", rand.choice(list(TYPES)), False))
        every[-1].define(variables[-1], rand.choice([0, rand.randint(1, 200)]))
    for f in every:
        f.add_helpers()

    for k in range(rand.randint(1, 3)):  # weak variables, in one file perhaps strong
        owners = rand.sample(files, rand.randint(1, count))
        strong = rand.choice(owners) if rand.random() < 0.5 else None
        # as takes w0 for a register
        variable = Variable(f"common{k}", "unsigned", False)
        for f in owners:
            f.define(variable, f"{'' if f is strong else '__weak '}unsigned common{k} = {rand.randint(1, 500)};")
        variables.append(variable)

    shapes = []
    for n, f in enumerate(files):
        for shape in rand.sample(list(SHAPES), 2):
            f.add_shape(f"{shape}{n}", shape)
            shapes.append((f"{shape}{n}", shape, f))

    def terms(f, level):
        found = f.local_terms()
        others = [named for named in shapes if named[2] is not f]  # within a file, clang uses what it knows
        if f in files and others:
            name, shape, _ = rand.choice(others)
            f.declare(f"unsigned {name}({SHAPES[shape][0]});")
            found.append(f"{name}({SHAPES[shape][2]})")
        for variable in rand.sample(variables, 2):
            found += f.use(variable)
        for below in rand.sample(functions[level - 1], min(2, len(functions[level - 1]))):
            found.append(f.call(below, f"x ^ {rand.randint(1, 7)}"))
        return found

    for level in range(1, LEVELS + 1):
        for n, f in enumerate(files):
            hidden = rand.choice(["", "", "__hidden "])
            f.add_function(f"f{n}_{level}", terms(f, level), hidden)
            functions[level].append(f"f{n}_{level}")
        if with_rust:
            every[-1].add_function(f"rust_{level}", terms(every[-1], level))
            functions[level].append(f"rust_{level}")
        owners = rand.sample(files, rand.randint(1, count))
        strong = rand.choice(owners) if rand.random() < 0.5 else None
        for f in owners:
            f.add_function(f"weak_{level}", terms(f, level), "" if f is strong else "__weak ")
        functions[level].append(f"weak_{level}")

    for n, f in enumerate(files):
        f.add_program(n, terms(f, LEVELS + 1))
    for f in every:
        f.write()

    with open("native.c", "w") as out:
        out.write("#include <stdio.h>\n")
        out.writelines(f"unsigned prog{n}(void *);\n" for n in range(count))
        out.writelines(variable.declaration() + "\n" for variable in variables)
        out.write("int main(void) {\n")
        for n in list(range(count)) * 2:
            out.write(f'  printf("prog{n}()=%u\\n", prog{n}(0));\n')
        for variable in variables:
            out.write(f'  printf("{variable.name}=%llu\\n", (unsigned long long){variable.name});\n')
        out.write("}\n")


main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
