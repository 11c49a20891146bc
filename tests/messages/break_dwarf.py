"""Damages an object's DWARF and links it with an object that its types conflict with.

break_dwarf.py BPFLINK OTHER OBJECT
"""
import random
import subprocess
import sys

import bpfobj

SHT_PROGBITS = 1
bpflink, other, path = sys.argv[1:]
image = bpfobj.Object(path)


def link(changed):
    with open("broken.o", "wb") as file:
        file.write(changed)
    result = subprocess.run([bpflink, other, "broken.o", "-o", "out.o"], capture_output=True,
                            timeout=20)
    message = result.stderr.decode(errors="replace")
    if result.returncode != 1 or "error: conflicting types of 'v'" not in message \
            or "\n>>> they differ at v\n" not in message:
        sys.exit(f"{section.name}: exit status {result.returncode}: {message}")


random.seed(1)
broken = 0
for section in image.sections:
    if not section.name.startswith(".debug_") or section.type != SHT_PROGBITS:
        continue
    for _ in range(40):
        changed = bytearray(image.raw)
        for _ in range(random.choice([1, 1, 3])):
            value = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
            changed[section.offset + random.randrange(section.size)] = value
        link(changed)
    for _ in range(12):
        editor = bpfobj.Editor(path)
        editor.set(f"header:{section.name}:sh_size={random.randrange(section.size)}")
        link(editor.bytes)
    broken += 1
if broken < 4:
    sys.exit(f"only {broken} sections of DWARF")
