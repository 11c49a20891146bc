#!/usr/bin/env python3
"""Makes a directory of kernels as BTFHub has them, from the BTF of a few.

    fleet.py DIRECTORY COUNT BTF...

Each is DISTRIBUTION/VERSION/ARCH/RELEASE.btf.tar.xz. It has the types of one of the BTF files, and 300
structs of its own: a member, and those after it, are 8 bytes further on, as other versions have them.
"""
import io
import lzma
import multiprocessing
import os
import random
import struct
import sys
import tarfile

WORDS = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0), 15: (0, 12),
         17: (4, 0), 19: (0, 12)}  # bytes after the common ones, and for each element
CHANGED = 300


class Blob:
    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        header, types, size = struct.unpack_from("<III", self.bytes, 4)
        self.structs = []
        at, end = header + types, header + types + size
        while at < end:
            _, info, _ = struct.unpack_from("<III", self.bytes, at)
            kind, count = info >> 24 & 31, info & 0xffff
            if kind == 4 and count > 1 and not info >> 31:
                self.structs.append((at, count))
            fixed, element = WORDS.get(kind, (0, 0))
            at += 12 + fixed + element * count

    def variant(self, seed):
        numbers = random.Random(seed)
        changed = bytearray(self.bytes)
        for at, count in numbers.sample(self.structs, CHANGED):
            size, = struct.unpack_from("<I", changed, at + 8)
            struct.pack_into("<I", changed, at + 8, size + 8)
            for i in range(numbers.randrange(count), count):
                place = at + 12 + 12 * i + 8
                offset, = struct.unpack_from("<I", changed, place)
                struct.pack_into("<I", changed, place, offset + 64)
        return bytes(changed)


def make(job):
    directory, number = job
    blob = blobs[number % len(blobs)]
    folder = f"{directory}/distribution{number % 7}/{number % 3}/x86_64"
    release = f"{4 + number % 3}.{number % 20}.0-{number}-generic"
    os.makedirs(folder, exist_ok=True)
    contents = blob.variant(number)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.GNU_FORMAT) as tar:
        member = tarfile.TarInfo(f"{release}.btf")
        member.size = len(contents)
        tar.addfile(member, io.BytesIO(contents))
    with open(f"{folder}/{release}.btf.tar.xz", "wb") as file:
        file.write(lzma.compress(archive.getvalue(), preset=int(os.environ.get("XZ_PRESET", "6"))))


if __name__ == "__main__":
    blobs = [Blob(path) for path in sys.argv[3:]]
    with multiprocessing.Pool() as pool:
        pool.map(make, [(sys.argv[1], number) for number in range(int(sys.argv[2]))], chunksize=4)
