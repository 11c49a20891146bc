// Names of types, enumerators and members in C, each unique in its name space.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The longest name that kernels accept, in bytes.
inline constexpr size_t max_name_length = 511;

/// The name spaces of C at file scope.
enum class CNameSpace : uint8_t {
  Tag,       ///< of structs, unions and enums
  Ordinary,  ///< of functions, typedefs and enumerators
};

/// Whether a text is a valid name in C: an identifier, no keyword, and not too long.
bool is_c_name(std::string_view text);

/// A valid name in C made from a text: `_` replaces invalid characters, and is appended to
/// keywords.
std::string make_c_name(std::string_view text);

/// The text itself if it is "" or a valid name, otherwise make_c_name().
std::string c_name(std::string_view text);

/// Whether a name that C permits is a type of C++ or a macro of a header: `wchar_t`, `errno`.
bool is_type_or_macro(std::string_view name);

/// A text as a string of C, without trigraphs. `_` replaces what is not printable ASCII, which
/// clang rejects in the text of an attribute, and no loader accepts in a name.
std::string quoted_in_c(std::string_view text);

/// Appends ___2, ___3 and so on to names until they differ.
class RepeatedNames {
 public:
  /// The first of `name`, `name`___2, ... that was not returned before and for which `is_taken` is
  /// false.
  template <typename IsTaken>
  std::string next(const std::string& name, IsTaken is_taken) {
    uint32_t& count = counts_[name];
    for (;;) {
      std::string candidate = count == 0 ? name : name + "___" + std::to_string(count + 1);
      ++count;
      if (!is_taken(candidate) && given_.insert(candidate).second) return candidate;
    }
  }

  /// Whether next() returned a name.
  bool has_given(const std::string& name) const { return given_.contains(name); }

 private:
  std::unordered_map<std::string, uint32_t> counts_;
  std::unordered_set<std::string> given_;
};

/// Makes the names of one struct's members unique.
class MemberNames {
 public:
  /// `names` are those of the members in BTF.
  explicit MemberNames(std::vector<std::string_view> names);

  /// `name`, or a similar one that no other member has.
  std::string next(std::string_view name);
  /// A name like `preferred` for a member that is not in BTF.
  std::string next_new(const std::string& preferred);

 private:
  std::vector<std::string_view> names_;  ///< sorted
  std::unordered_set<std::string_view> seen_;
  RepeatedNames repeated_;
  bool has_repeats_;
};

/// The names of all types and enumerators of a header.
class CNames {
 public:
  /// Finds names for types and functions of `btf`, in which `long` has `long_size` bytes, and for
  /// enumerators. If several have one name, the first in `ids` keeps it: functions before types
  /// before enumerators, definitions before declarations.
  CNames(const BtfView& btf, std::span<const uint32_t> ids, uint32_t long_size);

  /// The name of a function, typedef or tag, of an INT or FLOAT that C does not have, or from
  /// set_name().
  std::string_view of(uint32_t id) const;
  /// The name of an enumerator.
  std::string_view of_enumerator(uint32_t id, uint32_t i) const;
  /// For a FWD, or an ENUM without enumerators: the id of the definition, or of the first type that
  /// declares the same. For any other type its own id.
  uint32_t declared(uint32_t id) const;

  /// Whether a name is in the BTF or was given to something.
  bool is_used(CNameSpace space, const std::string& name) const;
  /// A name that nothing else has: `preferred` if possible.
  std::string unique(CNameSpace space, std::string_view preferred);
  /// Sets the name of a type, which is from unique().
  void set_name(uint32_t id, std::string name);

 private:
  struct Entry {
    CNameSpace space;
    std::string_view name;
    uint8_t rank;  ///< the lowest keeps the name
    uint32_t id;
    uint32_t element;  ///< of an enumerator, counted from 1; otherwise 0
  };

  void collect(std::span<const uint32_t> ids, uint32_t long_size);
  void rename_repeats(size_t begin, size_t end);
  bool find_declared(size_t begin, size_t at);
  bool is_taken(CNameSpace space, std::string_view name) const;
  static uint64_t key(uint32_t id, uint32_t element) { return uint64_t{id} << 32 | element; }

  BtfView btf_;
  std::vector<Entry> entries_;  ///< sorted
  std::unordered_map<uint64_t, std::string> renamed_;
  std::unordered_map<uint32_t, uint32_t> declared_;
  RepeatedNames repeated_[2];
};

}  // namespace bpflink
