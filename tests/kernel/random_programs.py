#!/usr/bin/env python3
"""Writes random C programs of several files, which a native linker can link as well.

    random_programs.py SEED FILES

Writes f0.c, f1.c and so on, and native.c, which runs every program as the kernel would and prints
checks for bpf_run. The files share variables and functions in every way that a linker must
support: static ones of the same names, externs in both directions, weak definitions in several
files, sections of several names, all alignments. Functions of a level call only lower levels, so
that call chains are short and end.
"""
import random
import sys

LEVELS, TYPES = 3, ["unsigned", "unsigned char", "unsigned short", "unsigned long long"]


class File:
    def __init__(self, number):
        self.number = number
        self.lines = []
        self.declared = set()

    def declare(self, text):
        if text not in self.declared:
            self.declared.add(text)
            self.lines.append(text)


def main(seed, count):
    rand = random.Random(seed)
    files = [File(n) for n in range(count)]
    variables = []  # (declaration, name) of globals
    functions = [[] for _ in range(LEVELS + 1)]  # by level: names

    for f in files:
        for k in range(rand.randint(1, 3)):
            section = rand.choice(["", "", 'SEC(".data.hot") ', 'SEC(".rodata.conf") const volatile '])
            const = "const volatile " if "const" in section else ""
            kind, name = rand.choice(TYPES), f"g{f.number}_{k}"
            value = rand.choice([0, rand.randint(1, 200)]) if not section else rand.randint(1, 200)
            f.lines.append(f"{section}{kind} {name} = {value};")
            f.declared.add(f"extern {const}{kind} {name};")
            variables.append((f"extern {const}{kind} {name};", name))
        f.lines.append(f"static volatile {rand.choice(TYPES)} table[4] = "
                       f"{{{', '.join(str(rand.randint(1, 99)) for _ in range(4))}}};")
        if rand.random() < 0.5:
            f.lines.append(f"static volatile {rand.choice(TYPES)} zero[{rand.randint(1, 3)}];")
            f.lines.append("static __noinline unsigned bump(unsigned x) { return x + ++zero[0]; }")
        else:
            f.lines.append("static __noinline unsigned bump(unsigned x) { return x + ++table[1]; }")

    for k in range(rand.randint(1, 3)):  # weak variables, in one file perhaps strong
        owners = rand.sample(files, rand.randint(1, count))
        strong = rand.choice(owners) if rand.random() < 0.5 else None
        for f in owners:
            f.lines.append(f"{'' if f is strong else '__weak '}unsigned w{k} = {rand.randint(1, 500)};")
            f.declared.add(f"extern unsigned w{k};")
        variables.append((f"extern unsigned w{k};", f"w{k}"))

    def body(f, level):
        terms = [f"table[x & 3] * {rand.randint(1, 9)}", f"bump({rand.randint(1, 9)})", "x"]
        for declaration, name in rand.sample(variables, 2):
            f.declare(declaration)
            terms.append(name)
            if "const" not in declaration and rand.random() < 0.5:
                terms.append(f"++{name}")
        for below in rand.sample(functions[level - 1], min(2, len(functions[level - 1]))):
            f.declare(f"unsigned {below}(unsigned x);")
            terms.append(f"{below}(x ^ {rand.randint(1, 7)})")
        rand.shuffle(terms)
        lines = [f"  unsigned sum = {rand.randint(0, 9)};"]
        lines += [f"  sum {rand.choice(['+=', '^=', '-='])} {t};" for t in terms]
        return "{\n" + "\n".join(lines) + "\n  return sum;\n}"

    for level in range(1, LEVELS + 1):
        for f in files:
            name = f"f{f.number}_{level}"
            text = body(f, level)
            f.lines.append(f"__noinline unsigned {name}(unsigned x) {text}")
            f.declared.add(f"unsigned {name}(unsigned x);")
            functions[level].append(name)
        owners = rand.sample(files, rand.randint(1, count))
        strong = rand.choice(owners) if rand.random() < 0.5 else None
        for f in owners:
            text = body(f, level)
            weak = "" if f is strong else "__weak "
            f.lines.append(f"{weak}__noinline unsigned weak_{level}(unsigned x) {text}")
            f.declared.add(f"unsigned weak_{level}(unsigned x);")
        functions[level].append(f"weak_{level}")

    for f in files:
        text = body(f, LEVELS + 1).replace("{", f"{{\n  unsigned x = {rand.randint(0, 3)};", 1)
        f.lines.append(f'SEC("socket") unsigned prog{f.number}(void *ctx) {text}')
        with open(f"f{f.number}.c", "w") as out:
            out.write("\n".join(f.lines) + "\n")

    with open("native.c", "w") as out:
        out.write("#include <stdio.h>\n")
        out.writelines(f"unsigned prog{n}(void *);\n" for n in range(count))
        out.writelines(declaration + "\n" for declaration, _ in variables)
        out.write("int main(void) {\n")
        for n in list(range(count)) * 2:
            out.write(f'  printf("prog{n}()=%u\\n", prog{n}(0));\n')
        for _, name in variables:
            out.write(f'  printf("{name}=%llu\\n", (unsigned long long){name});\n')
        out.write("}\n")


main(int(sys.argv[1]), int(sys.argv[2]))
