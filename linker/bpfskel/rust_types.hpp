// Types of an object in Rust.
//
// Every bit pattern of an object's bytes must be a valid value of the Rust type. So bool is u8, an
// enum is an integer with constants, and a pointer, which is the kernel's, is u64. All padding is
// explicit, and each struct has its alignment in BPF: nothing is left to the compiler. Bit-fields
// become padding.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bpflink/btf.hpp"
#include "dedup/internal.hpp"
#include "linker/bpfskel/model.hpp"

namespace bpflink {

/// A valid Rust name similar to a text.
std::string make_rust_name(std::string_view text);

class RustTypes {
 public:
  /// `btf` is null for an object without types: then there is nothing to define.
  explicit RustTypes(const Btf* btf) : btf_(btf) {}

  /// Defines the struct of a data section, and reserves its name.
  void define_section(const Section& section);

  /// Defines the types that the sections use, and returns the whole text. Call it once, at the end.
  std::string finish_text();

 private:
  /// The state while the fields of a struct or union are added.
  struct Record {
    std::string text;
    RepeatedNames names;
    uint64_t end = 0;  ///< bytes so far
    int paddings = 0;
    uint32_t alignment = 1;  ///< bytes; 1 is packed
  };

  std::string name_type(uint32_t id, std::string_view preferred);
  std::string type_text(uint32_t id, std::string_view preferred);
  std::string base_text(uint32_t id, std::string_view preferred);
  void add_padding(Record& record, uint64_t offset);
  void add_field(Record& record, std::string_view name, uint64_t offset, uint32_t type,
                 std::string_view preferred);
  void define_record(uint32_t id);
  void define_enum(uint32_t id);
  void finish(const Record& record, std::string_view keyword, const std::string& name,
              uint64_t size);

  const Btf* btf_;
  RepeatedNames names_;  ///< of types
  RepeatedNames enumerators_;
  std::unordered_map<uint32_t, std::string> named_;  ///< the names of types, by id
  std::deque<uint32_t> open_;                        ///< named types that are not defined yet
  std::string text_;
};

}  // namespace bpflink
