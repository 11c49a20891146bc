#include "linker/lto/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace bpflink::lto {
namespace {

constexpr char operand = '\0';

/// The lines of code between quotation marks, "r1 = ${0:w}\0Acall f", without spaces, and `operand`
/// for "${0:w}".
std::vector<std::string> lines_of(std::string_view printed, char mark) {
  printed.remove_prefix(printed.find(mark) + 1);
  const std::string code = unescaped(printed.substr(0, printed.find(mark)));
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < code.size(); ++i) {
    char character = code[i];
    if (character == '$' && i + 1 < code.size() && code[++i] != '$') {
      size_t last =
          code[i] == '{' ? code.find('}', i) : code.find_first_not_of("0123456789", i) - 1;
      i = std::min(last, code.size() - 1);
      character = operand;
    }
    if (character == '\n')
      lines.emplace_back();
    else if (character != ' ' && character != '\t')
      lines.back() += character;
  }
  return lines;
}

/// Whether a line is `code` with something for each operand.
bool is_made_of(std::string_view line, std::string_view code) {
  std::string_view rest_of_line, rest_of_code;  // behind the last operand; it may be longer
  for (;;) {
    if (line.empty() && code.empty()) return true;
    if (!code.empty() && code[0] == operand) {
      code.remove_prefix(1);
      rest_of_code = code, rest_of_line = line;
    } else if (!code.empty() && !line.empty() && code[0] == line[0]) {
      code.remove_prefix(1), line.remove_prefix(1);
    } else {
      if (rest_of_line.empty()) return false;
      rest_of_line.remove_prefix(1);
      code = rest_of_code, line = rest_of_line;
    }
  }
}

}  // namespace

void Assembly::add(const Ir& ir, uint64_t module, Value call, std::string_view printed) {
  Value function = ir.llvm.GetBasicBlockParent(ir.llvm.GetInstructionParent(call));
  calls_.push_back({module, ir.place_of(call), ir.name_of(function), lines_of(printed, '"')});
}

Assembly::Call* Assembly::find(const std::function<bool(const Call&)>& is_it) {
  Call* found = nullptr;
  for (Call& call : calls_)
    if ((!found || (found->is_reported && !call.is_reported)) && is_it(call)) found = &call;
  if (found) found->is_reported = true;
  return found;
}

std::pair<uint64_t, std::string> Assembly::locate(uint64_t module, std::string_view text) {
  // "<inline asm>:2:1: words\n\tr77 = 2\n\t^", or "words in inline asm: 'CODE' at line 300"
  constexpr std::string_view begin = "<inline asm>:", with_code = "in inline asm: '";
  size_t words = text.find(": "), end = text.find('\n');
  unsigned number = 0;
  if (text.starts_with(begin) && words < end && end != text.npos)
    std::from_chars(text.data() + begin.size(), text.data() + words, number);
  if (size_t at = text.find(with_code); at != text.npos) {
    auto lines = lines_of(text.substr(at), '\'');
    if (Call* call = find([&](const Call& of) { return of.lines == lines; }))
      return {call->module, fmt::format("{}in function {}: {}", call->place, call->function,
                                        text.substr(0, text.rfind('\'') + 1))};
  }
  if (number == 0) return {module, std::string(text)};
  std::string_view code = text.substr(end + 1);
  code = code.substr(0, code.find('\n'));
  code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
  std::string line(code);
  std::erase_if(line, [](char character) { return character == ' ' || character == '\t'; });
  Call* call = find([&](const Call& of) {
    return number <= of.lines.size() && is_made_of(line, of.lines[number - 1]);
  });
  if (!call) return {module, std::string(text)};
  return {call->module, fmt::format("{}in function {}, '{}': {}", call->place, call->function, code,
                                    text.substr(words + 2, end - words - 2))};
}

}  // namespace bpflink::lto
