// Types of BTF as types of Rust.
//
// All padding is explicit, and each struct has the alignment of BPF: nothing is left to the
// compiler, which checks each size and offset. What has no place as a field gets functions: a
// bit-field, and a member that is misaligned or overlaps others.
//
// Every bit pattern of an object's bytes must be a valid value. So bool is u8, and an enum is an
// integer with constants (with libbpf-rs, as libbpf-cargo's, a struct of an integer).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/print/c_layout.hpp"

namespace bpflink {

/// Who uses the types.
enum class RustUse : uint8_t {
  Skeleton,  ///< user space, for which pointers, which are the kernel's, are numbers
  LibbpfRs,  ///< as above, beside libbpf-rs
  Kernel,    ///< BPF programs as well, which follow pointers
};

/// A field of a struct that is not in BTF.
struct RustField {
  std::string_view name;
  uint64_t offset = 0;  ///< bytes
  uint32_t type_id = 0;
  bool is_program = false;  ///< a pointer to a program of libbpf
};

/// A type, and the expression of its default value.
struct RustType {
  std::string text;
  std::string value = "core::default::Default::default()";
  bool has_default = true;  ///< Rust can derive it

  RustType in_array(uint64_t length) &&;
};

/// A valid Rust name similar to a text.
std::string make_rust_name(std::string_view text);

class RustTypes {
 public:
  /// `btf` is null for an object without types: then there is nothing to define.
  RustTypes(const Btf* btf, RustUse use);

  /// Defines a struct with these fields and at least that size, and returns its name.
  std::string define_struct(std::string_view preferred, std::span<const RustField> fields,
                            uint64_t size, std::string_view comment = "");

  /// Defines a type later; `name` is for one without a tag.
  void use_type(uint32_t id, const std::string& name) {
    if (id != 0) type_of(id, name);
  }

  /// Defines all types of the BTF, or of a part of a kernel's.
  void use_all(const PrintedChoice& choice);

  /// Defines the types that are used, and returns the whole text, each line of which is indented by
  /// some spaces. Call it once, at the end.
  std::string finish_text(size_t indent);

 private:
  /// The state while the fields of a struct or union are added.
  struct Record {
    std::string text;
    std::string defaults;  ///< the value of each field
    std::string places;    ///< the offset of each field
    std::string functions;
    bool has_default = true;  ///< Rust can derive it
    RepeatedNames names, function_names;
    uint64_t end = 0;        ///< bytes so far
    uint32_t alignment = 1;  ///< bytes; 1 is packed
  };

  uint64_t size_of(uint32_t id) const;
  uint32_t alignment_of(uint32_t id);
  std::string name_type(uint32_t id, std::string_view preferred);
  RustType type_of(uint32_t id, std::string_view preferred);
  RustType element_type(uint32_t id, std::string_view preferred, bool is_pointee);
  void define_alias(uint32_t id);
  void define_functions();
  static void add(Record& record, const std::string& name, const RustType& type);
  static void add_padding(Record& record, uint64_t offset);
  void add_field(Record& record, std::string_view name, uint64_t offset, uint32_t type,
                 std::string_view preferred, bool is_program = false);
  void add_functions(Record& record, std::string_view name, std::string_view type,
                     std::string_view get, std::string_view set);
  void add_placed(Record& record, std::string_view name, uint64_t offset, std::string_view type);
  void add_bits(Record& record, std::string_view name, MemberBits bits, uint32_t type);
  void define_open();
  void define(uint32_t id);
  void define_record(uint32_t id);
  void define_enum(uint32_t id);
  void define_enum_struct(uint32_t id);
  void finish(const Record& record, std::string_view keyword, const std::string& name,
              uint64_t size);

  const Btf* btf_;
  RustUse use_;
  uint32_t pointer_size_ = 8;
  RepeatedNames names_;  ///< of types
  RepeatedNames enumerators_;
  std::unordered_map<uint32_t, std::string> named_;      ///< the names of types, by id
  std::unordered_map<std::string, std::string> by_key_;  ///< the same of tags, by type_key()
  std::unordered_map<uint32_t, uint32_t> alignments_;    ///< of types, by id
  std::deque<uint32_t> open_;                            ///< named types that are not defined yet
  bool has_records_ = false, has_functions_ = false;
  std::string text_;
};

/// A module for Rust, without its standard library, of the types of `btf` and its marked kfuncs.
std::string print_rust_module(const Btf& btf, const PrintedChoice& choice);

}  // namespace bpflink
