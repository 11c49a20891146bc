// BTF, parsed in the simplest way for the oracle of deduplication: a second parser of the format,
// which shares no code with the library's and relies on the library's having accepted the blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bpflink::test {

/// Numbers for strings; equal strings have the same number. The empty string has 0.
class Names {
 public:
  uint32_t number(const std::string& name) {
    return numbers_.emplace(name, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, uint32_t> numbers_{{"", 0}};
};

/// C's name spaces of tags
enum class TagSpace : uint8_t { None, OfStruct, OfUnion, OfEnum };

/// A type without its id
struct PlainType {
  uint8_t kind = 0;
  uint32_t name = 0;
  /// Everything that makes two types differ, except references: info, the name, numbers, and names
  /// of members, in the format's order
  std::vector<uint32_t> words{};
  /// The ids to which it refers, including void, in the format's order
  std::vector<uint32_t> references{};
  /// The name space of a named struct, union, enum or declaration
  TagSpace space = TagSpace::None;
  /// A FWD, or an enum with a name and without enumerators
  bool is_declaration = false;
};

/// The types of a blob and of all its bases
struct PlainBtf {
  uint32_t first_id = 1;             ///< of the blob itself
  std::vector<PlainType> types{{}};  ///< by id; void is the first
  std::string strings{};             ///< of all blobs, one after another

  uint32_t end_id() const { return static_cast<uint32_t>(types.size()); }
};

/// Parses a valid blob. `base` is its base, or null.
PlainBtf decode(std::span<const std::byte> blob, const PlainBtf* base, Names& names);

}  // namespace bpflink::test
