// BTF taken apart in the plainest way, for the oracle of deduplication: a second reader of the
// format, which shares no code with the library's and trusts that the library's has accepted
// the blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bpflink::test {

/// Numbers for strings, the same for equal ones. The empty string has 0.
class Names {
 public:
  uint32_t number(const std::string& name) {
    return numbers_.emplace(name, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, uint32_t> numbers_{{"", 0}};
};

/// The spaces in which C looks up tags.
enum class TagSpace : uint8_t { none, of_struct, of_union, of_enum };

/// A type without its place.
struct PlainType {
  uint8_t kind = 0;
  uint32_t name = 0;
  /// All that makes two types differ, but for what they refer to: info, the name, numbers, and
  /// names of the parts, in the order of the format.
  std::vector<uint32_t> words{};
  /// The ids of what it refers to, void among them, in the order of the format.
  std::vector<uint32_t> references{};
  /// The space of the type's name, of a struct, union, enum or declaration with a name.
  TagSpace space = TagSpace::none;
  /// A FWD, or an enum with a name and without enumerators.
  bool is_declaration = false;
};

/// The types of a blob and of all that it was split from.
struct PlainBtf {
  uint32_t first_id = 1;             ///< of the blob itself
  std::vector<PlainType> types{{}};  ///< by id; void is the first
  std::string strings{};             ///< of all blobs, one after another

  uint32_t end_id() const { return static_cast<uint32_t>(types.size()); }
};

/// Takes a valid blob apart. `base` is what it was split from, or null.
PlainBtf decode(std::span<const std::byte> blob, const PlainBtf* base, Names& names);

}  // namespace bpflink::test
