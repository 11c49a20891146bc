#include "linker/core/core_object.hpp"

#include <algorithm>

#include "linker/diagnostics/locations.hpp"
#include "linker/elf/elf_file.hpp"

namespace bpflink {

std::expected<CoreObject, Error> CoreObject::read(std::string name,
                                                  std::span<const std::byte> image) {
  auto object = Object::parse(image);
  if (!object) return std::unexpected(object.error());
  auto file = ObjectFile::read(name, image);
  if (!file) return std::unexpected(file.error());
  ObjectSummary summary{.name = std::move(name), .file = file->get()};
  for (const Program& program : object->programs())
    summary.programs.push_back({program.name, program.section, !program.meaning.autoload});
  summary.records = read_core_records(**file);
  return CoreObject{std::move(summary), std::move(*file), std::move(*object)};
}

void CoreObject::look_at_code() {
  for (const CoreRecord& record : summary.records) {
    summary.locations.push_back(location_of(*file, file->sections[record.section], record.offset));
    summary.accesses.push_back(describe_access(*file->btf, record.relocation));
  }
  graph = std::make_unique<const CodeGraph>(*file);
}

bool is_program(std::span<const std::byte> image) {
  auto elf = read_elf(image);
  if (!elf || elf->machine != EM_BPF || elf->type != ET_REL) return false;
  auto holds_programs = [](const ElfSection& section) {
    return (section.flags & SHF_EXECINSTR) != 0 && section.size != 0 && section.name != ".text";
  };
  if (std::ranges::any_of(elf->sections, holds_programs)) return true;
  auto ext = elf->find(".BTF.ext");
  if (!ext) return false;
  // The length of the table of relocations stands behind its offset, in the longer header.
  std::span<const std::byte> contents = elf->contents(elf->sections[*ext]);
  constexpr size_t header_length_at = 4, relocations_length_at = 28;
  if (contents.size() < relocations_length_at + sizeof(uint32_t)) return false;
  auto word = [&](size_t at) { return load<uint32_t>(&contents[at], elf->order); };
  return word(header_length_at) > relocations_length_at && word(relocations_length_at) != 0;
}

}  // namespace bpflink
