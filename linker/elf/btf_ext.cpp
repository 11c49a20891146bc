#include "linker/elf/btf_ext.hpp"

#include <fmt/format.h>

#include "linker/elf/insn.hpp"

namespace bpflink {
namespace {

constexpr uint16_t BTF_MAGIC = 0xeb9f;
constexpr uint32_t MIN_HEADER = 24;   // up to and with line_info_len
constexpr uint32_t CORE_HEADER = 32;  // with core_relo_off and core_relo_len

template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{".BTF.ext: " + fmt::format(format, std::forward<Args>(args)...)});
}

/// Reads one of the tables: a word with the record size, then for each section
/// a name, a count and the records.
class TableReader {
 public:
  TableReader(std::string_view name, uint32_t known_size, std::span<const std::byte> bytes,
              uint64_t offset, const BtfExt::Surroundings& around)
      : name_(name), known_size_(known_size), bytes_(bytes), offset_(offset), around_(around) {}

  std::expected<BtfExtTable, Error> read() {
    BtfExtTable table;
    if (bytes_.empty()) return table;
    if (bytes_.size() < 4) return fail("{} is cut off at offset {:#x}", name_, offset_);
    table.record_size = word(0);
    if (table.record_size < known_size_ || table.record_size % 4 != 0)
      return fail("{} has records of {} bytes, expected at least {} and a multiple of 4", name_,
                  table.record_size, known_size_);
    for (uint64_t at = 4; at < bytes_.size();) {
      auto section = read_section(at, table.record_size);
      if (!section) return std::unexpected(section.error());
      at += 8 + section->records.size();
      table.sections.push_back(*section);
    }
    return table;
  }

 private:
  uint32_t word(uint64_t at) const { return load<uint32_t>(bytes_.data() + at, around_.order); }

  std::expected<BtfExtSection, Error> read_section(uint64_t at, uint32_t record_size) const {
    if (bytes_.size() - at < 8) return fail("{} is cut off at offset {:#x}", name_, offset_ + at);
    uint32_t name_off = word(at), count = word(at + 4);
    if (name_off >= around_.btf.string_end())
      return fail("{} at offset {:#x} names a section by string offset {}, past the last", name_,
                  offset_ + at, name_off);
    std::string_view section_name = around_.btf.string(name_off);
    uint64_t size = uint64_t{count} * record_size;
    if (count == 0 || size > bytes_.size() - at - 8)
      return fail(
          "{} for section '{}' at offset {:#x} claims {} records of {} bytes, {} bytes are left",
          name_, section_name, offset_ + at, count, record_size, bytes_.size() - at - 8);
    auto section = around_.find_section(section_name);
    if (!section)
      return fail("{} at offset {:#x} is for section '{}', which is not there", name_, offset_ + at,
                  section_name);
    BtfExtSection result{section->index, count, bytes_.subspan(at + 8, size)};
    for (uint32_t i = 0; i < count; i++)
      if (auto ok = check_record(at + 8 + uint64_t{i} * record_size, section_name, *section); !ok)
        return std::unexpected(ok.error());
    return result;
  }

  /// Whether a whole slot is there, and it is not the second of an ld_imm64,
  /// which alone has opcode 0.
  static bool is_instruction(std::span<const std::byte> code, uint32_t offset) {
    return offset % INSN_SIZE == 0 && offset < code.size() && code.size() - offset >= INSN_SIZE &&
           code[offset] != std::byte{0};
  }

