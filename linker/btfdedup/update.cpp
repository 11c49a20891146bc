// An object refers to its BTF by type id, by string offset and by place. All of these are fields of
// fixed size, so nothing else in the file moves.
#include "linker/btfdedup/update.hpp"

#include <elf.h>

#include <algorithm>
#include <array>

#include "dedup/internal.hpp"
#include "linker/btfdedup/add_section.hpp"
#include "linker/elf/btf_ext.hpp"
#include "linker/elf/bytes.hpp"
#include "linker/elf/insn.hpp"
#include "linker/error.hpp"
#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

/// The file offset of bytes in the image.
uint64_t offset_in(const ElfFile& elf, const std::byte* at) {
  return static_cast<uint64_t>(at - elf.image.data());
}

/// A patch of the type ids and string offsets in .BTF.ext, whose length stays the same.
Patch adapt_records(const ElfFile& elf, std::span<const std::byte> section, const BtfExt& ext,
                    const Btf& btf, const TypeMap& map, BtfBuilder& types) {
  Patch patch{offset_in(elf, section.data()), {section.begin(), section.end()}};
  auto copy_of = [&](const std::byte* at) { return &patch.bytes[at - section.data()]; };
  auto map_string = [&](uint32_t, uint32_t offset) { return types.add_string(btf.string(offset)); };
  for (const BtfExtTableKind& kind : btf_ext_table_kinds) {
    const BtfExtTable& table = ext.*kind.table;
    for (const BtfExtSection& part : table.sections) {
      // A section's records follow its name and their count.
      std::byte* name = copy_of(part.records.data() - btf_ext_section_header);
      store(name, map_string(0, load<uint32_t>(name, elf.order)), elf.order);
    }
    table.for_each_record([&](uint32_t, std::span<const std::byte> record) {
      map_record(
          kind, copy_of(record.data()), elf.order, [&](uint32_t id) { return map[id]; },
          map_string);
    });
  }
  return patch;
}

/// Patches instructions that hold an id of a type of the object's own BTF.
void adapt_instructions(const ElfFile& elf, const BtfExt& ext, const TypeMap& map,
                        std::vector<Patch>& patches) {
  for (const BtfExtSection& part : ext.core_relo.sections) {
    auto code = elf.contents(elf.sections[part.section]);
    ext.for_each_local_type_id(part, [&](const CoreRelo& relo) {
      auto insn = code.subspan(relo.insn_off, insn_size);
      Patch patch{offset_in(elf, insn.data()), {insn.begin(), insn.end()}};
      store_type_id(patch.bytes.data(), map[relo.type_id], elf.order);
      patches.push_back(std::move(patch));
    });
  }
}

std::expected<std::vector<Patch>, Error> adapt_ext(const ElfFile& elf, uint32_t section,
                                                   const Btf& btf, const TypeMap& map,
                                                   BtfBuilder& types) {
  auto find_section = [&](std::string_view name) -> std::optional<CodeSection> {
    auto index = elf.find(name);
    if (!index) return std::nullopt;
    return CodeSection{*index, elf.contents(elf.sections[*index])};
  };
  // Only types matter here, not the functions that they describe.
  auto may_begin_function = [](uint32_t, uint64_t) { return true; };
  auto contents = elf.contents(elf.sections[section]);
  auto ext = BtfExt::parse(contents, {btf, elf.order, find_section, may_begin_function});
  if (!ext) return std::unexpected(ext.error());
  std::vector<Patch> patches;
  patches.push_back(adapt_records(elf, contents, *ext, btf, map, types));
  adapt_instructions(elf, *ext, map, patches);
  return patches;
}

}  // namespace

std::expected<std::vector<Patch>, Error> adapt_object(const ElfFile& elf, const Btf& btf,
                                                      const TypeMap& map, BtfBuilder& types) {
  auto section = elf.find(".BTF.ext");
  if (!section) return std::vector<Patch>();
  return adapt_ext(elf, *section, btf, map, types);
}

std::expected<std::vector<Patch>, Error> adapt_relocations(const ElfFile& elf,
                                                           std::span<const UpdatedBlob> blobs,
                                                           std::span<const TypeMap> maps,
                                                           const Btf& updated,
                                                           std::span<const std::byte> blob) {
  std::vector<Patch> patches;
  auto target = elf.find(".BTF");
  std::vector<uint64_t> after = type_offsets(blob, updated);
  std::vector<std::vector<uint64_t>> before;  // by blob, offsets in it
  for (const UpdatedBlob& old : blobs) before.push_back(type_offsets(old.bytes, old.btf));
  for (const ElfSection& section : elf.sections) {
    bool relocates = section.type == SHT_REL || section.type == SHT_RELA;
    if (!relocates || section.info != *target || section.entry_size == 0) continue;
    auto entries = elf.contents(section);
    for (size_t at = 0; at + section.entry_size <= entries.size(); at += section.entry_size) {
      const std::byte* field = &entries[at];
      uint64_t place =
          elf.is_64_bit ? load<uint64_t>(field, elf.order) : load<uint32_t>(field, elf.order);
      auto next_blob = std::ranges::upper_bound(blobs, place, {}, &UpdatedBlob::offset);
      size_t which = next_blob == blobs.begin() ? 0 : next_blob - blobs.begin() - 1;
      const UpdatedBlob& old = blobs[which];
      uint32_t first_id = old.btf.first_id();
      auto own = std::span(before[which]).subspan(first_id);
      place -= old.offset;
      auto next = std::ranges::upper_bound(own, place);
      if (next == own.begin() || next == own.end())
        return fail("section {}: relocation at offset {} is not of a type in .BTF", section.name,
                    at);
      auto id = static_cast<uint32_t>(next - own.begin()) - 1 + first_id;
      place += after[maps[which][id]] - before[which][id];
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

std::expected<void, Error> write_updated(int fd, const ElfFile& elf,
                                         std::span<const std::byte> blob,
                                         std::span<const std::byte> base_blob,
                                         const std::vector<Patch>& patches) {
  auto index = elf.find(".BTF");
  if (!index) return fail("has no section .BTF");
  const ElfSection& section = elf.sections[*index];
  uint64_t place = section.offset;
  if (blob.size() > section.size) {
    if ((section.flags & SHF_ALLOC) != 0)
      return fail("section .BTF has {} bytes and is loaded at run time, so {} do not fit",
                  section.size, blob.size());
    place = align_up(elf.image.size(), 8);
  }
  if (auto ok = write_all_at(fd, 0, elf.image); !ok) return ok;
  std::vector<std::byte> zeros(section.size);
  if (auto ok = write_all_at(fd, section.offset, zeros); !ok) return ok;
  if (auto ok = write_all_at(fd, place, blob); !ok) return ok;

  // sh_offset and sh_size are adjacent.
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
  if (auto ok = write_all_at(fd, at, std::span(fields).first(elf.is_64_bit ? 16 : 8)); !ok)
    return ok;
  for (const Patch& patch : patches)
    if (auto ok = write_all_at(fd, patch.offset, patch.bytes); !ok) return ok;
  if (base_blob.empty()) return {};
  uint64_t end = std::max<uint64_t>(elf.image.size(), place + blob.size());
  return add_section(fd, elf, end, ".BTF.base", base_blob);
}

}  // namespace bpflink
