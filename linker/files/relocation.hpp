// The relocation types of BPF, and how they change bytes. Specification: the kernel's
// Documentation/bpf/llvm_reloc.rst.
#pragma once

#include <elf.h>

#include <optional>
#include <string_view>

#include "linker/facts/insn.hpp"

// Not in the <elf.h> of every libc.
#ifndef EM_BPF
#define EM_BPF 247
#endif
#undef R_BPF_NONE
#undef R_BPF_64_64
#undef R_BPF_64_32

namespace bpflink {

enum RelocationType : uint32_t {
  R_BPF_NONE = 0,
  R_BPF_64_64 = 1,        ///< ld_imm64: S + A in the immediate, 32 bits
  R_BPF_64_ABS64 = 2,     ///< data: S + A, 64 bits
  R_BPF_64_ABS32 = 3,     ///< data: S + A, 32 bits
  R_BPF_64_NODYLD32 = 4,  ///< .BTF and .BTF.ext: S + A, 32 bits
  R_BPF_64_32 = 10,       ///< call: (S + A) / 8 - 1 in the immediate
};

/// A relocation of an input section, with its addend from the entry (RELA) or the bytes (REL).
struct Relocation {
  uint64_t offset;  ///< bytes into the section
  int64_t addend;   ///< bytes, also for calls
  uint32_t type;
  uint32_t symbol;  ///< index into the object's symbol table
};

/// The name of a type that the linker knows.
inline std::string_view relocation_name(uint32_t type) {
  switch (type) {
    case R_BPF_64_64:
      return "R_BPF_64_64";
    case R_BPF_64_ABS64:
      return "R_BPF_64_ABS64";
    case R_BPF_64_ABS32:
      return "R_BPF_64_ABS32";
    case R_BPF_64_NODYLD32:
      return "R_BPF_64_NODYLD32";
    case R_BPF_64_32:
      return "R_BPF_64_32";
    default:
      return "R_BPF_NONE";
  }
}

/// The bytes from its offset that a relocation needs, or nothing for an unknown type.
inline std::optional<uint64_t> relocation_extent(uint32_t type) {
  switch (type) {
    case R_BPF_NONE:
      return 0;
    case R_BPF_64_64:
      return 2 * insn_size;
    case R_BPF_64_32:
      return insn_size;
    case R_BPF_64_ABS64:
      return 8;
    case R_BPF_64_ABS32:
    case R_BPF_64_NODYLD32:
      return 4;
    default:
      return std::nullopt;
  }
}

/// The addend of a REL relocation, from the relocation_extent() bytes at its offset.
inline int64_t load_addend(uint32_t type, const std::byte* at, std::endian order) {
  switch (type) {
    case R_BPF_64_64:
      return load_insn(at, order).imm;
    case R_BPF_64_32:
      return (int64_t{load_insn(at, order).imm} + 1) * int64_t{insn_size};
    case R_BPF_64_ABS64:
      return load<int64_t>(at, order);
    case R_BPF_64_ABS32:
    case R_BPF_64_NODYLD32:
      return load<int32_t>(at, order);
    default:
      return 0;
  }
}

/// Writes an addend where load_addend() reads it. False if it does not fit.
[[nodiscard]] inline bool store_addend(uint32_t type, std::byte* at, int64_t addend,
                                       std::endian order) {
  auto fits_32_bits = [](int64_t value) {
    return value >= INT32_MIN && value <= int64_t{UINT32_MAX};
  };
  switch (type) {
    case R_BPF_64_64:
      if (!fits_32_bits(addend)) return false;
      store_imm(at, static_cast<int32_t>(addend), order);
      return true;
    case R_BPF_64_32: {
      int64_t imm = addend / int64_t{insn_size} - 1;
      if (addend % int64_t{insn_size} != 0 || imm < INT32_MIN || imm > INT32_MAX) return false;
      store_imm(at, static_cast<int32_t>(imm), order);
      return true;
    }
    case R_BPF_64_ABS64:
      store<int64_t>(at, addend, order);
      return true;
    case R_BPF_64_ABS32:
    case R_BPF_64_NODYLD32:
      if (!fits_32_bits(addend)) return false;
      store<int32_t>(at, static_cast<int32_t>(addend), order);
      return true;
    default:
      return true;
  }
}

}  // namespace bpflink
