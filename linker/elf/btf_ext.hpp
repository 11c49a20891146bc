// .BTF.ext of an input: func_info, line_info and core_relo, checked whole.
// Specification: btf.rst section 4.2; core_relo in llvm_reloc.rst.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "linker/elf/bytes.hpp"

namespace bpflink {

/// The known words of the records; a record may be longer.
struct FuncInfo {
  static constexpr uint32_t SIZE = 8;
  uint32_t insn_off;  ///< bytes into the section
  uint32_t type_id;   ///< a FUNC
};
struct LineInfo {
  static constexpr uint32_t SIZE = 16;
  uint32_t insn_off;
  uint32_t file_name_off;
  uint32_t line_off;
  uint32_t line_col;

  uint32_t line() const { return line_col >> 10; }
  uint32_t column() const { return line_col & 0x3ff; }
};
struct CoreRelo {
  static constexpr uint32_t SIZE = 16;
  uint32_t insn_off;
  uint32_t type_id;
  uint32_t access_str_off;
  uint32_t kind;
};

/// The `kind` of a CoreRelo whose instruction gets the type id in the program's
/// own BTF, llvm_reloc.rst: BPF_CORE_TYPE_ID_LOCAL.
inline constexpr uint32_t CORE_TYPE_ID_LOCAL = 6;

/// One of the three tables' records for one section.
struct BtfExtSection {
  uint32_t section;  ///< index of the ELF section that the records describe
  uint32_t count;
  std::span<const std::byte> records;  ///< count times the table's record size
};

/// One of the three tables.
struct BtfExtTable {
  uint32_t record_size = 0;  ///< bytes; 0 where the table is absent
  std::vector<BtfExtSection> sections;
};

/// Code that records are about.
struct CodeSection {
  uint32_t index;  ///< of the ELF section
  std::span<const std::byte> bytes;
};

class BtfExt {
 public:
  /// What parse() needs to know of the object around the section.
  struct Surroundings {
    const Btf& btf;
    std::endian order;
    /// The code section of that name.
    std::function<std::optional<CodeSection>(std::string_view)> find_section;
    /// Whether a function begins at a byte of the section with that index.
    std::function<bool(uint32_t section, uint64_t offset)> begins_function;
  };

  /// Checks `blob`, which must outlive the result. Errors: not .BTF.ext; a table,
  /// section or record outside of it; an instruction offset outside of its
  /// section or inside of an instruction; func_info where no function begins; a
  /// type id or string offset out of range. Each names the table and offset.
  static std::expected<BtfExt, Error> parse(std::span<const std::byte> blob, const Surroundings&);

  BtfExtTable func_info, line_info, core_relo;

  FuncInfo load_func_info(const std::byte* record) const {
    return {word(record, 0), word(record, 1)};
  }
  LineInfo load_line_info(const std::byte* record) const {
    return {word(record, 0), word(record, 1), word(record, 2), word(record, 3)};
  }
  CoreRelo load_core_relo(const std::byte* record) const {
    return {word(record, 0), word(record, 1), word(record, 2), word(record, 3)};
  }

  /// The line of source that the instruction at byte `offset` of ELF section
  /// `section` was made from, where line_info knows it.
  std::optional<LineInfo> find_line(uint32_t section, uint64_t offset) const;

 private:
  uint32_t word(const std::byte* record, int index) const {
    return load<uint32_t>(record + 4 * index, order_);
  }

  std::endian order_ = std::endian::native;
};

}  // namespace bpflink
