// Which input each type of the output is from, and what the output does not have of the inputs.
//
// A type is from the first input that has it in the size of the output's: a struct is not from an
// input that only declares it. A declaration that --prune-types made is from the first input with
// the struct. A string is from the first input that has it whole. The header includes the bytes
// between types and strings.
#include "linker/report/type_nodes.hpp"

namespace bpflink {

void TypeNodes::add_input(uint32_t index, const BtfView& input, uint64_t size, const TypeMap& map,
                          bool lists_dropped) {
  DroppedBytes types = add_types_of(index, input, map);
  if (!lists_dropped) return;
  DroppedBytes strings = add_strings_of(input);
  uint64_t header = header_size(input, size);
  if (header == header_) header = header_ = 0;
  auto drop = [&](const char* reason, uint64_t bytes) {
    if (bytes == 0) return;
    OutputModel& model = builder_.model;
    model.dropped.push_back({.file = model.inputs[index].name,
                             .section = ".BTF",
                             .name = "",
                             .reason = reason,
                             .bytes = bytes});
  };
  drop("types equal to earlier ones", types.equal);
  drop("types made anew or not needed", types.unneeded);
  drop("strings equal to earlier ones", strings.equal);
  drop("strings not needed", strings.unneeded);
  drop("header of .BTF", header);
}

TypeNodes::DroppedBytes TypeNodes::add_types_of(uint32_t index, const BtfView& input,
                                                const TypeMap& map) {
  DroppedBytes bytes;
  for (uint32_t id = input.first_id(); id < input.end_id(); ++id) {
    BtfType type = input.type(id);
    uint64_t size = type.words().size_bytes();
    uint32_t output = map[id];
    if (output < btf_.first_id()) {
      (output == 0 ? bytes.unneeded : bytes.equal) += size;
      continue;
    }
    BtfType made = btf_.type(output);
    uint64_t made_size = made.words().size_bytes();
    uint32_t& origin = builder_[node_of(output)].input;
    bool is_first = origin == no_node;
    bool is_pruned = is_composite(type.kind()) && made.kind() == BtfKind::Fwd;
    if (is_first && (is_pruned || made_size == size)) origin = index;
    if (is_pruned)
      bytes.unneeded += is_first ? size - made_size : size;
    else if (origin != index || !is_first)
      bytes.equal += size;
  }
  return bytes;
}

/// No input has the output's strings yet, but a base may.
void TypeNodes::begin_strings() {
  for_each_whole_string(
      btf_.strings(), [&](size_t, std::string_view string) { has_input_.emplace(string, false); });
  for (const BtfView* base = btf_.base(); base; base = base->base())
    for_each_whole_string(base->strings(),
                          [&](size_t, std::string_view string) { has_input_[string] = true; });
}

TypeNodes::DroppedBytes TypeNodes::add_strings_of(const BtfView& input) {
  DroppedBytes bytes;
  if (has_input_.empty()) begin_strings();
  for_each_whole_string(input.strings(), [&](size_t, std::string_view string) {
    auto found = has_input_.find(string);
    if (found == has_input_.end())
      bytes.unneeded += string.size();
    else if (found->second)
      bytes.equal += string.size();
    else
      found->second = true;
  });
  return bytes;
}

}  // namespace bpflink
