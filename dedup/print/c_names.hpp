// What types and enumerators are called in C, where each name can be given once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The name spaces of C at file scope.
enum class CNameSpace : uint8_t {
  tag,       ///< of structs, unions and enums
  ordinary,  ///< of typedefs and enumerators
};

/// Whether C can have a text as a name: an identifier, no keyword, and not of a length at which a
/// listing would grow out of proportion.
bool is_c_name(std::string_view text);

/// A name for C that is like a text: with `_` for what an identifier cannot have, and behind a
/// keyword.
std::string make_c_name(std::string_view text);

/// A name as C can have it, but "" for none.
std::string c_name(std::string_view text);

/// A text between quotes, with `_` for what clang does not take in an attribute's text.
std::string attribute_text(std::string_view text);

/// Appends ___2, ___3 and so on to names until they differ.
class RepeatedNames {
 public:
  /// The first of `name`, `name`___2, ... that neither this function has given nor `is_taken` says
  /// to be in use.
  template <typename IsTaken>
  std::string next(const std::string& name, IsTaken is_taken) {
    uint32_t& count = counts_[name];
    for (;;) {
      std::string candidate = count == 0 ? name : name + "___" + std::to_string(count + 1);
      ++count;
      if (!is_taken(candidate) && given_.insert(candidate).second) return candidate;
    }
  }

 private:
  std::unordered_map<std::string, uint32_t> counts_;
  std::unordered_set<std::string> given_;
};

/// Gives names to the members of one struct.
class MemberNames {
 public:
  /// `names` are what its members are called in BTF.
  explicit MemberNames(std::vector<std::string_view> names);

  /// `name`, or one like it that no other member has.
  std::string next(std::string_view name);
  /// The name of a member that is not in BTF.
  std::string next_new(const std::string& wish);

 private:
  std::vector<std::string_view> names_;  ///< sorted
  std::unordered_set<std::string_view> seen_;
  RepeatedNames repeated_;
  bool has_repeats_;
};

class CNames {
 public:
  /// Finds names for all types and enumerators of `btf`, in which `long` has `long_size` bytes. The
  /// first that has a name keeps it, definitions before declarations and types before enumerators.
  CNames(const BtfView& btf, uint32_t long_size);

  /// The name of a typedef, of a tag, of an INT or FLOAT that C does not know, or that was given.
  std::string_view of(uint32_t id) const;
  /// The name of an enumerator.
  std::string_view of_enumerator(uint32_t id, uint32_t i) const;
  /// Of a FWD, or of an ENUM without enumerators: the id of what it declares, or of the first type
  /// that declares the same. Of any other type its own id.
  uint32_t declared(uint32_t id) const;

  /// A name that nothing else has, `wish` if possible.
  std::string unique(CNameSpace space, std::string_view wish);
  /// Has a type called by a name of unique().
  void give(uint32_t id, std::string name);

 private:
  struct Entry {
    CNameSpace space;
    std::string_view name;
    uint8_t rank;  ///< who keeps the name
    uint32_t id;
    uint32_t element;  ///< of an enumerator, counted from 1; else 0
  };

  void collect(uint32_t long_size);
  void choose(size_t begin, size_t end);
  bool bind(size_t begin, size_t at);
  bool is_taken(CNameSpace space, std::string_view name) const;
  static uint64_t key(uint32_t id, uint32_t element) { return uint64_t{id} << 32 | element; }

  BtfView btf_;
  std::vector<Entry> entries_;  ///< sorted
  std::unordered_map<uint64_t, std::string> renamed_;
  std::unordered_map<uint32_t, uint32_t> declared_;
  RepeatedNames repeated_[2];
};

}  // namespace bpflink
