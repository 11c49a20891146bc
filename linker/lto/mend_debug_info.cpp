// LLVM has no type for Rust's characters, and none for functions of which rustc describes nothing
// (debug = 1): it leaves what refers to one without a value. As text, the ones become numbers, the
// others functions without parameters. Where the output is not an object, types and functions also
// get names that kernels accept.
#include <fmt/format.h>

#include <algorithm>

#include "dedup/check/names.hpp"
#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

void replace_all(std::string& text, std::string_view old, std::string_view with) {
  for (size_t at = 0; (at = text.find(old, at)) != text.npos; at += with.size())
    text.replace(at, old.size(), with);
}

bool is_of_rust(const Ir& ir, LlvmModule module) {
  return std::ranges::any_of(ir.named_metadata(module, "llvm.dbg.cu"), [&](Value unit) {
    return std::ranges::any_of(ir.operands(unit), [&](Value operand) {
      return ir.text(operand).contains("rustc version");
    });
  });
}

/// Renames what a line of metadata describes. Variables keep their names: loaders find their
/// symbols.
void rename_for_kernels(std::string& line) {
  constexpr std::string_view first = "(name: \"", later = " name: \"";
  size_t at = std::min(line.find(first), line.find(later));
  if (at == line.npos || line.contains("!DIGlobalVariable(")) return;
  size_t begin = at + first.size(), end = std::min(line.find('"', begin), line.size());
  line.replace(begin, end - begin, kernel_name(unescaped(line.substr(begin, end - begin))));
}

}  // namespace

LlvmModule mend_debug_info(const Session& session, LlvmModule module) {
  const Llvm& llvm = session.llvm;
  bool renames =
      session.request.joins && session.options.kernel_names && !session.request.makes_object();
  if (!module || !(renames || is_of_rust(session.ir, module))) return module;
  char* printed = llvm.PrintModuleToString(module);
  const std::string before = printed;
  llvm.DisposeMessage(printed);
  size_t end = before.find(" = !{}\n"), begin = before.rfind('\n', end) + 1;
  const std::string nothing = fmt::format("types: {})", before.substr(begin, end - begin));
  std::string text;
  for (std::string_view rest = before; !rest.empty();) {
    std::string line(rest.substr(0, rest.find('\n', 1)));  // with the end of the one before
    rest.remove_prefix(line.size());
    if (line.starts_with("\n!")) {  // elsewhere, a program may hold any text
      replace_all(line, "encoding: DW_ATE_UTF", "encoding: DW_ATE_unsigned");
      if (end != before.npos) replace_all(line, nothing, "types: !{null})");
      if (renames) rename_for_kernels(line);
    }
    text += line;
  }
  if (text == before) return module;
  Buffer buffer = llvm.CreateMemoryBufferWithMemoryRange(text.c_str(), text.size(), "lto", 1);
  LlvmModule changed = nullptr;
  char* message = nullptr;
  if (llvm.ParseIRInContext(session.ir.context, buffer, &changed, &message) == 0) return changed;
  session.warn(message);
  return module;
}

}  // namespace bpflink::lto
