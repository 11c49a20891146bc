// An object that has BTF refers to it by type id, by string offset and by place.
// All of these are fields of fixed size, so that nothing else in the file moves.
#include "linker/btfdedup/update.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "linker/elf/btf_ext.hpp"
#include "linker/elf/bytes.hpp"
#include "linker/io/mapped_inputs.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

// Operation codes of the instructions that may hold a type id as immediate.
constexpr uint8_t LOAD_IMMEDIATE_64 = 0x18;
constexpr uint8_t MOVE_IMMEDIATE = 0xb7;
constexpr uint8_t MOVE_IMMEDIATE_32 = 0xb4;

/// Where the bytes of a file lie that are part of its image.
uint64_t offset_in(const ElfFile& elf, const std::byte* at) {
  return static_cast<uint64_t>(at - elf.image.data());
}

Patch word_patch(uint64_t offset, uint32_t value, std::endian order) {
  Patch patch{offset, std::vector<std::byte>(4)};
  store<uint32_t>(patch.bytes.data(), value, order);
  return patch;
}

/// Collects the patches of .BTF.ext and of the instructions that it points to.
class ExtAdapter {
 public:
  ExtAdapter(const ElfFile& elf, const Btf& btf, const TypeMap& map, BtfBuilder& types)
      : elf_(elf), btf_(btf), map_(map), types_(types) {}

  std::vector<Patch> run(const BtfExt& ext) {
    adapt(ext.func_info, 1u << 1, 0);
    adapt(ext.line_info, 0, 1u << 1 | 1u << 2);
    adapt(ext.core_relo, 1u << 1, 1u << 2);
    for (const BtfExtSection& section : ext.core_relo.sections)
      for (uint32_t i = 0; i < section.count; ++i)
        adapt_instruction(section, ext.load_core_relo(record(ext.core_relo, section, i)));
    return std::move(patches_);
  }

 private:
  static const std::byte* record(const BtfExtTable& table, const BtfExtSection& section,
                                 uint32_t i) {
    return section.records.data() + size_t{i} * table.record_size;
  }

  /// Maps the words of a table's records that bits of the masks stand for.
  void adapt(const BtfExtTable& table, uint32_t type_words, uint32_t string_words) {
    for (const BtfExtSection& section : table.sections) {
      // A section's records stand behind its name and their number.
      map_string(section.records.data() - 8);
      for (uint32_t i = 0; i < section.count; ++i) {
        for (uint32_t word = 1; word < 4; ++word) {
          const std::byte* field = record(table, section, i) + 4 * word;
          if (type_words >> word & 1) map_type(field);
          if (string_words >> word & 1) map_string(field);
        }
      }
    }
  }

  void map_type(const std::byte* field) {
    uint32_t id = load<uint32_t>(field, elf_.order);
    patches_.push_back(word_patch(offset_in(elf_, field), map_[id], elf_.order));
  }

  void map_string(const std::byte* field) {
    uint32_t offset = types_.add_string(btf_.string(load<uint32_t>(field, elf_.order)));
    patches_.push_back(word_patch(offset_in(elf_, field), offset, elf_.order));
  }

  /// An instruction whose value is a type id of the object's own BTF has it as
  /// immediate, the fifth to eighth of its bytes.
  void adapt_instruction(const BtfExtSection& section, CoreRelo relo) {
    if (relo.kind != CORE_TYPE_ID_LOCAL) return;
    auto code = elf_.contents(elf_.sections[section.section]);
    if (relo.insn_off > code.size() || code.size() - relo.insn_off < 8) return;
    const std::byte* insn = code.data() + relo.insn_off;
    auto operation = static_cast<uint8_t>(insn[0]);
    if (operation != LOAD_IMMEDIATE_64 && operation != MOVE_IMMEDIATE &&
        operation != MOVE_IMMEDIATE_32)
      return;
    patches_.push_back(word_patch(offset_in(elf_, insn + 4), map_[relo.type_id], elf_.order));
  }

  const ElfFile& elf_;
  const Btf& btf_;
  const TypeMap& map_;
  BtfBuilder& types_;
  std::vector<Patch> patches_;
};

/// The offset of each type in its blob, by id, and the end.
std::vector<uint64_t> type_offsets(const Btf& btf, std::span<const std::byte> blob) {
  uint64_t at = uint64_t{load<uint32_t>(&blob[4], btf.byte_order())} +
                load<uint32_t>(&blob[8], btf.byte_order());
  std::vector<uint64_t> offsets(btf.end_id() + 1);
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) {
    offsets[id] = at;
    at += btf.type(id).words().size_bytes();
  }
  offsets[btf.end_id()] = at;
  return offsets;
}

