// Files of LLVM bitcode, without LLVM.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bpflink::lto {

/// Whether a file is LLVM's assembly ("a.ll"): text that begins, behind comments, as LLVM's does.
bool is_text(std::span<const std::byte> file);

/// Whether a file is that, or bitcode, raw or behind the wrapper header that some compilers write.
bool is_bitcode(std::span<const std::byte> file);

/// Whether the bitcode of a file ends within a block, or before the last one.
bool is_cut_off(std::span<const std::byte> file);

/// What made the bitcode, such as "LLVM19.1.7" or "LLVM22.1.0-rust-1.97.0-stable", as its
/// identification block says (LLVM Bitcode File Format, "IDENTIFICATION_BLOCK Contents"); "" if it
/// says nothing.
std::string producer_of(std::span<const std::byte> bitcode);

/// The major version in the name of a producer; 0 if there is none.
unsigned version_of_producer(const std::string& producer);

}  // namespace bpflink::lto
