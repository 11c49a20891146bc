// Pass: objects that exchange a struct must agree on its layout (the rule of one definition).
//
// Two objects share a function, a variable or a map, whose type leads in each of them to a
// `struct ev`, perhaps through pointers. If these are laid out otherwise, the link is right, the
// program loads, and what it reads is wrong. C compilers cannot see that, and check_types() does
// not look behind pointers, where C lets two files differ.
//
// From each declaration of a symbol and what describes it in the output, both types are walked at
// once. Equal types have equal ids since merge_btf(), so that only pairs of others are walked,
// each once, whichever symbols lead to it. How many there can be is bounded (layout_compare.hpp),
// as inputs that no compiler makes may have every type meet every other.
//
// Silent is what a person would let pass:
// - what no symbol leads to in both objects, and what one of them only declares;
// - the kernel's types, and what these lead to (kernel_tags.hpp);
// - flavors (`struct ev___old`), whose definitions are meant to differ;
// - other names, other types of the same width, handles, padding (layout_compare.hpp).
//
// A struct that is laid out otherwise because one in it is, is not told of as well.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "linker/context.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/passes/layout_compare.hpp"
#include "linker/types/kernel_tags.hpp"
#include "linker/types/type_notes.hpp"

namespace bpflink {
namespace {

/// What two definitions are told of as: a tag, or the typedef of what has none.
struct Name {
  std::string_view text;
  uint32_t a = 0, b = 0;  ///< the ids of the definitions
};

class LayoutChecker {
 public:
  explicit LayoutChecker(Context& context) : context_(context) {}

  void run() {
    for (auto& object : context_.objects)
      for (const BtfDeclaration& declaration : object->declarations)
        if (is_exchanged(*object, declaration)) check(*object, declaration);
  }

 private:
  /// Two types to compare, and how they were reached.
  struct Pair {
    uint32_t a, b;  ///< ids of the two objects
    uint32_t step;  ///< index into steps_
    bool is_map;    ///< a map's definition, whose members are attributes
    Name owner;     ///< the nearest definition with a name that they are a part of
  };
  struct Step {
    uint32_t parent;
    std::string label;
  };

  static bool is_exchanged(const ObjectFile& object, const BtfDeclaration& declaration) {
    return !describes_symbol(object, declaration) && !declaration.is_made &&
           !declaration.conflicts && declaration.symbol->in_output &&
           declaration.symbol->is_defined && !declaration.symbol->is_btf_made;
  }

  void check(const ObjectFile& object, const BtfDeclaration& declaration) {
    const Symbol& symbol = *declaration.symbol;
    a_ = symbol.btf_file;
    b_ = &object;
    declaration_ = &declaration;
    steps_.assign(1, {0, std::string(symbol.name)});
    pending_.assign(1, {a_->btf->type(symbol.btf_id).type(),
                        declaration.type().type(),
                        0,
                        declaration.datasec == ".maps",
                        {}});
    while (!pending_.empty() && work_++ < LayoutComparer::most_work) {
      Pair pair = pending_.back();
      pending_.pop_back();
      size_t bottom = pending_.size();
      walk(pair);
      // Members in their order: the first difference is the first in the source.
      std::reverse(pending_.begin() + static_cast<ptrdiff_t>(bottom), pending_.end());
    }
  }

  void walk(const Pair& pair);
  void walk_records(const Pair& pair);
  void walk_map(const Pair& pair, BtfType a, BtfType b);
  bool is_due_to_member(const LayoutDifference& difference,
                        const std::vector<LayoutComparer::CommonMember>& common);
  Name name_of(uint32_t a, uint32_t b, const Name& owner) const;
  bool may_differ(const Name& name);
  void warn(const Pair& pair, const Name& name, const LayoutDifference& difference);
  std::string path_to(uint32_t step) const;

  void follow(const Pair& from, uint32_t a, uint32_t b, std::string label, const Name& owner,
              bool is_map = false) {
    uint32_t step = from.step;
    if (!label.empty()) {
      steps_.push_back({from.step, std::move(label)});
      step = static_cast<uint32_t>(steps_.size() - 1);
    }
    pending_.push_back({a, b, step, is_map, owner});
  }

  Context& context_;
  std::optional<std::unordered_set<std::string_view>> kernel_tags_;  ///< found when asked for
  std::set<std::string_view> told_;
  std::unordered_set<uint64_t> seen_;  ///< pairs of output ids
  size_t work_ = 0;

