#include "linker/program/core_object.hpp"

#include <algorithm>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {
namespace {

std::vector<CoreRecord> read_core_records(const ObjectFile& object) {
  std::vector<CoreRecord> records;
  if (!object.btf_ext) return records;
  for (const BtfExtSection& part : object.btf_ext->core_relo.sections)
    for (uint32_t i = 0; i < part.count; ++i) {
      CoreRelo relo = object.btf_ext->load_core_relo(part.record(i).data());
      const InputSymbol* function = object.by_place().find_function(part.section, relo.insn_off);
      if (!function) continue;
      records.push_back(
          {part.section,
           i,
           relo.insn_off,
           {relo.type_id, object.btf->string(relo.access_str_off), CoreKind(relo.kind)},
           function});
    }
  return records;
}

/// Each name stands in many results. Errors: one is longer than kernels accept, and a section's
/// longer than a path.
std::expected<void, Error> check_names(const Object& object) {
  constexpr size_t max_section_length = 4096;
  auto check = [](std::string_view what, std::string_view name,
                  size_t most = max_name_length) -> std::expected<void, Error> {
    if (name.size() <= most) return {};
    return fail("{} '{}...' has a name of {} bytes: kernels accept {}", what, name.substr(0, 32),
                name.size(), most);
  };
  std::expected<void, Error> ok;
  for (const Program& program : object.programs()) {
    if (ok) ok = check("program", program.name);
    if (ok) ok = check("section", program.section, max_section_length);
  }
  for (const Map& map : object.maps())
    if (ok) ok = check("map", map.name);
  for (const Extern& entry : object.externs())
    if (ok) ok = check("extern", entry.name);
  for (const StructOps& ops : object.struct_ops()) {
    if (ok) ok = check("struct_ops", ops.name);
    if (ok) ok = check("struct", ops.type_name);
  }
  return ok;
}

}  // namespace

std::expected<CoreObject, Error> CoreObject::read(std::string name,
                                                  std::span<const std::byte> image) {
  auto object = TRY(ObjectAccess::parse(name, image));
  TRY(check_names(object));
  CoreObject read(std::move(name), std::move(object));
  read.records = read_core_records(read.file());
  for (const Program& program : read.object.programs())
    read.is_optional.push_back(!program.meaning.autoload);
  return read;
}

bool CoreObject::is_skipped(const CoreRecord& record) const {
  const Program* program = object.find_program(record.function->name);
  return program && program->section == file().sections[record.section].name &&
         !program->meaning.autoload;
}

std::optional<size_t> CoreObject::find_program(std::string_view program) const {
  const Program* found = object.find_program(program);
  return found ? std::optional(static_cast<size_t>(found - object.programs().data()))
               : std::nullopt;
}

void CoreObject::analyze_code() {
  graph = std::make_unique<CodeGraph>(file());
  for (const CodeFunction& function : graph->functions)
    for (const CodeInsn& insn : graph->insns_of(function)) {
      InsnPlace place{function.section, insn.at};
      if (insn.reference.kind == CodeReference::Kind::Ksym && !insn.insn.is_call())
        ksym_uses[file().symbols[insn.reference.index].name].push_back(place);
      if (insn.reference.kind == CodeReference::Kind::Map)
        map_uses[file().symbols[insn.reference.index].name].push_back(place);
      if (!insn.insn.is_call()) continue;
      if (insn.reference.kind == CodeReference::Kind::Ksym)
        kfunc_calls[file().symbols[insn.reference.index].name].push_back(place);
      else if (insn.insn.src_reg == 0 && insn.reference.kind == CodeReference::Kind::None)
        helper_calls[static_cast<uint32_t>(insn.insn.imm)].push_back(place);
    }
}

std::expected<bool, Error> is_bpf_object(std::span<const std::byte> image) {
  if (!is_elf(image)) return false;
  auto elf = TRY(read_elf(image));
  return elf.machine == EM_BPF && elf.type == ET_REL;
}

}  // namespace bpflink
