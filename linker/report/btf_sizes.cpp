// Types refer to each other, and one type is mostly there for the sake of another: a program's
// function has a parameter, which points to a struct, which has members. So the types are a graph
// that begins at the functions and variables and at types that no other refers to. Of each type we
// ask what all ways to it pass through, its dominators: take one of those away and the type would
// go. The first of them on the way is the origin that its bytes are shown under. A type that two
// functions need has none, and is an origin itself.
//
// Types without a name are not worth a line of their own: they count with the nearest one that
// has a name and dominates them; a pointer or a const that several need, with what it refers to.
#include "linker/report/btf_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dedup/format/kinds.hpp"
#include "linker/report/dominators.hpp"

namespace bpflink {
namespace {

constexpr uint32_t nobody = UINT32_MAX;

bool is_wrapper(BtfKind kind) {
  constexpr std::array wrappers = {BtfKind::Ptr,      BtfKind::Const, BtfKind::Volatile,
                                   BtfKind::Restrict, BtfKind::Array, BtfKind::TypeTag};
  return std::ranges::find(wrappers, kind) != wrappers.end();
}

/// The types of one blob as a graph: node 0 is a root that is no type, and node N the type with id
/// first_id() + N - 1. What belongs to a base is not in it.
class TypeOrigins {
 public:
  explicit TypeOrigins(const BtfView& btf) : btf_(btf), count_(btf.end_id() - btf.first_id() + 1) {
    find_roots();
    Graph graph = Graph::make(count_, [&](auto add) {
      for (uint32_t root : roots_) add(0, root);
      for (uint32_t node = 1; node < count_; ++node) visit_edges(node, add);
    });
    dominators_ = find_dominators(graph);
    find_owners();
  }

  BtfType type(uint32_t node) const { return btf_.type(btf_.first_id() + node - 1); }
  uint32_t count() const { return count_; }
  /// The node that it counts with, and that one's origin; a node may be both.
  uint32_t part_of(uint32_t node) const { return part_[node]; }
  uint32_t origin_of(uint32_t node) const { return origin_[node]; }

 private:
  /// Tags depend on what they are put on; a DATASEC lists variables, and nothing is there for it.
  template <typename Add>
  void visit_edges(uint32_t node, Add add) const {
    BtfType of = type(node);
    if (of.kind() == BtfKind::Datasec) return;
    for_each_reference(of.words(), [&](uint32_t id) {
      if (id < btf_.first_id()) return;
      uint32_t other = id - btf_.first_id() + 1;
      if (of.kind() == BtfKind::DeclTag)
        add(other, node);
      else
        add(node, other);
    });
  }

  bool is_object(uint32_t node) const {
    BtfKind kind = type(node).kind();
    return kind == BtfKind::Func || kind == BtfKind::Var || kind == BtfKind::Datasec;
  }

  /// Functions and variables; then types that nothing refers to; then what is only reached in
  /// circles, from the lowest id on.
  void find_roots() {
    Graph types = Graph::make(count_, [&](auto add) {
      for (uint32_t node = 1; node < count_; ++node) visit_edges(node, add);
    });
    std::vector<bool> is_reached(count_), is_needed(count_);
    for (uint32_t node : types.targets) is_needed[node] = true;
    auto begin_at = [&](auto is_root) {
      for (uint32_t node = 1; node < count_; ++node)
        if (!is_reached[node] && is_root(node)) reach(types, node, is_reached);
    };
    begin_at([&](uint32_t node) { return is_object(node); });
    begin_at([&](uint32_t node) { return !is_needed[node]; });
    begin_at([](uint32_t) { return true; });
  }

  void reach(const Graph& types, uint32_t root, std::vector<bool>& is_reached) {
    roots_.push_back(root);
    is_reached[root] = true;
    std::vector<uint32_t> pending = {root};
    while (!pending.empty()) {
      uint32_t node = pending.back();
      pending.pop_back();
      for (uint32_t target : types.edges(node)) {
        if (is_reached[target]) continue;
        is_reached[target] = true;
        pending.push_back(target);
      }
    }
  }

  /// Dominators come first in this order, so that each node finds its dominator's owner.
  std::vector<uint32_t> dominators_first() const {
    Graph tree = Graph::make(count_, [&](auto add) {
      for (uint32_t node = 1; node < count_; ++node) add(dominators_[node], node);
    });
    std::vector<uint32_t> order = {0};
    for (size_t i = 0; i < order.size(); ++i)
      for (uint32_t child : tree.edges(order[i])) order.push_back(child);
    return order;
  }

  /// Wrappers that several need are no origins, and count with what they lead to.
  void find_owners() {
    part_.resize(count_);
    origin_.resize(count_);
    std::vector<bool> is_shared_wrapper(count_);
    is_shared_wrapper[0] = true;  // as the root, it is no origin
    for (uint32_t node : dominators_first()) {
      if (node == 0) continue;
      uint32_t dominator = dominators_[node];
      bool is_named = type(node).name_off() != 0, is_origin = is_shared_wrapper[dominator];
      origin_[node] = is_origin ? node : origin_[dominator];
      part_[node] = is_origin || is_named ? node : part_[dominator];
      is_shared_wrapper[node] = is_origin && !is_named && is_wrapper(type(node).kind());
    }
    std::vector<uint32_t> unwrapped(count_);
    for (uint32_t node = 1; node < count_; ++node) {
      if (!is_shared_wrapper[node]) continue;
      uint32_t target = unwrap(node, unwrapped);
      part_[node] = part_[target];
      origin_[node] = origin_[target];
    }
  }

