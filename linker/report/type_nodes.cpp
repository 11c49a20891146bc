#include "linker/report/type_nodes.hpp"

#include <fmt/format.h>

#include <optional>

#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// The type in a pointer, a qualifier or an array; nothing for other types.
std::optional<uint32_t> wrapped_by(BtfType type) {
  if (type.kind() == BtfKind::Ptr || is_qualifier(type.kind())) return type.type();
  if (type.kind() == BtfKind::Array) return type.array_element_type();
  return std::nullopt;
}

/// The kind of a type as a node's kind.
std::string_view name_of_kind(BtfType type) {
  if (type.kind() == BtfKind::Fwd && type.kind_flag()) return "union";
  return is_known(type.kind()) ? kind_row(type.kind()).noun : "unknown kind";
}

/// By id: whether a type is an integer or floating type, perhaps by another name or with
/// qualifiers.
std::vector<bool> find_scalars(const BtfView& btf) {
  std::vector<bool> is_scalar(btf.end_id()), is_done(btf.end_id());
  std::vector<uint32_t> path;
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    uint32_t at = id;
    for (; at != 0 && !is_done[at] && is_modifier(btf.kind(at)); at = btf.type(at).type()) {
      is_done[at] = true;
      path.push_back(at);
    }
    KindClass kind = kind_class(btf.kind(at));
    bool found = is_scalar[at] || kind == KindClass::Integer || kind == KindClass::Floating;
    for (uint32_t modifier : path) is_scalar[modifier] = found;
    is_scalar[at] = found;
    path.clear();
  }
  return is_scalar;
}

}  // namespace

TypeNodes::TypeNodes(const BtfView& btf, uint64_t size, uint32_t section, ModelBuilder& builder)
    : btf_(btf),
      section_(section),
      builder_(builder),
      owner_(btf.strings().size(), no_node),
      header_(header_size(btf, size)) {
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    std::string_view name = btf_.name(type), kind = name_of_kind(type);
    uint32_t node = builder_.add(
        section_, kind, name.empty() ? fmt::format("({} without a name)", kind) : std::string(name),
        type.words().size_bytes());
    if (id == btf_.first_id()) first_node_ = node;
  }
  // Hundreds of arrays of char do not belong to char.
  uint32_t of_scalars = builder_.add(section_, "integer", "(arrays and pointers of numbers)", 0);
  std::vector<bool> is_scalar = find_scalars(btf_);
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id) {
    add_references(id);
    BtfType type = btf_.type(id);
    if (type.name_off() != 0) continue;
    auto wrapped = wrapped_by(type);
    uint32_t shown_with = !wrapped              ? node_of(id)
                          : is_scalar[*wrapped] ? of_scalars
                                                : node_of(*wrapped);
    builder_.set_unnamed(node_of(id), shown_with);
  }
  builder_.add(section_, "header", "(header)", header_);
  find_owners();
}

void TypeNodes::add_references(uint32_t id) {
  BtfType type = btf_.type(id);
  uint32_t node = node_of(id);
  auto refer = [&](uint32_t other, uint32_t name_off) {
    builder_.refer(node, node_of(other), btf_.string(name_off));
  };
  if (type.kind() == BtfKind::Datasec) return;  // lists variables, but is not why they are there
  if (type.kind() == BtfKind::DeclTag) {        // is there because of the type that it is on
    builder_.refer(node_of(type.type()), node);
    return;
  }
  if (is_composite(type.kind())) {
    for (uint32_t i = 0; i < type.vlen(); ++i) refer(type.member(i).type, type.member(i).name_off);
  } else if (type.kind() == BtfKind::FuncProto) {
    refer(type.type(), 0);
    for (uint32_t i = 0; i < type.vlen(); ++i) refer(type.param(i).type, type.param(i).name_off);
  } else {
    for_each_reference(type.words(), [&](uint32_t other) { refer(other, 0); });
  }
}

/// The first type that uses a string has its bytes. A type that uses the end of a string uses the
/// string.
void TypeNodes::find_owners() {
  size_t first = btf_.string_begin();
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id)
    for_each_string(btf_.type(id).words(), [&](size_t offset) {
      if (offset < first || offset - first >= owner_.size()) return;
      uint32_t& owner = owner_[offset - first];
      if (owner == no_node) owner = node_of(id);
    });
  for_each_whole_string(btf_.strings(), [&](size_t begin, std::string_view string) {
    auto owners = std::span(owner_).subspan(begin, string.size());
    uint32_t owner = std::ranges::min(owners);
    if (begin == 0 && string.size() == 1 && first == 0)
      owner = builder_.add(section_, "header", "(empty string)", 0);
    std::ranges::fill(owners, owner);
    if (owner != no_node) builder_[owner].bytes += string.size();
  });
}

uint32_t TypeNodes::add_string(uint32_t offset, std::string_view kind) {
  uint32_t first = btf_.string_begin();
  if (offset < first || offset - first >= owner_.size()) return no_node;
  size_t at = offset - first;
  if (uint32_t owner = owner_[at]; owner != no_node) {
    bool is_type = owner >= first_node_ && owner - first_node_ < btf_.end_id() - btf_.first_id();
    return is_type || builder_[owner].kind == "header" ? no_node : owner;
  }
  size_t begin = at == 0 ? 0 : btf_.strings().rfind('\0', at - 1) + 1;
  std::string_view string = btf_.string(first + static_cast<uint32_t>(begin));
  uint32_t node = builder_.add(section_, kind, string, string.size() + 1);
  std::ranges::fill(std::span(owner_).subspan(begin, string.size() + 1), node);
  return node;
}

void TypeNodes::finish() {
  auto unused = static_cast<uint64_t>(std::ranges::count(owner_, no_node));
  if (unused != 0) builder_.add(section_, "header", "(strings that nothing uses)", unused);
}

// Which input each type of the output is from, and what the output does not have of the inputs.
//
// A type is from the first input that has it in the size of the output's: a struct is not from an
// input that only declares it. A declaration that --prune-types made is from the first input with
// the struct. A string is from the first input that has it whole. The header includes the bytes
// between types and strings.

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
  drop("types not needed, or written anew by the linker", types.unneeded);
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
