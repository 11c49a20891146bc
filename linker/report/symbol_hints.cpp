#include "linker/report/symbol_hints.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "dedup/internal.hpp"
#include "linker/elf/archive.hpp"

namespace bpflink {
namespace {

/// Names longer than this are not compared: the effort grows with the square.
constexpr size_t longest_compared = 64;

bool add_static_hint(const Context& context, const Symbol& symbol,
                     std::vector<std::string>& details) {
  for (auto& object : context.objects)
    for (const InputSymbol& other : object->symbols)
      if (other.is_local() && other.is_defined() && other.name == symbol.name) {
        details.push_back(fmt::format(">>> it is static in {}", object->name));
        return true;
      }
  return false;
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

bool add_archive_hint(const Context& context, const Symbol& symbol,
                      std::vector<std::string>& details) {
  for (const std::string& directory : context.options.hint_directories) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      std::string name = entry.path().filename().string();
      bool is_library = name.starts_with("lib") && name.ends_with(".a");
      if (!is_library || !archive_defines(entry.path(), symbol.name)) continue;
      details.push_back(fmt::format(">>> {} defines it: link with -l{}", entry.path().string(),
                                    name.substr(3, name.size() - 5)));
      return true;
    }
  }
  return false;
}

bool add_spelling_hint(const Context& context, const Symbol& symbol,
                       std::vector<std::string>& details) {
  if (symbol.name.size() > longest_compared) return false;
  size_t best = misspelling_limit(symbol.name);
  const Symbol* nearest = nullptr;
  for (const Symbol* other : context.symbols.all()) {
    if (!other->is_defined || other->name.size() > longest_compared) continue;
    size_t distance = edit_distance(symbol.name, other->name);
    if (distance >= best) continue;
    best = distance;
    nearest = other;
  }
  if (!nearest) return false;
  details.push_back(fmt::format(">>> did you mean: {}", nearest->name));
  details.push_back(fmt::format(">>> defined in: {}", nearest->file->name));
  return true;
}

}  // namespace

void add_hints(const Context& context, const Symbol& symbol, std::vector<std::string>& details) {
  if (add_static_hint(context, symbol, details) || add_archive_hint(context, symbol, details) ||
      add_spelling_hint(context, symbol, details))
    return;
  bool is_function =
      symbol.btf_file && symbol.btf_file->btf->type(symbol.btf_id).kind() == BTF_KIND_FUNC;
  if (is_function) details.emplace_back(">>> a function of the kernel is declared with __ksym");
}

}  // namespace bpflink