  // Of the declaration that is being compared with what describes its symbol.
  const ObjectFile *a_ = nullptr, *b_ = nullptr;
  const BtfDeclaration* declaration_ = nullptr;
  std::vector<Pair> pending_;
  std::vector<Step> steps_;
};

/// A typedef of both that leads to what has no tag names it.
Name LayoutChecker::name_of(uint32_t a, uint32_t b, const Name& owner) const {
  uint32_t id_a = skip_modifiers(*a_->btf, a), id_b = skip_modifiers(*b_->btf, b);
  std::string_view tag = a_->btf->name(a_->btf->type(id_a));
  std::string_view tag_b = b_->btf->name(b_->btf->type(id_b));
  if (!tag.empty() || !tag_b.empty()) return tag == tag_b ? Name{tag, id_a, id_b} : Name{};
  auto last_typedef = [](const Btf& btf, uint32_t id) {
    uint32_t last = 0;
    for (id = skip_qualifiers(btf, id); btf.type(id).kind() == BtfKind::Typedef;
         id = skip_qualifiers(btf, btf.type(id).type()))
      last = id;
    return last;
  };
  a = last_typedef(*a_->btf, a);
  b = last_typedef(*b_->btf, b);
  if (a == 0 || b == 0) return owner;
  std::string_view name = a_->btf->name(a_->btf->type(a));
  return name == b_->btf->name(b_->btf->type(b)) ? Name{name, a, b} : Name{};
}

/// Asked of types that differ: most links have none.
bool LayoutChecker::may_differ(const Name& name) {
  if (name.text.empty() || name.text.find("___", 1) != std::string_view::npos) return true;
  if (!kernel_tags_) kernel_tags_ = find_kernel_tags(context_);
  return kernel_tags_->contains(name.text);
}

void LayoutChecker::walk(const Pair& pair) {
  uint32_t a = skip_modifiers(*a_->btf, pair.a), b = skip_modifiers(*b_->btf, pair.b);
  if (a == 0 || b == 0) return;
  uint32_t output_a = a_->type_map[a], output_b = b_->type_map[b];
  // Types that --gc-sections dropped have no number.
  if (output_a == 0 || output_b == 0 || output_a == output_b) return;
  if (!seen_.insert(uint64_t{output_a} << 32 | output_b).second) return;
  BtfType of_a = a_->btf->type(a), of_b = b_->btf->type(b);
  if (is_enum(of_a.kind()) && is_enum(of_b.kind())) {
    Name name = name_of(pair.a, pair.b, pair.owner);
    if (may_differ(name)) return;
    auto difference = LayoutComparer(*a_->btf, *b_->btf, work_).compare_enums(a, b);
    if (difference) warn(pair, name, *difference);
    return;
  }
  if (of_a.kind() != of_b.kind()) return;
  switch (of_a.kind()) {
    case BtfKind::Ptr:
      return follow(pair, of_a.type(), of_b.type(), "->", pair.owner, pair.is_map);
    case BtfKind::Array:
      return follow(pair, of_a.array_element_type(), of_b.array_element_type(), "[]", pair.owner,
                    pair.is_map);
    case BtfKind::FuncProto:
      follow(pair, of_a.type(), of_b.type(), " (return value)", {});
      for (uint32_t i = 0; i < std::min(of_a.vlen(), of_b.vlen()); ++i)
        follow(pair, of_a.param(i).type, of_b.param(i).type, fmt::format(" (parameter {})", i + 1),
               {});
      return;
    case BtfKind::Struct:
    case BtfKind::Union:
      return pair.is_map ? walk_map(pair, of_a, of_b) : walk_records(pair);
    default:
      return;
  }
}

/// Its members are attributes, of which either may have more.
void LayoutChecker::walk_map(const Pair& pair, BtfType a, BtfType b) {
  auto find = [](const Btf& btf, BtfType map, std::string_view name) {
    for (uint32_t i = 0; i < map.vlen(); ++i)
      if (btf.string(map.member(i).name_off) == name) return map.member(i).type;
    return 0u;
  };
  for (std::string_view name : {"key", "value", "values"})
    follow(pair, find(*a_->btf, a, name), find(*b_->btf, b, name), fmt::format(".{}", name), {},
           name == "values");
}

void LayoutChecker::walk_records(const Pair& pair) {
  Name name = name_of(pair.a, pair.b, pair.owner);
  if (may_differ(name)) return;
  std::vector<LayoutComparer::CommonMember> common;
  auto difference = LayoutComparer(*a_->btf, *b_->btf, work_)
                        .compare_records(skip_modifiers(*a_->btf, pair.a),
                                         skip_modifiers(*b_->btf, pair.b), common);
  if (difference && !is_due_to_member(*difference, common)) warn(pair, name, *difference);
  for (const auto& member : common) follow(pair, member.a, member.b, member.path, name);
}

/// Whether a struct in it is of another size, which will be told of that.
bool LayoutChecker::is_due_to_member(const LayoutDifference& difference,
                                     const std::vector<LayoutComparer::CommonMember>& common) {
  return std::ranges::any_of(common, [&](const auto& member) {
    if (member.bit_offset > difference.bit_offset) return false;
    uint32_t a = skip_arrays(*a_->btf, member.a), b = skip_arrays(*b_->btf, member.b);
    if (a == 0 || b == 0) return false;
    BtfType of_a = a_->btf->type(a), of_b = b_->btf->type(b);
    return is_composite(of_a.kind()) && is_composite(of_b.kind()) && of_a.size() != of_b.size() &&
           !may_differ(name_of(a, b, {}));
  });
}

std::string LayoutChecker::path_to(uint32_t step) const {
  std::vector<std::string_view> labels;
  for (; step != 0; step = steps_[step].parent) labels.push_back(steps_[step].label);
  std::string path = steps_[0].label;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    // "->" and ".next" are "->next" together; a pointer to a function is called without.
    bool is_pointed_to = path.ends_with("->");
    if (is_pointed_to && label->starts_with(' ')) path.resize(path.size() - 2);
    path += is_pointed_to && label->starts_with('.') ? label->substr(1) : *label;
  }
  return path.ends_with("->") ? path.substr(0, path.size() - 2) : path;
}

/// The definition as C, with a mark at the line of a member; of a long one, what is around that.
std::string marked(const Btf& btf, uint32_t id, const LayoutSide& side) {
  std::vector<std::string> lines;
  std::string text = print_c_definition(btf, id);
  int32_t member = -1;
  size_t mark = 0;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    bool ends_member = line.starts_with('\t') && !line.starts_with("\t\t") &&
                       (line.ends_with(';') || line.ends_with(','));
    if (ends_member && ++member == side.member) {
      mark = lines.size();
      line += line.ends_with(',') ? "  <--" : fmt::format("  <-- {}", side.note);
    }
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  constexpr size_t most_lines = 24, around = 4;
  bool is_long = lines.size() > most_lines;
  std::string shown = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) {
    bool is_near = i + around >= mark && i <= mark + around;
    if (!is_long || is_near || i + 1 == lines.size())
      shown += '\n' + lines[i];
    else if (!shown.ends_with("\t..."))
      shown += "\n\t...";
  }
  return shown;
}

