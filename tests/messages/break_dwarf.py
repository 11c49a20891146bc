"""Breaks the DWARF of an object and links it with one that its types conflict with.

break_dwarf.py BPFLINK OTHER OBJECT
"""
import random
import struct
import subprocess
import sys

bpflink, other, path = sys.argv[1:]
image = open(path, "rb").read()
headers, = struct.unpack_from("<Q", image, 0x28)
count, names = struct.unpack_from("<HH", image, 0x3C)
SIZE_OF_HEADER, SIZE_FIELD = 64, 0x20


def header(index):
    return struct.unpack_from("<IIQQQQ", image, headers + SIZE_OF_HEADER * index)


def name(index):
    at = header(names)[4] + header(index)[0]
    return image[at:image.index(b"\0", at)].decode()


def link(changed):
    with open("broken.o", "wb") as file:
        file.write(changed)
    result = subprocess.run([bpflink, other, "broken.o", "-o", "out.o"], capture_output=True,
                            timeout=20)
    message = result.stderr.decode(errors="replace")
    if result.returncode != 1 or "error: conflicting types of 'v'" not in message \
            or "\n>>> they differ at v\n" not in message:
        sys.exit(f"{where}: exit status {result.returncode}: {message}")


random.seed(1)
broken = 0
for index in range(count):
    where = name(index)
    _, kind, _, _, begin, size = header(index)
    if not where.startswith(".debug_") or kind != 1:  # SHT_PROGBITS
        continue
    for _ in range(40):
        changed = bytearray(image)
        for _ in range(random.choice([1, 1, 3])):
            value = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
            changed[begin + random.randrange(size)] = value
        link(changed)
    for _ in range(12):
        changed = bytearray(image)
        field = headers + SIZE_OF_HEADER * index + SIZE_FIELD
        struct.pack_into("<Q", changed, field, random.randrange(size))
        link(changed)
    broken += 1
if broken < 4:
    sys.exit(f"only {broken} sections of DWARF")
