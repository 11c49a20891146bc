// What a skeleton has: code for a program that loads one object, and finds its parts by name:
// `skel->maps.events`, `skel->rodata->limit = 3`. A struct is laid over the bytes of a data
// section, so each variable must be at its offset, with padding before it. What is no name in C
// gets one. emit_c.cpp and its neighbors write all that in a language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

/// A member of a struct that mirrors bytes of the object: a variable of a data
/// section, a member of a struct_ops, or padding; in a subskeleton, a pointer to a variable.
struct Member {
  std::string name;
  std::string declaration;       ///< "int limits[2][3]", "int (*limits)[2][3]"
  uint64_t offset = 0;           ///< bytes into the struct or section
  uint64_t size = 0;             ///< bytes
  uint32_t type_id = 0;          ///< 0 for padding
  std::string loader_name = {};  ///< for a pointer: the name by which libbpf finds the variable
  bool is_pointer = false;       ///< of a struct_ops: a pointer of user space, whatever its size
};

/// A data section that user space may read and write.
struct Section {
  std::string name;         ///< as an identifier: "rodata", "data_custom", "arena"
  std::string loader_name;  ///< in the object: ".rodata"
  uint64_t size = 0;        ///< bytes
  std::vector<Member> members;
  /// Where pointers and `long` do not have 8 bytes, as in BPF; empty if they are the same.
  std::vector<Member> members_on_32_bits = {};
};

/// A map of the object, or one that the loader makes for a data section.
struct MapEntry {
  std::string name;            ///< as an identifier
  std::string loader_name;     ///< its name for libbpf
  std::string section;         ///< the Section that mirrors its contents, or ""
  std::string link;            ///< the member of a struct_ops's link; or ""
  uint32_t key_type_id = 0;    ///< 0 if the definition names no type
  uint32_t value_type_id = 0;  ///< as above
  bool autoload = true;        ///< false for a struct_ops that the loader omits unless asked for
};

struct ProgramEntry {
  std::string name;         ///< as an identifier
  std::string loader_name;  ///< its name for libbpf
  std::string link;         ///< the link's member, "" in a subskeleton
};

/// A struct_ops variable that user space may change before loading. Its function members are
/// programs.
struct Shadow {
  std::string name;  ///< the map's, as an identifier
  std::string type;  ///< of the variable, as an identifier
  std::vector<Member> members;
  std::vector<Member> members_on_32_bits = {};  ///< as of a Section
};

struct Skeleton {
  std::string name;  ///< an identifier
  std::vector<MapEntry> maps;
  std::vector<ProgramEntry> programs;
  std::vector<Section> sections;
  std::vector<Shadow> shadows;
  const Btf* btf = nullptr;          ///< the object's, or null
  std::span<const std::byte> image;  ///< the object's bytes
};

/// Whether a pointer of a struct_ops is to a function: for user space, to a program.
bool points_to_function(const BtfView& btf, uint32_t type);

/// The skeleton of `object`, whose bytes are `image`, under the name `name`. Both must outlive it.
/// Errors: its declarations would be too long.
std::expected<Skeleton, Error> make_skeleton(const Object& object, std::string name,
                                             std::span<const std::byte> image);

/// The subskeleton of a library that is linked into a larger object: variables are pointers (libbpf
/// finds none of an arena), and nothing has links. `object` must outlive it. Errors: as above.
std::expected<Skeleton, Error> make_subskeleton(const Object& object, std::string name);

}  // namespace bpflink
