// Pass: types that no kernel takes.
//
// Compilers of Rust and Go call types as their languages do: `Option<u32>`, `*main.event`. Kernels
// take identifiers of C, with dots, and for pointers and qualifiers no name at all; libbpf then
// loads the object without its types, if it loads it. bpf-linker changes such names; its users get
// no warning.
#include <algorithm>

#include "dedup/internal.hpp"
#include "linker/context.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

bool is_kernel_name(std::string_view name) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Whether kernels refuse a type of this kind for its name.
bool is_refused(uint8_t kind, std::string_view name) {
  switch (kind) {
    case BTF_KIND_PTR:
    case BTF_KIND_CONST:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_ARRAY:
    case BTF_KIND_FUNC_PROTO:
      return !name.empty();
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VAR:
    case BTF_KIND_FUNC:
      return !name.empty() && !is_kernel_name(name);
    default:
      return false;
  }
}

}  // namespace

void warn_of_names(Context& context) {
  if (!context.btf) return;
  constexpr size_t most_names = 3;
  std::vector<std::string> details;
  size_t refused = 0;
  for (uint32_t id = 1; id < context.btf->end_id(); ++id) {
    BtfType type = context.btf->type(id);
    if (type.name_off() == 0) continue;
    std::string_view name = context.btf->string(type.name_off());
    if (!is_refused(type.kind(), name)) continue;
    if (++refused <= most_names)
      details.push_back(fmt::format(">>> {} '{}'", btf_kind_name(type.kind()), name));
  }
  if (refused == 0) return;
  if (refused > most_names) details.push_back(fmt::format(">>> and {} more", refused - most_names));
  context.diagnostics.warning("kernels refuse types of such names", std::move(details));
}

}  // namespace bpflink
