#include "linker/passes/resolve/symbol_hints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/edit_distance.hpp"
#include "linker/object/archive.hpp"
#include "linker/object/helpers.hpp"
#include "linker/object/linux_release.hpp"
#include "linker/text/cpp_names.hpp"
#include "linker/text/rust_names.hpp"

namespace bpflink {
namespace {

using Hints = std::vector<std::string>;

Hints find_static_hint(const Context& context, const Symbol& symbol) {
  for (auto& object : context.objects)
    for (const InputSymbol& other : object->symbols)
      if (other.is_local() && other.is_defined() && other.name == symbol.name)
        return {fmt::format("it is static in {}: make it global", object->name)};
  return {};
}

/// A hint for a definition that --prefix-symbols-of renamed. The option renames an input's own
/// definitions, not what others refer to.
Hints find_prefix_hint(const Context& context, const Symbol& symbol) {
  for (const auto& [input, prefix] : context.options.prefix_symbols_of) {
    std::string renamed = prefix + std::string(symbol.name);
    const Symbol* known = context.symbols.find(renamed);
    bool is_renamed = known && known->is_defined;
    for (const InputFile& file : context.files)
      if (!is_renamed && is_archive(file.bytes()) && input == file.name())
        is_renamed = std::ranges::count(read_archive_index(file.bytes()),
                                        std::string_view(symbol.name)) != 0;
    if (is_renamed)
      return {
          fmt::format("--prefix-symbols-of {}={} makes it {}: refer to that, or leave the "
                      "option out",
                      input, prefix, renamed)};
  }
  return {};
}

Hints find_spelling_hint(const Context& context, const Symbol& symbol) {
  const Symbol* nearest = find_nearest_definition(context, symbol.name);
  if (!nearest) return {};
  return {fmt::format("did you mean: {}", nearest->name),
          fmt::format("defined in: {}", nearest->file->name)};
}

/// A hint for names that loaders provide.
Hints find_kconfig_hint(const Symbol& symbol) {
  if (!symbol.name.starts_with("CONFIG_") && symbol.name != "LINUX_KERNEL_VERSION") return {};
  return {"the loader provides it: declare it with __kconfig"};
}

/// A hint for helpers, which are no symbols.
Hints find_helper_hint(const Symbol& symbol) {
  auto id = find_helper(symbol.name);
  if (!id) return {};
  return {fmt::format("a helper since {}: the bpf_helper_defs.h that was included is older",
                      linux_name(helper_release(*id)))};
}

Hints find_rust_hint(const Symbol& symbol) {
  auto name = rust_name(symbol.name);
  if (!name) return {};
  return {name->empty() ? "a Rust name" : fmt::format("in Rust: {}", *name),
          "if C defines it, declare it in an extern \"C\" block"};
}

Hints find_mangling_hint(const Symbol& symbol) {
  std::string name = demangle(symbol.name);
  if (name.empty()) return {};
  return {fmt::format("in C++: {}", name), "if C defines it, declare it extern \"C\""};
}

Hints find_cpp_hint(const Context& context, const Symbol& symbol) {
  for (auto& object : context.objects)
    if (std::string found = find_cpp_definition(*object, symbol.name); !found.empty())
      return describe_cpp_definition(object->name, found);
  return {};
}

}  // namespace

const Symbol* find_nearest_definition(const Context& context, std::string_view name) {
  NearestName nearest_name(name);
  const Symbol* nearest = nullptr;
  for (const Symbol* other : context.symbols.all())
    if (other->is_defined && nearest_name.consider(other->name)) nearest = other;
  return nearest;
}

std::vector<std::string> SymbolHints::find(const Symbol& symbol) {
  if (auto hints = find_prefix_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_static_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_kconfig_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_helper_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_rust_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_mangling_hint(symbol); !hints.empty()) return hints;
  if (auto hints = find_cpp_hint(context_, symbol); !hints.empty()) return hints;
  if (!archives_) archives_.emplace(context_);
  if (auto hints = archives_->find(symbol); !hints.empty()) return hints;
  if (auto hints = find_spelling_hint(context_, symbol); !hints.empty()) return hints;
  // Names of kfuncs: bpf_rcu_read_lock, scx_bpf_now. The kernel of the machine does not matter.
  return symbol.name.contains("bpf_") ? Hints{std::string(ksym_advice)} : Hints();
}

}  // namespace bpflink
