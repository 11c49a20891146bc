// Mutators that know the format of their input: the result keeps the container's format, and only
// the contents may be malformed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/elf_image.hpp"
#include "tests/fuzz/random.hpp"

// libFuzzer's own mutations of bytes
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace bpflink::fuzz {

/// libFuzzer's mutations, which grow the input by a few bytes at most.
void mutate_bytes(Bytes& bytes);

/// Mutates a BTF blob: words of types, whole types, strings, the header.
void mutate_btf(Bytes& blob, Random& random);

/// Mutates a 4-byte word of a blob, such as .BTF.ext.
void mutate_word(Bytes& blob, std::endian order, Random& random);

/// Mutates an object: section headers and contents, symbols, relocations, BTF. Mutates any other
/// file byte by byte.
void mutate_elf(Bytes& file, Random& random);

/// Mutates what an object's headers and tables claim, but not the bytes: see mutate_ranges.cpp.
void mutate_ranges(Bytes& file, Random& random);

}  // namespace bpflink::fuzz
