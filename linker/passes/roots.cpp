#include "linker/passes/roots.hpp"

#include <fnmatch.h>

namespace bpflink {
namespace {

bool is_struct_ops(std::string_view name) {
  if (name.starts_with('?')) name.remove_prefix(1);
  return name.starts_with(".struct_ops");
}

}  // namespace

std::string_view why_root(std::string_view section, const LinkOptions& options) {
  if (section == ".maps" || section == "maps") return "map";
  if (is_struct_ops(section)) return "struct_ops variable";
  if (section == "license" || section == "version") return section;
  std::string name(section);
  for (const std::string& pattern : options.keep_sections)
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return "--keep-section";
  return "";
}

}  // namespace bpflink
