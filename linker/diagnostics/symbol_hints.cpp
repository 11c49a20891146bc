#include "linker/diagnostics/symbol_hints.hpp"

#include <fmt/format.h>

#include "dedup/internal.hpp"
#include "linker/diagnostics/archive_hints.hpp"
#include "linker/diagnostics/cpp_names.hpp"
#include "linker/diagnostics/rust_names.hpp"

namespace bpflink {
namespace {

using Hints = std::vector<std::string>;

/// Names longer than this are not compared: the effort grows with the square.
constexpr size_t longest_compared = 64;

Hints find_static_hint(const Context& context, const Symbol& symbol) {
  for (auto& object : context.objects)
    for (const InputSymbol& other : object->symbols)
      if (other.is_local() && other.is_defined() && other.name == symbol.name)
        return {fmt::format("it is static in {}, and would have to be global", object->name)};
  return {};
}

Hints find_spelling_hint(const Context& context, const Symbol& symbol) {
  const Symbol* nearest = find_nearest_definition(context, symbol.name);
  if (!nearest) return {};
  return {fmt::format("did you mean: {}", nearest->name),
          fmt::format("defined in: {}", nearest->file->name)};
}

/// What loaders provide, by the name alone.
Hints find_kconfig_hint(const Symbol& symbol) {
  if (!symbol.name.starts_with("CONFIG_") && symbol.name != "LINUX_KERNEL_VERSION") return {};
  return {"the loader provides it where it is declared with __kconfig"};
}

Hints find_rust_hint(const Symbol& symbol) {
  auto name = rust_name(symbol.name);
  if (!name) return {};
  return {name->empty() ? "a name of Rust" : fmt::format("in Rust: {}", *name),
          "what C defines is declared in an extern \"C\" block"};
}

Hints find_mangling_hint(const Symbol& symbol) {
  std::string name = demangle(symbol.name);
  if (name.empty()) return {};
  return {fmt::format("in C++: {}", name), "what C defines is declared extern \"C\""};
}

Hints find_cpp_hint(const Context& context, const Symbol& symbol) {
  for (auto& object : context.objects)
    if (std::string found = find_cpp_definition(*object, symbol.name); !found.empty())
      return describe_cpp_definition(object->name, found);
  return {};
}

}  // namespace

const Symbol* find_nearest_definition(const Context& context, std::string_view name) {
  if (name.size() > longest_compared) return nullptr;
  size_t best = misspelling_limit(name);
  const Symbol* nearest = nullptr;
  for (const Symbol* other : context.symbols.all()) {
    if (!other->is_defined || other->name.size() > longest_compared) continue;
    size_t distance = edit_distance(name, other->name);
    if (distance >= best) continue;
    best = distance;
    nearest = other;
  }
  return nearest;
}

bool SymbolHints::is_in_kernel(std::string_view name) {
  if (!has_looked_) {
    has_looked_ = true;
    auto file = InputFile::open("/sys/kernel/btf/vmlinux");
    if (!file) return false;
    kernel_ = std::move(*file);
    auto types = Btf::parse(kernel_.bytes());
    if (!types) return false;
    for (uint32_t id = types->first_id(); id < types->end_id(); ++id) {
      BtfType type = types->type(id);
      bool has_symbol = type.kind() == BtfKind::Func || type.kind() == BtfKind::Var;
      if (has_symbol) kernel_names_.insert(types->name(type));
    }
  }
  return kernel_names_.contains(name);
}

std::vector<std::string> SymbolHints::find(const Symbol& symbol) {
  Hints of_kernel = {"what the kernel has is declared with __ksym"};
  if (auto hints = find_static_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_kconfig_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_rust_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_mangling_hint(symbol); !hints.empty()) return hints;
  if (is_in_kernel(symbol.name)) return of_kernel;
  if (auto hints = find_cpp_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_archive_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_spelling_hint(context_, symbol); !hints.empty()) return hints;
  return symbol.name.starts_with("bpf_") ? of_kernel : Hints();
}

}  // namespace bpflink
