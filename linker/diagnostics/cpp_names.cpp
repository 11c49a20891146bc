#include "linker/diagnostics/cpp_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace bpflink {

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z")) return "";
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return text ? text.get() : "";
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
