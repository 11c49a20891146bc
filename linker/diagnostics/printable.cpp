#include "linker/diagnostics/printable.hpp"

namespace bpflink {
namespace {

std::string replace_controls(std::string_view text, std::string_view kept) {
  std::string shown(text);
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    bool is_c0 = (byte < ' ' && kept.find(text[i]) == kept.npos) || byte == 0x7f;
    bool is_c1 = byte >= 0x80 && byte < 0xa0 && i > 0 && text[i - 1] == '\xc2';
    if (is_c0 || is_c1) shown[i] = '?';
    if (is_c1) shown[i - 1] = '?';
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view line) {
  return replace_controls(line, "\t");
}

std::string printable_lines(std::string_view text) {
  return replace_controls(text, "\t\n");
}

}  // namespace bpflink