void LayoutChecker::warn(const Pair& pair, const Name& name, const LayoutDifference& difference) {
  if (!told_.insert(name.text).second) return;
  std::string what = print_c_declaration(*a_->btf, name.a);
  auto describe = [](const ObjectFile& object, uint32_t id, const LayoutSide& side) {
    return DiagnosticReference{
        ReferenceRole::Layout, {.object = object.name}, marked(*object.btf, id, side)};
  };
  auto describe_side = [](const ObjectFile& object, const LayoutSide& side) {
    std::string type = side.type == 0 ? "" : print_c_declaration(*object.btf, side.type) + ", ";
    return DiagnosticReference{ReferenceRole::Side, {.object = object.name}, type + side.note};
  };
  const Symbol& symbol = *declaration_->symbol;
  const InputSymbol none, &of_a = symbol.file == a_ ? symbol.input() : none,
                          &of_b = b_->symbols[declaration_->symbol_index];
  context_.diagnostics.report(
      {.severity = Severity::Warning,
       .message = fmt::format("'{}' has two layouts, in {} and {}", what, a_->name, b_->name),
       .code = DiagnosticCode::DifferentLayouts,
       .symbol = std::string(symbol.name),
       .references = {describe(*a_, name.a, difference.a),
                      describe(*b_, name.b, difference.b),
                      {.role = ReferenceRole::DiffersAt,
                       .text = difference.path.empty() ? what : difference.path.substr(1)},
                      describe_side(*a_, difference.a),
                      describe_side(*b_, difference.b),
                      {.role = ReferenceRole::MeetsAt, .text = path_to(pair.step)},
                      reference_to(*a_, of_a),
                      reference_to(*b_, of_b),
                      hint("define it once, in a header that all include")}});
}

}  // namespace

void warn_of_layouts(Context& context) {
  if (context.btf && context.options.warn_odr) LayoutChecker(context).run();
}

}  // namespace bpflink
