#include "dedup/messages.hpp"

namespace bpflink {

namespace {

/// The number of bytes of the character at the beginning of `text` if it changes how the text
/// around it is shown, else 0: Unicode's Bidi_Control, and its line and paragraph separators.
size_t layout_control(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text.starts_with("\xd8\x9c")) return 2;  // U+061C
  if (text.size() < 3 || text[0] != '\xe2') return 0;
  auto last = static_cast<unsigned char>(text[2]);
  bool is_mark_or_embedding = text[1] == '\x80' && ((last >= 0x8e && last <= 0x8f) ||  // U+200E
                                                    (last >= 0xa8 && last <= 0xae));   // U+2028
  bool is_isolate = text[1] == '\x81' && last >= 0xa6 && last <= 0xa9;                 // U+2066
  return is_mark_or_embedding || is_isolate ? 3 : 0;
}

std::string replace_controls(std::string_view text, std::string_view kept) {
  std::string shown(text);
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    bool is_c0 = (byte < ' ' && kept.find(text[i]) == kept.npos) || byte == 0x7f;
    bool is_c1 = byte >= 0x80 && byte < 0xa0 && i > 0 && text[i - 1] == '\xc2';
    if (is_c0 || is_c1) shown[i] = '?';
    if (is_c1) shown[i - 1] = '?';
    for (size_t j = 0, size = layout_control(text.substr(i)); j < size; ++j) shown[i + j] = '?';
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
