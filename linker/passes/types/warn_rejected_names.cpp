// Pass: warn about types whose names kernels reject or confuse.
//
// Compilers of Rust and Go name types as their languages do: `Option<u32>`, `*main.event`. Kernels
// accept C identifiers, with dots, and no names for pointers and qualifiers. If a name is rejected,
// libbpf loads the object without its types, or not at all. --kernel-names changes such names
// before.
//
// A DECL_TAG names the element of a bpf_list_head or bpf_rb_root: `contains:elem:node`. If two
// objects have different structs `elem`, the kernel uses one of them, and rejects programs that
// meant the other.
#include <algorithm>
#include <map>
#include <span>

#include "dedup/check/names.hpp"
#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// How many types a message lists.
constexpr size_t max_names = 3;

/// Whether kernels reject the type because of its name, which is not empty.
bool is_rejected(const BtfView& types, BtfType type) {
  if (!is_known(type.kind())) return false;
  switch (kind_row(type.kind()).name_rule) {
    case NameRule::None:
      return true;
    case NameRule::Optional:
    case NameRule::Needed:
      return !name_kind(types, type.name_off()).is_identifier;
    case NameRule::Any:
    case NameRule::Section:
    case NameRule::Text:
      break;
  }
  return false;
}

void warn_names(Context& context) {
  std::vector<DiagnosticReference> references;
  size_t rejected = 0;
  for (uint32_t id = 1; id < context.btf->end_id(); ++id) {
    BtfType type = context.btf->type(id);
    if (type.name_off() == 0) continue;
    std::string_view name = context.btf->string(type.name_off());
    if (name.empty() || !is_rejected(*context.btf, type)) continue;
    if (++rejected <= max_names)
      references.push_back(note(fmt::format("{} '{}'", btf_kind_name(type.kind()), name)));
  }
  if (rejected == 0) return;
  add_more(references, ReferenceRole::Note, rejected, max_names);
  if (context.options.hint_at_options)
    references.push_back(hint("give --kernel-names to rename them"));
  context.diagnostics.warning("kernels reject types with these names", std::move(references));
}

/// By output id: the first object that has the type.
std::vector<const ObjectFile*> find_origins(const Context& context) {
  std::vector<const ObjectFile*> origins(context.btf->end_id());
  for (const auto& object : context.objects)
    for (uint32_t id = 1; id < object->type_map.end_id(); ++id)
      if (auto& origin = origins[object->type_map[id]]; !origin) origin = object.get();
  return origins;
}

void warn_contents(Context& context) {
  struct Contents {
    std::string_view tag;           // the first that names the structs
    std::vector<uint32_t> structs;  // their ids
  };
  std::map<std::string_view, Contents> contents;  // sorted by name, as messages are
  constexpr std::string_view prefix = "contains:";
  const BtfBuilder& btf = *context.btf;
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    if (btf.type(id).kind() != BtfKind::DeclTag) continue;
    std::string_view tag = btf.string(btf.type(id).name_off());
    if (!tag.starts_with(prefix)) continue;
    std::string_view name = tag.substr(prefix.size());
    contents.try_emplace(name.substr(0, name.find(':')), tag);
  }
  if (contents.empty()) return;
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    if (btf.type(id).kind() != BtfKind::Struct || btf.type(id).name_off() == 0) continue;
    auto found = contents.find(btf.string(btf.type(id).name_off()));
    if (found != contents.end()) found->second.structs.push_back(id);
  }
  std::vector<const ObjectFile*> origins;
  for (const auto& [name, found] : contents) {
    if (found.structs.size() < 2) continue;
    if (origins.empty()) origins = find_origins(context);
    std::vector<DiagnosticReference> references;
    for (uint32_t id : std::span(found.structs).first(std::min(found.structs.size(), max_names)))
      references.push_back(
          {ReferenceRole::Occurrence,
           {.object = origins[id]->name},
           fmt::format("struct {} of {}", name, count_of(btf.type(id).size(), "byte"))});
    add_more(references, ReferenceRole::Occurrence, found.structs.size(), max_names);
    references.push_back(hint("give each struct its own name"));
    context.diagnostics.warning(
        fmt::format("kernels use only one of {} structs '{}' for the tag '{}'",
                    found.structs.size(), name, found.tag),
        std::move(references));
  }
}

}  // namespace

void warn_rejected_names(Context& context) {
  warn_names(context);
  warn_contents(context);
}

}  // namespace bpflink