  std::expected<void, Error> check_record(uint64_t at, std::string_view section_name,
                                          const CodeSection& section) const {
    uint32_t insn_off = word(at);
    if (!is_instruction(section.bytes, insn_off))
      return fail(
          "{} at offset {:#x} is for an instruction at offset {:#x} of section '{}' of {:#x} bytes",
          name_, offset_ + at, insn_off, section_name, section.bytes.size());
    if (name_ == "func_info" && !around_.begins_function(section.index, insn_off))
      return fail("func_info at offset {:#x} is for '{}'+{:#x}, where no function begins",
                  offset_ + at, section_name, insn_off);
    bool names_type = known_size_ == FuncInfo::SIZE || name_ == "core_relo";
    if (names_type) {
      uint32_t id = word(at + 4);
      if (id >= around_.btf.end_id() || id == 0)
        return fail("{} at offset {:#x} refers to type id {}, the last is {}", name_, offset_ + at,
                    id, around_.btf.end_id() - 1);
      if (name_ == "func_info" && around_.btf.type(id).kind() != BTF_KIND_FUNC)
        return fail("func_info at offset {:#x} refers to type [{}] {}, expected a FUNC",
                    offset_ + at, id, btf_kind_name(around_.btf.type(id).kind()));
    }
    auto check_string = [&](uint64_t word_at) -> std::expected<void, Error> {
      if (word(word_at) < around_.btf.string_end()) return {};
      return fail("{} at offset {:#x} refers to string offset {}, the end is {}", name_,
                  offset_ + at, word(word_at), around_.btf.string_end());
    };
    if (name_ == "core_relo") return check_string(at + 8);
    if (name_ == "line_info") {
      if (auto ok = check_string(at + 4); !ok) return ok;
      return check_string(at + 8);
    }
    return {};
  }

  std::string_view name_;
  uint32_t known_size_;
  std::span<const std::byte> bytes_;
  uint64_t offset_;  // of the table in .BTF.ext, for messages
  const BtfExt::Surroundings& around_;
};

}  // namespace

std::expected<BtfExt, Error> BtfExt::parse(std::span<const std::byte> blob,
                                           const Surroundings& around) {
  auto word = [&](uint64_t at) { return load<uint32_t>(blob.data() + at, around.order); };
  if (blob.size() < MIN_HEADER)
    return fail("{} bytes are too few for the header of {}", blob.size(), MIN_HEADER);
  if (load<uint16_t>(blob.data(), around.order) != BTF_MAGIC)
    return fail("magic is {:#06x}, expected {:#06x}", load<uint16_t>(blob.data(), around.order),
                BTF_MAGIC);
  if (blob[2] != std::byte{1})
    return fail("version is {}, expected 1", std::to_integer<int>(blob[2]));
  uint32_t header_size = word(4);
  if (header_size < MIN_HEADER || header_size % 4 != 0 || header_size > blob.size())
    return fail("header claims {} bytes of {}", header_size, blob.size());

  BtfExt ext;
  ext.order_ = around.order;
  struct Part {
    std::string_view name;
    uint32_t known_size, header_at;
    BtfExtTable& table;
  };
  for (const Part& part : {Part{"func_info", FuncInfo::SIZE, 8, ext.func_info},
                           Part{"line_info", LineInfo::SIZE, 16, ext.line_info},
                           Part{"core_relo", CoreRelo::SIZE, 24, ext.core_relo}}) {
    if (part.header_at == MIN_HEADER && header_size < CORE_HEADER) break;
    uint64_t offset = uint64_t{header_size} + word(part.header_at), size = word(part.header_at + 4);
    if (size == 0) continue;
    if (offset % 4 != 0 || offset > blob.size() || size > blob.size() - offset)
      return fail("{} of {} bytes at offset {:#x} does not fit the section of {} bytes", part.name,
                  size, offset, blob.size());
    auto table =
        TableReader(part.name, part.known_size, blob.subspan(offset, size), offset, around).read();
    if (!table) return std::unexpected(table.error());
    part.table = std::move(*table);
  }
  return ext;
}

std::optional<LineInfo> BtfExt::find_line(uint32_t section, uint64_t offset) const {
  std::optional<LineInfo> best;
  for (const BtfExtSection& part : line_info.sections) {
    if (part.section != section) continue;
    for (uint32_t i = 0; i < part.count; i++) {
      LineInfo line = load_line_info(part.records.data() + size_t{i} * line_info.record_size);
      if (line.insn_off <= offset && (!best || line.insn_off >= best->insn_off)) best = line;
    }
  }
  return best;
}

}  // namespace bpflink
