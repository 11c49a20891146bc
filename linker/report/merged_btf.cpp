// A type of the output is from the first input that has it in the size that it has there: a
// declaration that became a struct has not given that struct. A struct that became a declaration,
// by --prune-types, has given that. A string is from the first input that has it whole. The header
// counts with what stands between the sections.
#include "linker/report/merged_btf.hpp"

#include <algorithm>

namespace bpflink {
namespace {

/// The bytes of a blob that are neither types nor strings.
uint64_t measure_header(const Btf& btf, uint64_t size) {
  uint64_t rest = size - btf.strings().size();
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id)
    rest -= btf.type(id).words().size_bytes();
  return rest;
}

template <typename Visit>
void for_each_whole_string(const Btf& btf, Visit visit) {
  std::string_view strings = btf.strings();
  for (size_t begin = 0; begin < strings.size();) {
    size_t end = std::min(strings.find('\0', begin), strings.size() - 1) + 1;
    visit(strings.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

MergedBtf::MergedBtf(const Btf& output, uint64_t size, OutputModel& model)
    : output_(output),
      header_(measure_header(output, size)),
      origins_(output.end_id(), no_node),
      model_(model) {
  for_each_whole_string(output, [&](std::string_view string) { strings_.emplace(string, false); });
  for (const Btf* base = output.base(); base; base = base->base())
    for_each_whole_string(*base, [&](std::string_view string) { strings_[string] = true; });
}

void MergedBtf::add(uint32_t index, const Btf& input, uint64_t size, const TypeMap& map) {
  Bytes types = add_types(index, input, map), strings = add_strings(input);
  auto drop = [&](const char* reason, uint64_t bytes) {
    if (bytes != 0)
      model_.dropped.push_back({model_.inputs[index].name, ".BTF", "", reason, bytes});
  };
  drop("types equal to earlier ones", types.equal);
  drop("types made anew or not needed", types.unneeded);
  drop("strings equal to earlier ones", strings.equal);
  drop("strings not needed", strings.unneeded);
  drop("header of .BTF", add_header(input, size));
}

MergedBtf::Bytes MergedBtf::add_types(uint32_t index, const Btf& input, const TypeMap& map) {
  Bytes bytes;
  for (uint32_t id = input.first_id(); id < input.end_id(); ++id) {
    BtfType type = input.type(id);
    uint64_t size = type.words().size_bytes();
    uint32_t output = map[id];
    if (output == 0) {
      bytes.unneeded += size;
      continue;
    }
    if (output < output_.first_id()) {
      bytes.equal += size;
      continue;
    }
    BtfType there = output_.type(output);
    uint64_t size_there = there.words().size_bytes();
    bool is_first = origins_[output] == no_node;
    bool is_pruned = is_composite(type.kind()) && there.kind() == BtfKind::Fwd;
    if (is_first && (is_pruned || size_there == size)) origins_[output] = index;
    if (is_pruned)
      bytes.unneeded += is_first ? size - size_there : size;
    else if (origins_[output] != index || !is_first)
      bytes.equal += size;
  }
  return bytes;
}

MergedBtf::Bytes MergedBtf::add_strings(const Btf& input) {
  Bytes bytes;
  for_each_whole_string(input, [&](std::string_view string) {
    auto found = strings_.find(string);
    if (found == strings_.end())
      bytes.unneeded += string.size();
    else if (found->second)
      bytes.equal += string.size();
    else
      found->second = true;
  });
  return bytes;
}

uint64_t MergedBtf::add_header(const Btf& input, uint64_t size) {
  uint64_t header = measure_header(input, size);
  if (header != header_) return header;
  header_ = 0;
  return 0;
}

}  // namespace bpflink
