#include "linker/files/btf_ext.hpp"

#include <algorithm>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/insn.hpp"

namespace bpflink {
namespace {

constexpr uint32_t least_header_size = 24;  // up to and with line_info_len

/// An error with the section's name.
template <typename... Args>
std::unexpected<Error> fail_ext(fmt::format_string<Args...> format, Args&&... args) {
  return fail(".BTF.ext: {}", fmt::format(format, std::forward<Args>(args)...));
}

/// The most bytes of a record that kernels take. Records of all inputs get one size in the output.
constexpr uint32_t most_record_size = 252;

/// Reads one of the tables: a word with the record size, then for each section
/// a name, a count and the records.
class TableReader {
 public:
  TableReader(const BtfExtTableKind& kind, std::span<const std::byte> bytes, uint64_t offset,
              const BtfExt::Surroundings& around)
      : kind_(kind), name_(kind.name), bytes_(bytes), offset_(offset), around_(around) {}

  std::expected<BtfExtTable, Error> read() {
    BtfExtTable table;
    if (bytes_.empty()) return table;
    if (bytes_.size() < 4) return fail_ext("{} is cut off at offset {:#x}", name_, offset_);
    table.record_size = word(0);
    if (table.record_size < kind_.least_record_size || table.record_size > most_record_size ||
        table.record_size % 4 != 0)
      return fail_ext("{} has records of {}, expected {} to {} and a multiple of 4", name_,
                      count_of(table.record_size, "byte"), kind_.least_record_size,
                      most_record_size);
    for (uint64_t at = 4; at < bytes_.size();) {
      auto section = TRY(read_section(at, table.record_size));
      at += 8 + section.records.size();
      table.sections.push_back(section);
    }
    std::ranges::stable_sort(table.sections, {}, &BtfExtSection::section);
    return table;
  }

 private:
  uint32_t word(uint64_t at) const { return load<uint32_t>(bytes_.data() + at, around_.order); }

  std::expected<BtfExtSection, Error> read_section(uint64_t at, uint32_t record_size) const {
    if (bytes_.size() - at < 8)
      return fail_ext("{} is cut off at offset {:#x}", name_, offset_ + at);
    uint32_t name_off = word(at), count = word(at + 4);
    if (name_off >= around_.btf.string_end())
      return fail_ext("{} at offset {:#x} names a section by string offset {}, past the last",
                      name_, offset_ + at, name_off);
    std::string_view section_name = around_.btf.string(name_off);
    uint64_t size = uint64_t{count} * record_size;
    if (count == 0 || size > bytes_.size() - at - 8)
      return fail_ext("{} for section '{}' at offset {:#x} claims {} of {}, {} {} left", name_,
                      section_name, offset_ + at, count_of(count, "record"),
                      count_of(record_size, "byte"), count_of(bytes_.size() - at - 8, "byte"),
                      agree(bytes_.size() - at - 8, "is", "are"));
    auto section = around_.find_section(section_name);
    if (!section)
      return fail_ext("{} at offset {:#x} is for section '{}', which is not there", name_,
                      offset_ + at, section_name);
    BtfExtSection result{section->index, count, bytes_.subspan(at + 8, size)};
    for (uint32_t i = 0; i < count; ++i)
      TRY(check_record(at + 8 + uint64_t{i} * record_size, section_name, *section));
    return result;
  }

  std::expected<void, Error> check_record(uint64_t at, std::string_view section_name,
                                          const CodeSection& section) const {
    uint32_t insn_off = word(at);
    if (!is_instruction(section.bytes, insn_off))
      return fail_ext(
          "{} at offset {:#x} is for an instruction at offset {:#x} of section '{}' of {:#x} bytes",
          name_, offset_ + at, insn_off, section_name, section.bytes.size());
    if (is_func_info_ && !around_.may_begin_function(section.index, insn_off))
      return fail_ext("func_info at offset {:#x} is for '{}'+{:#x}, where no function begins",
                      offset_ + at, section_name, insn_off);
    for (uint32_t field = 1; field < kind_.least_record_size / 4; ++field) {
      uint32_t value = word(at + 4 * field);
      // gcc writes bpf_core_type_id_local(void) with the id of void, which loaders take.
      bool may_be_void = kind_.table == core_relo_kind.table;
      if (kind_.refers_to_type(field) &&
          (value >= around_.btf.end_id() || (value == 0 && !may_be_void)))
        return fail_ext("{} at offset {:#x} refers to type id {}, the last is {}", name_,
                        offset_ + at, value, around_.btf.end_id() - 1);
      if (kind_.refers_to_string(field) && value >= around_.btf.string_end())
        return fail_ext("{} at offset {:#x} refers to string offset {}, the end is {}", name_,
                        offset_ + at, value, around_.btf.string_end());
    }
    return is_func_info_ ? check_func(at) : std::expected<void, Error>();
  }

