#include "linker/state/symbol_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dedup/edit_distance.hpp"
#include "linker/facts/helpers.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/files/archive.hpp"
#include "linker/io/paths.hpp"
#include "linker/text/demangle.hpp"

namespace bpflink {
namespace {

using Hints = std::vector<std::string>;

/// No hints for symbols with longer names, which nobody reads.
constexpr size_t longest_name = 4096;

bool defines(const ObjectFile& object, std::string_view name) {
  return std::ranges::any_of(object.symbols, [&](const InputSymbol& symbol) {
    return !symbol.is_local() && symbol.is_defined() && symbol.name == name;
  });
}

/// What an object defines; nothing if it is none.
std::set<std::string, std::less<>> definitions_in(const std::string& path) {
  std::set<std::string, std::less<>> names;
  auto file = InputFile::open_regular(path);
  if (!file) return names;
  auto object = ObjectFile::read(path, file->bytes());
  if (!object) return names;
  for (const InputSymbol& symbol : (*object)->symbols)
    if (!symbol.is_local() && symbol.is_defined() && symbol.name.size() <= longest_name)
      names.emplace(symbol.name);
  return names;
}

/// The first hints that `find` returns for a member that is an object.
template <typename Find>
Hints find_in_members(const InputFile& archive, Find find) {
  auto members = read_archive(archive.bytes(), archive.name());
  if (!members) return {};
  SeenMembers seen;
  for (const ArchiveMember& member : *members) {
    auto image = open_member(member);
    if (!image || !seen.insert(member, *image)) continue;
    auto object = ObjectFile::read(member.name, image->bytes());
    if (!object) continue;
    if (Hints hints = find(member, **object); !hints.empty()) return hints;
  }
  return {};
}

/// The file beside an archive that a member was copied from; "" for members of thin archives, and
/// for names that ar does not give.
std::string source_of_member(const InputFile& archive, const ArchiveMember& member) {
  if (!member.path.empty()) return "";
  size_t begin = archive.name().size() + 1;  // "lib.a(member.o)"
  std::string name = member.name.substr(begin, member.name.size() - 1 - begin);
  if (name.find('/') != name.npos) return "";
  return without_dots((std::filesystem::path(archive.name()).parent_path() / name).string());
}

/// The archives in a directory that -l would find. A hint is not worth an error.
std::vector<std::string> list_archives(const std::string& directory) {
  std::vector<std::string> paths;
  for (const std::string& name : list_directory(directory).value_or(std::vector<std::string>()))
    if (name.starts_with("lib") && name.ends_with(".a"))
      paths.push_back(without_dots(fmt::format("{}/{}", directory, name)));
  return paths;
}

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
          fmt::format("--prefix-symbols-of {}={} makes it {}: refer to that, or omit the option",
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

/// A hint for helpers, which are not symbols.
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

ArchiveHints::ArchiveHints(const Context& context) : context_(context) {
  for (const std::string& directory : context.options.library_paths)
    for (const std::string& path : list_archives(directory)) {
      auto archive = InputFile::open_regular(path);
      if (!archive || !is_archive(archive->bytes())) continue;
      auto names = read_archive_index(archive->bytes());
      libraries_.push_back({std::move(*archive), {names.begin(), names.end()}});
    }
}

bool ArchiveHints::source_defines(const std::string& path, std::string_view name) {
  auto [known, is_new] = sources_.try_emplace(path);
  if (is_new) known->second = definitions_in(path);
  return known->second.contains(name);
}

Hints ArchiveHints::find_in_input(const InputFile& archive, std::string_view name) {
  Hints hints =
      find_in_members(archive, [&](const ArchiveMember& member, const ObjectFile& object) -> Hints {
        if (std::string found = find_cpp_definition(object, name); !found.empty())
          return describe_cpp_definition(object.name, found);
        std::string source = source_of_member(archive, member);
        if (!source.empty() && source_defines(source, name))
          return {fmt::format("{} defines it, but {} is another version: rebuild the archive",
                              source, member.name)};
        return {};
      });
  if (!hints.empty()) return hints;
  if (std::ranges::count(read_archive_index(archive.bytes()), name) != 0)
    return {fmt::format("the index of {} lists it, but no member defines it: rebuild the archive",
                        archive.name())};
  return {};
}

Hints ArchiveHints::find(const Symbol& symbol) {
  if (symbol.name.size() > longest_name) return {};
  for (const InputFile& file : context_.files)
    if (is_archive(file.bytes()))
      if (Hints hints = find_in_input(file, symbol.name); !hints.empty()) return hints;
  for (const Library& library : libraries_) {
    // Without an index, each member may define it.
    if (!library.index.empty() && !library.index.contains(symbol.name)) continue;
    auto describe = [&](const ArchiveMember&, const ObjectFile& object) -> Hints {
      if (!defines(object, symbol.name)) return {};
      const std::string& path = library.archive.name();
      std::string name = std::filesystem::path(path).stem().string().substr(3);  // behind "lib"
      return {fmt::format("{} defines it: link with -l{}", path, name)};
    };
    if (Hints hints = find_in_members(library.archive, describe); !hints.empty()) return hints;
  }
  return {};
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
