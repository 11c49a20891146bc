#include "linker/code/core_object.hpp"

#include <algorithm>
#include <utility>

#include "dedup/print/c_names.hpp"
#include "dedup/try.hpp"
#include "linker/code/core_complaint.hpp"
#include "linker/error.hpp"
#include "linker/object/elf_file.hpp"
#include "linker/object/elf_kind.hpp"
#include "linker/object/symbols_by_place.hpp"
#include "linker/text/locations.hpp"

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

/// The name of the access in source code: the last member, the enumerator or the type.
std::string_view name_of(const BtfView& types, const CoreRelocation& relocation) {
  auto steps = core_steps(types, relocation);
  for (size_t i = steps.size(); i-- > 0;)
    if (!steps[i].name.empty()) return steps[i].name;
  return types.name(types.type(relocation.type_id));
}

/// The source line of the access. Compilers load a constant some instructions before its use and
/// give only the use its line. So if the line at the instruction lacks the name and one of the next
/// few lines has it, that line is the access.
DiagnosticLocation find_location(const ObjectFile& object, const CoreRecord& record) {
  constexpr int max_lines = 4;
  const InputSection& section = object.sections[record.section];
  DiagnosticLocation first = location_of(object, section, record.offset);
  std::string_view name = name_of(*object.btf, record.relocation);
  if (first.line == 0 || find_word(first.text, name) != first.text.npos) return first;
  uint64_t at = record.offset;
  for (int i = 0; i < max_lines; ++i) {
    auto next = object.btf_ext->find_next_line(record.section, at);
    if (!next || next->insn_off >= record.function->value + record.function->size) break;
    at = next->insn_off;
    if (find_word(object.btf->string(next->line_off), name) == std::string_view::npos) continue;
    DiagnosticLocation found = location_of(object, section, at);
    found.offset = record.offset;
    return found;
  }
  return first;
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

void CoreObject::prepare_check() {
  graph->find_blocks();
  for (const CoreRecord& record : records) {
    locations.push_back(find_location(file(), record));
    accesses.push_back(describe_access(*file().btf, record.relocation));
  }
}

std::expected<bool, Error> is_bpf_object(std::span<const std::byte> image) {
  if (!is_elf(image)) return false;
  auto elf = TRY(read_elf(image));
  return elf.machine == EM_BPF && elf.type == ET_REL;
}

}  // namespace bpflink
