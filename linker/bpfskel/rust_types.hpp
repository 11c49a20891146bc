// Types of an object as Rust has them.
//
// Every bit pattern of the bytes of an object must be a value of what shows them, so bool is u8,
// an enum is an integer with constants, and a pointer, which is one of the kernel's, is u64. All
// padding is written out, and each struct has the alignment that it has in BPF: nothing is left to
// the compiler. Bit-fields lie in what is padding here.
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

/// A name for Rust that is like a text.
std::string make_rust_name(std::string_view text);

class RustTypes {
 public:
  /// Of an object without types where `btf` is null. Then there is nothing to define.
  explicit RustTypes(const Btf* btf) : btf_(btf) {}

  /// Defines the struct of a data section, and keeps its name from all types.
  void define_section(const Section& section);

  /// Defines what the sections are made of; the text of it all. Call it once, at the end.
  std::string take();

 private:
  /// What the fields of a struct or union have in common.
  struct Record {
    std::string text;
    RepeatedNames names;
    uint64_t end = 0;  ///< bytes so far
    int paddings = 0;
    uint32_t alignment = 1;  ///< bytes; 1 is packed
  };

  std::string name_type(uint32_t id, std::string_view wish);
  std::string type_text(uint32_t id, std::string_view wish);
  std::string base_text(uint32_t id, std::string_view wish);
  void add_padding(Record& record, uint64_t offset);
  void add_field(Record& record, std::string_view name, uint64_t offset, uint32_t type,
                 std::string_view wish);
  void define_record(uint32_t id);
  void define_enum(uint32_t id);
  void finish(const Record& record, std::string_view keyword, const std::string& name,
              uint64_t size);

  const Btf* btf_;
  RepeatedNames names_;  ///< of types
  RepeatedNames enumerators_;
  std::unordered_map<uint32_t, std::string> named_;  ///< types that have been given a name
  std::deque<uint32_t> open_;                        ///< of these, what is not defined yet
  std::string text_;
};

}  // namespace bpflink
