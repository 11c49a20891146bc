// Pass: check CO-RE relocations of live code: whether the access is valid for its type, and the
// type has a name, by which loaders find it in a kernel.
#include <fmt/format.h>

#include "bpflink/print.hpp"
#include "dedup/relocations/access.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

void check(Context& context, const ObjectFile& object, const InputSection& section,
           const CoreRelo& record) {
  const BtfView& types = *object.btf;
  CoreRelocation relocation{record.type_id, types.string(record.access_str_off),
                            CoreKind(record.kind)};
  bool is_named = relocation.kind == CoreKind::TypeIdLocal ||
                  !types.name(types.type(relocation.type_id)).empty();
  auto path = find_local_path({types}, relocation);
  if (path && is_named) return;
  std::string type = print_c_declaration(types, relocation.type_id);
  type.resize(std::min(type.size(), type.find('\n')));
  DiagnosticReference at{ReferenceRole::Occurrence, location_of(object, section, record.insn_off),
                         "the access"};
  if (!path)
    return context.diagnostics.error(
        fmt::format("{}: a CO-RE relocation has the access '{}', which '{}' lacks", object.name,
                    relocation.access, type),
        {std::move(at)}, DiagnosticCode::InvalidInput, {.file = object.name});
  context.diagnostics.warning(
      fmt::format("{}: a CO-RE relocation is of a type without a name", object.name),
      {std::move(at), note("loaders find types in a kernel by name"),
       hint("give the struct the kernel's name for it")},
      DiagnosticCode::NotLoadable, {.file = object.name});
}

}  // namespace

void check_core(Context& context) {
  for (const auto& object : context.objects)
    object->for_each_core_relo([&](const InputSection& section, CoreRelo record) {
      if (section.is_linked() && is_live(section, record.insn_off))
        check(context, *object, section, record);
    });
}

}  // namespace bpflink
