// LLVM has no type for Rust's characters, and none for functions of which rustc describes nothing
// (debug = 1): it leaves what refers to one without a value. As text, the ones become numbers, the
// others functions without parameters. Where nobody makes an object of it here, types and functions
// get their names for kernels as text, too.
#include <fmt/format.h>

#include <algorithm>

#include "dedup/check/names.hpp"
#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

/// Replaces it in metadata, whose lines begin with an exclamation mark: a program may hold any
/// text.
bool replace_all(std::string& text, std::string_view old, std::string_view with) {
  bool is_changed = false;
  for (size_t at = 0; (at = text.find(old, at)) != text.npos; at += old.size()) {
    if (text[text.rfind('\n', at) + 1] != '!') continue;
    text.replace(at, old.size(), with);
    is_changed = true;
  }
  return is_changed;
}

bool is_of_rust(const Ir& ir, LlvmModule module) {
  return std::ranges::any_of(ir.named_metadata(module, "llvm.dbg.cu"), [&](Value unit) {
    return std::ranges::any_of(ir.operands(unit), [&](Value operand) {
      return ir.text(operand).contains("rustc version");
    });
  });
}

/// Renames all but variables, which loaders find by their symbols.
std::string with_kernel_names(std::string_view text) {
  constexpr std::string_view key = "name: \"";
  std::string renamed;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n', 1));
    text.remove_prefix(line.size());
    size_t at = line.starts_with("\n!") ? line.find(key) : line.npos;
    while (at != line.npos && line[at - 1] != '(' && line[at - 1] != ' ')
      at = line.find(key, at + 1);  // "filename: "
    if (at == line.npos || line.contains("!DIGlobalVariable(")) {
      renamed += line;
      continue;
    }
    size_t begin = at + key.size(), end = std::min(line.find('"', begin), line.size());
    renamed.append(line.substr(0, begin));
    renamed += kernel_name(unescaped(line.substr(begin, end - begin)));
    renamed += line.substr(end);
  }
  return renamed;
}

}  // namespace

LlvmModule mend_debug_info(const Session& session, LlvmModule module) {
  const Llvm& llvm = session.llvm;
  bool renames = session.options.kernel_names && !session.request.makes_object();
  if (!module || !(renames || is_of_rust(session.ir, module))) return module;
  char* printed = llvm.PrintModuleToString(module);
  std::string text = printed;
  llvm.DisposeMessage(printed);
  bool is_changed = replace_all(text, "encoding: DW_ATE_UTF", "encoding: DW_ATE_unsigned");
  if (size_t end = text.find(" = !{}\n"); end != text.npos) {
    size_t begin = text.rfind('\n', end) + 1;
    std::string nothing = text.substr(begin, end - begin);
    is_changed |= replace_all(text, fmt::format("types: {})", nothing), "types: !{null})");
  }
  if (renames) text = with_kernel_names(text);
  if (!is_changed && !renames) return module;
  Buffer buffer = llvm.CreateMemoryBufferWithMemoryRange(text.c_str(), text.size(), "lto", 1);
  LlvmModule changed = nullptr;
  char* message = nullptr;
  if (llvm.ParseIRInContext(session.ir.context, buffer, &changed, &message) == 0) return changed;
  session.warn(message);
  return module;
}

}  // namespace bpflink::lto