  std::expected<void, Error> check_func(uint64_t at) const {
    uint32_t id = word(at + 4);
    if (around_.btf.type(id).kind() == BtfKind::Func) return {};
    return fail_ext("func_info at offset {:#x} refers to type [{}] {}, expected a FUNC",
                    offset_ + at, id, btf_kind_name(around_.btf.type(id).kind()));
  }

  const BtfExtTableKind& kind_;
  std::string_view name_;
  bool is_func_info_ = kind_.table == func_info_kind.table;
  std::span<const std::byte> bytes_;
  uint64_t offset_;  // of the table in .BTF.ext, for messages
  const BtfExt::Surroundings& around_;
};

}  // namespace

std::expected<BtfExt, Error> BtfExt::parse(std::span<const std::byte> blob,
                                           const Surroundings& around) {
  auto word = [&](uint64_t at) { return load<uint32_t>(blob.data() + at, around.order); };
  if (blob.size() < least_header_size)
    return fail_ext("{} {} too few for the header of {}", count_of(blob.size(), "byte"),
                    agree(blob.size(), "is", "are"), least_header_size);
  if (load<uint16_t>(blob.data(), around.order) != btf_magic)
    return fail_ext("magic is {:#06x}, expected {:#06x}", load<uint16_t>(blob.data(), around.order),
                    btf_magic);
  if (blob[2] != std::byte{btf_version})
    return fail_ext("version is {}, expected {}", std::to_integer<int>(blob[2]), btf_version);
  uint32_t header_size = word(4);
  if (header_size < least_header_size || header_size % 4 != 0 || header_size > blob.size())
    return fail_ext("header claims {} of {}", count_of(header_size, "byte"), blob.size());

  BtfExt ext;
  ext.order_ = around.order;
  struct Extent {
    uint64_t begin, end;
    std::string_view name;
  };
  std::vector<Extent> extents;  // of the tables read
  for (const BtfExtTableKind& kind : btf_ext_table_kinds) {
    if (kind.header_field + 8 > header_size) break;
    uint64_t offset = uint64_t{header_size} + word(kind.header_field);
    uint64_t size = word(kind.header_field + 4);
    if (size == 0) continue;
    if (offset % 4 != 0 || offset > blob.size() || size > blob.size() - offset)
      return fail_ext("{} of {} at offset {:#x} does not fit the section of {}", kind.name,
                      count_of(size, "byte"), offset, count_of(blob.size(), "byte"));
    for (const Extent& other : extents)
      if (offset < other.end && other.begin < offset + size)
        return fail_ext("{} at offset {:#x} overlaps {} at offset {:#x}", kind.name, offset,
                        other.name, other.begin);
    extents.push_back({offset, offset + size, kind.name});
    auto table = TRY(TableReader(kind, blob.subspan(offset, size), offset, around).read());
    ext.*kind.table = std::move(table);
  }
  return ext;
}

std::vector<BtfExt::SectionLine>::const_iterator BtfExt::first_line_behind(uint32_t section,
                                                                           uint64_t offset) const {
  if (line_index_.empty()) {
    line_info.for_each_record([&](uint32_t of, std::span<const std::byte> record) {
      line_index_.push_back({of, load_line_info(record.data())});
    });
    // If an instruction has several lines, the last one counts.
    std::ranges::stable_sort(line_index_, {}, &SectionLine::place);
  }
  return std::ranges::upper_bound(std::as_const(line_index_), std::pair(section, offset), {},
                                  &SectionLine::place);
}

std::optional<LineInfo> BtfExt::find_line(uint32_t section, uint64_t offset) const {
  auto behind = first_line_behind(section, offset);
  if (behind == line_index_.begin() || std::prev(behind)->section != section) return std::nullopt;
  return std::prev(behind)->line;
}

std::optional<LineInfo> BtfExt::find_next_line(uint32_t section, uint64_t offset) const {
  auto behind = first_line_behind(section, offset);
  if (behind == line_index_.end() || behind->section != section) return std::nullopt;
  return behind->line;
}

}  // namespace bpflink
