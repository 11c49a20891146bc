// What a skeleton shows of an object: names that C can use, and the members of
// its data sections with the padding that puts each at its offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  std::string loader_name = {};  ///< where it is a pointer: what libbpf finds the variable by
};

/// A data section that user space may read and write.
struct Section {
  std::string name;         ///< as an identifier: "rodata", "data_custom", "arena"
  std::string loader_name;  ///< in the object: ".rodata"
  uint64_t size = 0;        ///< bytes
  std::vector<Member> members;
};

/// A map, of the object's or made by the loader of a data section.
struct MapEntry {
  std::string name;         ///< as an identifier
  std::string loader_name;  ///< what libbpf finds it by
  std::string section;      ///< the Section that mirrors its contents, or ""
  std::string link;         ///< of a struct_ops, which is attached, the link's member; or ""
};

struct ProgramEntry {
  std::string name;         ///< as an identifier
  std::string loader_name;  ///< what libbpf finds it by
  std::string link;         ///< the link's member, "" in a subskeleton
};

/// A struct_ops variable that user space may change before it is loaded: members
/// that are functions are programs there.
struct Shadow {
  std::string name;  ///< the map's, as an identifier
  std::string type;  ///< of the variable, as an identifier
  std::vector<Member> members;
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

/// What `object`, whose bytes are `image`, shows under the name `name`. Both must
/// outlive the skeleton.
Skeleton make_skeleton(const Object& object, std::string name, std::span<const std::byte> image);

/// What a library shows that is linked into a larger object: the variables, of which libbpf finds
/// no arena's, are pointers, and nothing has links. `object` must outlive the skeleton.
Skeleton make_subskeleton(const Object& object, std::string name);

}  // namespace bpflink
