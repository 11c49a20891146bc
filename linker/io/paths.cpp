#include "linker/io/paths.hpp"

#include <filesystem>
#include <system_error>

namespace bpflink {

std::string without_dots(std::string_view path) {
  std::string result(path.starts_with('/') ? "/" : "");
  while (!path.empty()) {
    std::string_view component = path.substr(0, path.find('/'));
    path.remove_prefix(component.size() + (component.size() < path.size() ? 1 : 0));
    if (component.empty() || component == ".") continue;
    if (!result.empty() && !result.ends_with('/')) result += '/';
    result += component;
  }
  return result.empty() ? "." : result;
}

std::string path_from_here(std::string_view path) {
  std::string clean = without_dots(path);
  std::error_code error;
  std::string here = std::filesystem::current_path(error).string();
  if (error || here.size() >= clean.size() || !clean.starts_with(here)) return clean;
  if (!here.ends_with('/')) here += '/';
  return clean.starts_with(here) ? clean.substr(here.size()) : clean;
}

}  // namespace bpflink
