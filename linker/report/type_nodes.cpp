#include "linker/report/type_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// What a pointer, a qualifier, an array or a tag is of; nothing for other types.
std::optional<uint32_t> wrapped_by(BtfType type) {
  switch (type.kind()) {
    case BtfKind::Ptr:
    case BtfKind::Const:
    case BtfKind::Volatile:
    case BtfKind::Restrict:
    case BtfKind::TypeTag:
      return type.type();
    case BtfKind::Array:
      return type.array_element_type();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view name_of_kind(BtfType type) {
  constexpr std::array<std::string_view, known_kinds> names = {
      "void",          "integer", "pointer",  "array", "struct",   "union",         "enum",
      "struct",        "typedef", "volatile", "const", "restrict", "function type", "prototype",
      "variable type", "section", "float",    "tag",   "type tag", "enum"};
  if (type.kind() == BtfKind::Fwd && type.kind_flag()) return "union";
  return is_known(type.kind()) ? names[static_cast<size_t>(type.kind())] : "unknown kind";
}

TypeNodes::TypeNodes(const BtfView& btf, uint64_t size, uint32_t section, ModelBuilder& builder)
    : btf_(btf), section_(section), builder_(builder), owner_(btf.strings().size(), no_node) {
  uint64_t rest = size - btf_.strings().size();
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    std::string_view name = btf_.name(type), kind = name_of_kind(type);
    uint32_t node = builder_.add(
        {.name = name.empty() ? fmt::format("({} without a name)", kind) : std::string(name),
         .kind = kind,
         .section = section_,
         .bytes = type.words().size_bytes()});
    if (id == btf_.first_id()) first_node_ = node;
    rest -= type.words().size_bytes();
  }
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id) {
    visit_edges(id);
    BtfType type = btf_.type(id);
    if (type.name_off() != 0) continue;
    auto wrapped = wrapped_by(type);
    builder_.set_unnamed(node_of(id), wrapped ? node_of(*wrapped) : node_of(id));
  }
  builder_.add({.name = "(header)", .kind = "header", .section = section_, .bytes = rest});
  builder_.name_members([this](uint32_t node, const auto& visit) { visit_members(node, visit); });
  find_owners();
}

/// Tags depend on what they are put on; a DATASEC lists variables, and nothing is there for it.
void TypeNodes::visit_edges(uint32_t id) {
  BtfType type = btf_.type(id);
  if (type.kind() == BtfKind::Datasec) return;
  for_each_reference(type.words(), [&](uint32_t other) {
    if (node_of(other) == no_node) return;
    if (type.kind() == BtfKind::DeclTag)
      builder_.refer(node_of(other), node_of(id));
    else
      builder_.refer(node_of(id), node_of(other));
  });
}

void TypeNodes::visit_members(uint32_t node,
                              const std::function<void(uint32_t, std::string_view)>& visit) const {
  uint32_t id = node - first_node_ + btf_.first_id();
  if (node < first_node_ || id >= btf_.end_id()) return;
  BtfType type = btf_.type(id);
  auto visit_one = [&](uint32_t used, uint32_t name) {
    if (node_of(used) != no_node) visit(node_of(used), btf_.string(name));
  };
  bool is_prototype = type.kind() == BtfKind::FuncProto;
  if (!is_prototype && !is_composite(type.kind())) return;
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (is_prototype)
      visit_one(type.param(i).type, type.param(i).name_off);
    else
      visit_one(type.member(i).type, type.member(i).name_off);
}

/// The first type that uses a string has its bytes.
void TypeNodes::find_owners() {
  std::string_view strings = btf_.strings();
  uint32_t first = btf_.string_begin();
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id)
    for_each_string(btf_.type(id).words(), [&](uint32_t offset) {
      if (offset < first || offset - first >= owner_.size()) return;
      uint32_t& owner = owner_[offset - first];
      if (owner == no_node) owner = node_of(id);
    });
  for (size_t begin = 0; begin < strings.size();) {
    size_t end = std::min(strings.find('\0', begin), strings.size() - 1) + 1;
    uint32_t owner = *std::min_element(owner_.begin() + static_cast<ptrdiff_t>(begin),
                                       owner_.begin() + static_cast<ptrdiff_t>(end));
    if (begin == 0 && end == 1 && first == 0)
      owner = builder_.add({.name = "(empty string)", .kind = "header", .section = section_});
    // Who uses the end of a string uses the string.
    std::fill(owner_.begin() + static_cast<ptrdiff_t>(begin),
              owner_.begin() + static_cast<ptrdiff_t>(end), owner);
    if (owner != no_node) builder_[owner].bytes += end - begin;
    begin = end;
  }
}

void TypeNodes::set_origins(const std::vector<uint32_t>& origins) {
  for (uint32_t id = btf_.first_id(); id < btf_.end_id(); ++id)
    builder_[node_of(id)].input = origins[id];
}

uint32_t TypeNodes::add_string(uint32_t offset, std::string_view kind) {
  uint32_t first = btf_.string_begin();
  if (offset < first || offset - first >= owner_.size()) return no_node;
  std::string_view strings = btf_.strings();
  size_t at = offset - first;
  if (uint32_t owner = owner_[at]; owner != no_node) {
    bool is_own = owner >= first_node_ && owner - first_node_ < btf_.end_id() - btf_.first_id();
    return is_own || builder_[owner].kind == "header" ? no_node : owner;
  }
  size_t begin = at == 0 ? 0 : strings.rfind('\0', at - 1) + 1;
  size_t end = std::min(strings.find('\0', at), strings.size() - 1) + 1;
  uint32_t node = builder_.add({.name = std::string(strings.substr(begin, end - 1 - begin)),
                                .kind = kind,
                                .section = section_,
                                .bytes = end - begin});
  std::fill(owner_.begin() + static_cast<ptrdiff_t>(begin),
            owner_.begin() + static_cast<ptrdiff_t>(end), node);
  return node;
}

void TypeNodes::finish() {
  uint64_t unused = static_cast<uint64_t>(std::ranges::count(owner_, no_node));
  if (unused != 0)
    builder_.add({.name = "(strings that nothing uses)",
                  .kind = "header",
                  .section = section_,
                  .bytes = unused});
}

}  // namespace bpflink