  /// What pointers and qualifiers lead to; where that is void or a base's, the last of them; in a
  /// circle of them, one of it. `unwrapped` remembers it by node: a chain is walked once, whatever
  /// its length.
  uint32_t unwrap(uint32_t node, std::vector<uint32_t>& unwrapped) const {
    std::vector<uint32_t> path;
    while (unwrapped[node] == 0) {
      unwrapped[node] = node;
      uint32_t next = wrapped_by(node);
      if (next == 0) break;
      path.push_back(node);
      node = next;
    }
    for (uint32_t wrapper : path) unwrapped[wrapper] = unwrapped[node];
    return unwrapped[node];
  }

  /// 0 for void, a base's type, and where the node is no wrapper.
  uint32_t wrapped_by(uint32_t node) const {
    BtfType of = type(node);
    if (!is_wrapper(of.kind()) || of.name_off() != 0) return 0;
    uint32_t id = of.kind() == BtfKind::Array ? of.array_element_type() : of.type();
    return id < btf_.first_id() ? 0 : id - btf_.first_id() + 1;
  }

  BtfView btf_;
  uint32_t count_;  ///< of nodes
  std::vector<uint32_t> roots_, dominators_, part_, origin_;
};

/// Who uses each string first, by where the string begins: a node, or one of the foreign strings,
/// counted on from the last node; nobody.
std::vector<uint32_t> find_string_users(const BtfView& btf, const TypeOrigins& origins,
                                        std::span<const ForeignString> foreign) {
  std::string_view strings = btf.strings();
  uint32_t first = btf.string_end() - static_cast<uint32_t>(strings.size());
  std::vector<uint32_t> users(strings.size(), nobody);
  auto use = [&](uint32_t offset, uint32_t user) {
    if (offset >= first && offset - first < users.size())
      users[offset - first] = std::min(users[offset - first], user);
  };
  for (uint32_t node = 1; node < origins.count(); ++node)
    for_each_string(origins.type(node).words(), [&](uint32_t offset) { use(offset, node); });
  for (uint32_t i = 0; i < foreign.size(); ++i) use(foreign[i].offset, origins.count() + i);
  return users;
}

/// A name for a type that has none.
std::string describe_unnamed(BtfType type) {
  return fmt::format("({} without a name)", name_of_kind(type));
}

class BtfMeasure {
 public:
  BtfMeasure(const BtfView& btf, uint64_t blob_size, std::span<const ForeignString> foreign)
      : btf_(btf), foreign_(foreign), origins_(btf), bytes_(origins_.count()) {
    uint64_t rest = blob_size - btf.strings().size();
    for (uint32_t node = 1; node < origins_.count(); ++node) {
      uint64_t bytes = origins_.type(node).words().size() * sizeof(uint32_t);
      bytes_[origins_.part_of(node)] += bytes;
      rest -= bytes;
    }
    header_.add({"(header)", "header", rest});
    add_strings();
  }

  SizeSection measure() {
    SizeSection section{".BTF", "section"};
    std::vector<std::vector<uint32_t>> parts(origins_.count());  // by origin
    for (uint32_t node = 1; node < origins_.count(); ++node)
      if (bytes_[node] != 0) parts[origins_.origin_of(node)].push_back(node);
    for (uint32_t origin = 1; origin < origins_.count(); ++origin) {
      if (parts[origin].empty()) continue;
      SizeGroup group{name(origin), name_of_kind(origins_.type(origin))};
      for (uint32_t node : parts[origin])
        group.add({name(node), name_of_kind(origins_.type(node)), bytes_[node]});
      section.add(std::move(group));
    }
    for (SizeGroup* group : {&strings_, &header_})
      if (group->bytes != 0) section.add(std::move(*group));
    return section;
  }

 private:
  void add_strings() {
    std::vector<uint32_t> users = find_string_users(btf_, origins_, foreign_);
    std::string_view strings = btf_.strings();
    uint64_t unused = 0;
    for (size_t begin = 0; begin < strings.size();) {
      size_t end = std::min(strings.find('\0', begin), strings.size() - 1) + 1;
      uint32_t user = nobody;
      for (size_t at = begin; at < end; ++at) user = std::min(user, users[at]);
      uint64_t size = end - begin;
      if (begin == 0 && size == 1)
        header_.add({"(empty string)", "string", size});
      else if (user < origins_.count())
        bytes_[origins_.part_of(user)] += size;
      else if (user != nobody)
        strings_.add({std::string(strings.substr(begin, size - 1)),
                      foreign_[user - origins_.count()].kind, size});
      else
        unused += size;
      begin = end;
    }
    if (unused != 0) strings_.add({"(others)", "string", unused});
  }

  std::string name(uint32_t node) const {
    BtfType type = origins_.type(node);
    return type.name_off() == 0 ? describe_unnamed(type) : std::string(btf_.name(type));
  }

  BtfView btf_;
  std::span<const ForeignString> foreign_;
  TypeOrigins origins_;
  std::vector<uint64_t> bytes_;  ///< by node that others count with
  SizeGroup header_{"(header)", "header"}, strings_{"(strings of .BTF.ext)", "strings"};
};

}  // namespace

std::string_view name_of_kind(BtfType type) {
  constexpr std::array<std::string_view, known_kinds> names = {
      "void",     "integer", "pointer",  "array", "struct",   "union",    "enum",
      "struct",   "typedef", "volatile", "const", "restrict", "function", "prototype",
      "variable", "section", "float",    "tag",   "type tag", "enum"};
  if (type.kind() == BtfKind::Fwd && type.kind_flag()) return "union";
  return is_known(type.kind()) ? names[static_cast<size_t>(type.kind())] : "unknown kind";
}

SizeSection measure_btf(const BtfView& btf, uint64_t blob_size,
                        std::span<const ForeignString> foreign_strings) {
  return BtfMeasure(btf, blob_size, foreign_strings).measure();
}

}  // namespace bpflink
