// .BTF.ext: func_info, line_info and core_relo, the meaning of their words, and the checked
// .BTF.ext of an input. Specification: btf.rst section 4.2; core_relo in llvm_reloc.rst.
#pragma once

#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {

// The known words of the records; a record may be longer.

struct FuncInfo {
  uint32_t insn_off;  ///< bytes into the section
  uint32_t type_id;   ///< a FUNC
};
struct LineInfo {
  uint32_t insn_off;
  uint32_t file_name_off;
  uint32_t line_off;
  uint32_t line_col;

  uint32_t line() const { return line_col >> 10; }
  uint32_t column() const { return line_col & 0x3ff; }
};
struct CoreRelo {
  uint32_t insn_off;
  uint32_t type_id;
  uint32_t access_str_off;
  uint32_t kind;  ///< an enum bpf_core_relo_kind

  /// Whether the instruction holds the id of a type of the program's own BTF.
  bool is_local_type_id() const { return kind == BPF_CORE_TYPE_ID_LOCAL; }
};

/// One of the three tables' records for one section.
struct BtfExtSection {
  uint32_t section;  ///< index of the ELF section that the records describe
  uint32_t count;
  std::span<const std::byte> records;  ///< count times the table's record size

  /// The record with an index below `count`.
  std::span<const std::byte> record(uint32_t index) const {
    size_t size = records.size() / count;
    return records.subspan(index * size, size);
  }
};

/// One of the three tables.
struct BtfExtTable {
  uint32_t record_size = 0;             ///< bytes; 0 if the table is absent
  std::vector<BtfExtSection> sections;  ///< by ascending index of the ELF section

  /// The records of one ELF section.
  auto of_section(uint32_t section) const {
    return std::ranges::equal_range(sections, section, {}, &BtfExtSection::section);
  }
  /// Calls `visit(section, record)` for each record, with the index of the ELF section.
  template <typename Visit>
  void for_each_record(Visit visit) const {
    for (const BtfExtSection& part : sections)
      for (size_t at = 0; at < part.records.size(); at += record_size)
        visit(part.section, part.records.subspan(at, record_size));
  }
};

/// Code that records are about.
struct CodeSection {
  uint32_t index;  ///< of the ELF section
  std::span<const std::byte> bytes;
};

class BtfExt {
 public:
  /// The parts of the object that parse() needs.
  struct Surroundings {
    const Btf& btf;
    std::endian order;
    /// The code section of that name.
    std::function<std::optional<CodeSection>(std::string_view)> find_section;
    /// Whether a function may begin at a byte of the section with that index.
    std::function<bool(uint32_t section, uint64_t offset)> may_begin_function;
  };

  /// Checks `blob`, which must outlive the result. Errors: not .BTF.ext; a table, section or record
  /// outside of it; tables that overlap; an instruction offset outside of its section or inside of
  /// an instruction; func_info where no function begins; a type id or string offset out of range.
  /// Each error names the table and offset.
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

  /// Calls `visit(relo)` for each core_relo record of `part` whose instruction holds the id of a
  /// type of the program's own BTF.
  template <typename Visit>
  void for_each_local_type_id(const BtfExtSection& part, Visit visit) const {
    for (uint32_t i = 0; i < part.count; ++i) {
      CoreRelo relo = load_core_relo(part.record(i).data());
      if (relo.is_local_type_id()) visit(relo);
    }
  }

  /// The source line of the instruction at byte `offset` of ELF section `section`, if line_info has
  /// it. The first call sorts the lines.
  std::optional<LineInfo> find_line(uint32_t section, uint64_t offset) const;
  /// The first line after that instruction in the section, if any.
  std::optional<LineInfo> find_next_line(uint32_t section, uint64_t offset) const;

 private:
  uint32_t word(const std::byte* record, int index) const {
    return load<uint32_t>(record + 4 * index, order_);
  }

  struct SectionLine {
    uint32_t section;
    LineInfo line;
    std::pair<uint32_t, uint64_t> place() const { return {section, line.insn_off}; }
  };

  /// In line_index_, the first line after an instruction.
  std::vector<SectionLine>::const_iterator first_line_behind(uint32_t section,
                                                             uint64_t offset) const;

  std::endian order_ = std::endian::native;
  mutable std::vector<SectionLine> line_index_;
};

/// The properties of one table's records.
struct BtfExtTableKind {
  std::string_view name;
  BtfExtTable BtfExt::*table;
  uint32_t header_field;  ///< offset in the .BTF.ext header of the table's offset and size
  uint32_t least_record_size;
  // Bit N: word N of a record is a type id, or a string offset.
  uint32_t type_words, string_words;
  bool may_repeat;  ///< an instruction may have several records

  bool refers_to_type(uint32_t word) const { return (type_words >> word & 1) != 0; }
  bool refers_to_string(uint32_t word) const { return (string_words >> word & 1) != 0; }
};

inline constexpr BtfExtTableKind func_info_kind = {
    "func_info", &BtfExt::func_info, 8, sizeof(FuncInfo), 1u << 1, 0, false};
inline constexpr BtfExtTableKind line_info_kind = {
    "line_info", &BtfExt::line_info, 16, sizeof(LineInfo), 0, 1u << 1 | 1u << 2, false};
inline constexpr BtfExtTableKind core_relo_kind = {
    "core_relo", &BtfExt::core_relo, 24, sizeof(CoreRelo), 1u << 1, 1u << 2, true};
inline constexpr std::array btf_ext_table_kinds = {func_info_kind, line_info_kind, core_relo_kind};

inline constexpr uint32_t btf_ext_header_size = 32;
/// Bytes of a table before its first section, and of each section before its records.
inline constexpr size_t btf_ext_table_header = 4, btf_ext_section_header = 8;

/// Replaces, in the copy `to` of the record `from`, the type ids by `map_type(id)` and the string
/// offsets by `map_string(word, offset)`. The values are those of `from`, which was checked.
template <typename MapType, typename MapString>
void map_record(const BtfExtTableKind& kind, const std::byte* from, std::byte* to,
                std::endian order, MapType map_type, MapString map_string) {
  for (uint32_t word = 1; word < kind.least_record_size / 4; ++word) {
    uint32_t value = load<uint32_t>(from + 4 * word, order);
    if (kind.refers_to_type(word)) store(to + 4 * word, map_type(value), order);
    if (kind.refers_to_string(word)) store(to + 4 * word, map_string(word, value), order);
  }
}

}  // namespace bpflink