std::expected<std::vector<Patch>, Error> adapt_ext(const ElfFile& elf, uint32_t section,
                                                   const Btf& btf, const TypeMap& map,
                                                   BtfBuilder& types) {
  auto find_section = [&](std::string_view name) -> std::optional<CodeSection> {
    auto index = elf.find(name);
    if (!index) return std::nullopt;
    return CodeSection{*index, elf.contents(elf.sections[*index])};
  };
  // Only types are looked at here, not the functions that they belong to.
  auto begins_function = [](uint32_t, uint64_t) { return true; };
  auto ext = BtfExt::parse(elf.contents(elf.sections[section]),
                           {btf, elf.order, find_section, begins_function});
  if (!ext) return std::unexpected(ext.error());
  return ExtAdapter(elf, btf, map, types).run(*ext);
}

}  // namespace

std::expected<std::vector<Patch>, Error> adapt_object(const ElfFile& elf, const Btf& btf,
                                                      const TypeMap& map, BtfBuilder& types) {
  auto section = elf.find(".BTF.ext");
  if (!section) return std::vector<Patch>();
  return adapt_ext(elf, *section, btf, map, types);
}

std::expected<std::vector<Patch>, Error> adapt_relocations(const ElfFile& elf, const Btf& btf,
                                                           const TypeMap& map,
                                                           std::span<const std::byte> blob) {
  std::vector<Patch> patches;
  auto target = elf.find(".BTF");
  auto updated = Btf::parse(blob, btf.base());
  if (!updated) return std::unexpected(updated.error());
  std::vector<uint64_t> before = type_offsets(btf, elf.contents(elf.sections[*target]));
  std::vector<uint64_t> after = type_offsets(*updated, blob);
  auto own = std::span(before).subspan(btf.first_id());
  for (const ElfSection& section : elf.sections) {
    bool relocates = section.type == SHT_REL || section.type == SHT_RELA;
    if (!relocates || section.info != *target || section.entry_size == 0) continue;
    auto entries = elf.contents(section);
    for (size_t at = 0; at + section.entry_size <= entries.size(); at += section.entry_size) {
      const std::byte* field = &entries[at];
      uint64_t place =
          elf.is_64_bit ? load<uint64_t>(field, elf.order) : load<uint32_t>(field, elf.order);
      auto next = std::ranges::upper_bound(own, place);
      if (next == own.begin() || next == own.end())
        return std::unexpected(Error{fmt::format(
            "section {}: relocation at offset {} is not of a type in .BTF", section.name, at)});
      auto id = static_cast<uint32_t>(next - own.begin()) - 1 + btf.first_id();
      place += after[map[id]] - before[id];
      Patch patch{offset_in(elf, field), std::vector<std::byte>(elf.is_64_bit ? 8 : 4)};
      if (elf.is_64_bit)
        store<uint64_t>(patch.bytes.data(), place, elf.order);
      else
        store<uint32_t>(patch.bytes.data(), static_cast<uint32_t>(place), elf.order);
      patches.push_back(std::move(patch));
    }
  }
  return patches;
}

std::expected<void, Error> write_at(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t step =
        retry([&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (step < 0) return std::unexpected(describe_write_failure(bytes));
    bytes = bytes.subspan(step);
    offset += step;
  }
  return {};
}

std::expected<void, Error> write_updated(int fd, const ElfFile& elf,
                                         std::span<const std::byte> blob,
                                         const std::vector<Patch>& patches) {
  auto index = elf.find(".BTF");
  if (!index) return std::unexpected(Error{"has no section .BTF"});
  const ElfSection& section = elf.sections[*index];
  uint64_t place = section.offset;
  if (blob.size() > section.size) {
    if ((section.flags & SHF_ALLOC) != 0)
      return std::unexpected(
          Error{fmt::format("section .BTF has {} bytes and is loaded at run time, so {} do not fit",
                            section.size, blob.size())});
    place = (elf.image.size() + 7) / 8 * 8;
  }
  if (auto ok = write_at(fd, 0, elf.image); !ok) return ok;
  std::vector<std::byte> zeros(section.size);
  if (auto ok = write_at(fd, section.offset, zeros); !ok) return ok;
  if (auto ok = write_at(fd, place, blob); !ok) return ok;

  // sh_offset and sh_size stand next to each other.
  std::array<std::byte, 16> fields;
  uint64_t at = section.header_offset;
  if (elf.is_64_bit) {
    store<uint64_t>(&fields[0], place, elf.order);
    store<uint64_t>(&fields[8], blob.size(), elf.order);
    at += offsetof(Elf64_Shdr, sh_offset);
  } else {
    store<uint32_t>(&fields[0], static_cast<uint32_t>(place), elf.order);
    store<uint32_t>(&fields[4], static_cast<uint32_t>(blob.size()), elf.order);
    at += offsetof(Elf32_Shdr, sh_offset);
  }
  if (auto ok = write_at(fd, at, std::span(fields).first(elf.is_64_bit ? 16 : 8)); !ok) return ok;
  for (const Patch& patch : patches)
    if (auto ok = write_at(fd, patch.offset, patch.bytes); !ok) return ok;
  return {};
}

}  // namespace bpflink
