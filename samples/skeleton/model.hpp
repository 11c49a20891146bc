// What a skeleton shows of an object: names that C can use, and the members of
// its data sections with the padding that puts each at its offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bpflink/object.hpp"

/// A member of a data section's struct: a variable, or padding.
struct Member {
  std::string name;
  std::string declaration;  ///< "int limits[2][3]"
  uint64_t offset = 0;      ///< bytes into the section
  uint64_t size = 0;        ///< bytes
  bool is_padding = false;
};

/// A data section that user space may read and write.
struct Section {
  std::string name;  ///< as an identifier: "rodata", "data_custom", "arena"
  std::vector<Member> members;
};

/// A map, of the object's or made by the loader of a data section.
struct MapEntry {
  std::string name;         ///< as an identifier
  std::string loader_name;  ///< what libbpf finds it by
  std::string section;      ///< the Section of its contents, or ""
  bool has_link = false;    ///< a struct_ops that is attached by a link
};

struct Skeleton {
  std::string name;  ///< an identifier
  std::vector<MapEntry> maps;
  std::vector<std::string> programs;
  std::vector<Section> sections;
  std::span<const std::byte> image;  ///< the object's bytes
};

/// What `object`, whose bytes are `image`, shows under the name `name`.
Skeleton make_skeleton(const bpflink::Object& object, std::string name,
                       std::span<const std::byte> image);
