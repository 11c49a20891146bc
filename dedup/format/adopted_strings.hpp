// A string section that tables take over as it is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bpflink {

/// The strings of a section, one after another and each with its NUL, the empty one first.
/// Does not change, and may be shared by the tables of several threads.
class AdoptedStrings {
 public:
  /// Copies the section.
  explicit AdoptedStrings(std::string_view section);

  const char* text() const { return text_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }

  /// Whether a string begins at an offset, which is below size(), and stands nowhere before.
  bool has(uint32_t offset) const { return is_first_[offset]; }

 private:
  std::vector<char> text_;
  std::vector<bool> is_first_;  ///< by offset
};

}  // namespace bpflink
