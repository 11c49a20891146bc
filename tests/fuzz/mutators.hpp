// Mutators that know what they mutate: the result has the container's form and
// is wrong, if at all, in what stands inside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/elf_image.hpp"
#include "tests/fuzz/random.hpp"

// libFuzzer's own mutations of bytes.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace bpflink::fuzz {

/// libFuzzer's mutations, growing by a few bytes at most.
void mutate_bytes(Bytes& bytes);

/// A blob of BTF: words of types, whole types, strings, the header.
void mutate_btf(Bytes& blob, Random& random);

/// A 4-byte word of a blob, as .BTF.ext consists of.
void mutate_word(Bytes& blob, std::endian order, Random& random);

/// An object: section headers and contents, symbols, relocations, BTF. Any
/// other file is mutated byte by byte.
void mutate_elf(Bytes& file, Random& random);

/// Copies `bytes` to `data` if they fit, and returns how many there are then.
size_t give_back(const Bytes& bytes, uint8_t* data, size_t old_size, size_t max_size);

}  // namespace bpflink::fuzz
