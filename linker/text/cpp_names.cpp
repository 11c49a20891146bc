#include "linker/text/cpp_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bpflink {

namespace {

constexpr size_t max_text = 1000;  ///< a longer name helps nobody

/// Whether a mangled name is also short in C++. Each reference to an earlier part of the name (S_,
/// S0_, T_) may double it. The demangler is recursive and has no limits of its own.
bool is_short(std::string_view name) {
  constexpr size_t max_length = 500;
  constexpr int max_references = 12;
  int references = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i)
    if ((name[i] == 'S' || name[i] == 'T') &&
        (name[i + 1] == '_' || std::isdigit(static_cast<unsigned char>(name[i + 1])) ||
         std::isupper(static_cast<unsigned char>(name[i + 1]))))
      ++references;
  return name.size() <= max_length && references <= max_references;
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z") || !is_short(name)) return "";
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return text && std::strlen(text.get()) <= max_text ? text.get() : "";
}

std::string find_cpp_definition(const ObjectFile& object, std::string_view name) {
  std::string prefix = fmt::format("_Z{}{}", name.size(), name);
  for (const InputSymbol& symbol : object.symbols) {
    if (symbol.is_local() || !symbol.is_defined() || !symbol.name.starts_with(prefix)) continue;
    std::string text = demangle(symbol.name);
    if (text.starts_with(fmt::format("{}(", name))) return text;
  }
  return "";
}

std::vector<std::string> describe_cpp_definition(std::string_view object,
                                                 std::string_view definition) {
  return {fmt::format("{} defines it as C++: {}", object, definition),
          "if C uses it, declare it extern \"C\" in C++"};
}

}  // namespace bpflink
