#include "linker/diagnostics/symbol_hints.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "dedup/internal.hpp"
#include "linker/diagnostics/rust_names.hpp"
#include "linker/elf/archive.hpp"
#include "linker/io/paths.hpp"

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

bool archive_defines(const std::filesystem::path& path, std::string_view name) {
  auto file = InputFile::open(path.string());
  if (!file || !is_archive(file->bytes())) return false;
  auto members = read_archive(file->bytes(), file->name());
  if (!members) return false;
  for (const ArchiveMember& member : *members) {
    auto image = open_member(member);
    if (!image) continue;
    auto object = ObjectFile::read(member.name, image->bytes());
    if (!object) continue;
    for (const InputSymbol& symbol : (*object)->symbols)
      if (!symbol.is_local() && symbol.is_defined() && symbol.name == name) return true;
  }
  return false;
}

Hints find_archive_hint(const Context& context, const Symbol& symbol) {
  for (const std::string& directory : context.options.library_paths) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      std::string name = entry.path().filename().string();
      bool is_library = name.starts_with("lib") && name.ends_with(".a");
      if (!is_library || !archive_defines(entry.path(), symbol.name)) continue;
      return {fmt::format("{} defines it: link with -l{}", without_dots(entry.path().string()),
                          name.substr(3, name.size() - 5))};
    }
  }
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
  if (!symbol.name.starts_with("_Z")) return {};
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(std::string(symbol.name).c_str(), nullptr, nullptr, &status), std::free);
  if (!name) return {};
  return {fmt::format("in C++: {}", name.get()), "what C defines is declared extern \"C\""};
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
  if (auto hints = find_archive_hint(context_, symbol); !hints.empty()) return hints;
  if (auto hints = find_spelling_hint(context_, symbol); !hints.empty()) return hints;
  return symbol.name.starts_with("bpf_") ? of_kernel : Hints();
}

}  // namespace bpflink
