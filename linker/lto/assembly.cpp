#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

/// The lines of code between quotation marks, "r1 = ${0:w}\0Acall f", without spaces, as patterns
/// of fnmatch(): anything may stand for "${0:w}".
std::vector<std::string> lines_of(std::string_view printed, char mark) {
  printed.remove_prefix(printed.find(mark) + 1);
  const std::string code = unescaped(printed.substr(0, printed.find(mark)));
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < code.size(); ++i) {
    bool is_dollar = code[i] == '$' && i + 1 < code.size();
    if (is_dollar) ++i;
    if (is_dollar && code[i] != '$') {
      size_t last =
          code[i] == '{' ? code.find('}', i) : code.find_first_not_of("0123456789", i) - 1;
      i = std::min(last, code.size() - 1);
      lines.back() += '*';
    } else if (code[i] == '\n') {
      lines.emplace_back();
    } else if (code[i] != ' ' && code[i] != '\t') {
      lines.back().append({'\\', code[i]});
    }
  }
  return lines;
}

}  // namespace

void Assembly::add(const Ir& ir, uint64_t module, Value call, std::string_view printed) {
  Value function = ir.llvm.GetBasicBlockParent(ir.llvm.GetInstructionParent(call));
  calls_.push_back({module, ir.place_of(call), ir.name_of(function), lines_of(printed, '"')});
}

std::pair<uint64_t, std::string> Assembly::locate(uint64_t module, std::string_view text) {
  // "<inline asm>:2:1: words\n\tr77 = 2\n\t^", or "words in inline asm: 'CODE' at line 300"
  constexpr std::string_view begin = "<inline asm>:", with_code = "in inline asm: '";
  size_t words = text.find(": "), end = text.find('\n'), at = text.find(with_code);
  std::vector<std::string> lines;
  std::string line, said;
  unsigned number = 0;
  if (at != text.npos) {
    lines = lines_of(text.substr(at), '\'');
    said = fmt::format(": {}", text.substr(0, text.rfind('\'') + 1));
  } else if (text.starts_with(begin) && words < end && end != text.npos) {
    std::from_chars(text.data() + begin.size(), text.data() + words, number);
    std::string_view code = text.substr(end + 1);
    code = code.substr(0, code.find('\n'));
    code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
    line = code;
    std::erase_if(line, [](char character) { return character == ' ' || character == '\t'; });
    said = fmt::format(", '{}': {}", code, text.substr(words + 2, end - words - 2));
  }
  Call* found = nullptr;
  for (Call& call : calls_) {
    if (found && (!found->is_reported || call.is_reported)) continue;
    bool is_line = number > 0 && number <= call.lines.size() &&
                   ::fnmatch(call.lines[number - 1].c_str(), line.c_str(), 0) == 0;
    if (is_line || (!lines.empty() && call.lines == lines)) found = &call;
  }
  if (!found) return {module, std::string(text)};
  found->is_reported = true;
  return {found->module, fmt::format("{}in function {}{}", found->place, found->function, said)};
}

}  // namespace bpflink::lto
