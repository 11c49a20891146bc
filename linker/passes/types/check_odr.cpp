// Pass: check that objects agree on the layout of the structs that they share (one-definition
// rule).
//
// Two objects share a function, a variable or a map. In both, its type leads to a `struct ev`,
// perhaps through pointers. If they lay it out differently, the link succeeds, the program loads,
// and it reads wrong data. C compilers see one file at a time, and check_types() does not look
// behind pointers, where C allows two files to differ.
//
// The pass walks the type of each declaration and of its definition in parallel. merge_btf() gave
// equal types equal ids, so only pairs that differ are walked, each pair once for all symbols. The
// number of pairs is bounded (compare.hpp): in hostile input every type could meet every other one.
//
// There is no warning about
// - types that no shared symbol leads to, and types that one object only declares;
// - the kernel's types, and types that these lead to (kernel_tags.hpp);
// - flavors (`struct ev___old`), whose definitions differ on purpose (compare_layouts.cpp);
// - different names, other types of the same width, handles, padding.
//
// A struct whose layout differs only because a struct in it differs is not reported as well.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/kernel_tags.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

/// The definition as C, with an arrow at the differing member. A long definition is cut to the
/// lines around it.
std::string marked(const BtfView& types, const DifferenceSide& side) {
  std::vector<std::string> lines;
  std::string text = print_c_definition(types, side.definition);
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
  constexpr size_t max_lines = 24, around = 4;
  bool is_long = lines.size() > max_lines;
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

class LayoutChecker {
 public:
  explicit LayoutChecker(Context& context) : context_(context) {}

  void run() {
    for (auto& object : context_.objects)
      for (const BtfDeclaration& declaration : object->declarations)
        if (is_shared(*object, declaration)) check(*object, declaration);
  }

 private:
  static bool is_shared(const ObjectFile& object, const BtfDeclaration& declaration) {
    return !describes_symbol(object, declaration) && !declaration.is_synthesized &&
           !declaration.conflicts && declaration.symbol->in_output &&
           declaration.symbol->is_defined && !declaration.symbol->is_btf_synthesized;
  }

  void check(const ObjectFile& object, const BtfDeclaration& declaration) {
    const Symbol& symbol = *declaration.symbol;
    a_ = symbol.btf_file;
    b_ = &object;
    TypeComparison comparison(*a_->btf, *b_->btf, ComparePolicy::Layout);
    comparison.continue_from(work_);
    comparison.is_settled = [&](uint32_t a, uint32_t b) {
      uint32_t output_a = a_->type_map[a], output_b = b_->type_map[b];
      // Types that --gc-sections dropped have no number.
      return output_a == 0 || output_b == 0 || output_a == output_b ||
             !seen_.insert(uint64_t{output_a} << 32 | output_b).second;
    };
    comparison.may_differ = [&](std::string_view name) { return is_kernel_tag(name); };
    uint32_t of_a = a_->btf->type(symbol.btf_id).type(), of_b = declaration.type().type();
    if (declaration.role == SectionRole::Maps)
      begin_map(comparison, of_a, of_b, std::string(symbol.name));
    else
      comparison.begin(of_a, of_b, symbol.name);
    while (auto difference = comparison.next()) warn(declaration, *difference);
    work_ = comparison.work();
  }

  /// Compares the attributes that both definitions of a map have: either may have more.
  void begin_map(TypeComparison& comparison, uint32_t a, uint32_t b, const std::string& path,
                 bool is_inner = false) {
    const BtfView &types_a = *a_->btf, &types_b = *b_->btf;
    a = skip_arrays(types_a, a);
    b = skip_arrays(types_b, b);
    if (!is_composite(types_a.kind(a)) || types_a.kind(a) != types_b.kind(b)) return;
    auto others = read_map_attributes(types_b, b);
    for (const MapAttribute& attribute : read_map_attributes(types_a, a)) {
      auto other = std::ranges::find(others, attribute.name, &MapAttribute::name);
      if (other == others.end() || other->form != attribute.form) continue;
      std::string place = fmt::format("{}.{}", path, attribute.name);
      if (attribute.form == MapAttribute::Form::Type)
        comparison.begin(attribute.type_id, other->type_id, place + "->");
      if (attribute.form != MapAttribute::Form::Values || is_inner) continue;
      place += "[]";
      if (types_a.kind(attribute.type_id) == BtfKind::FuncProto)
        comparison.begin(attribute.type_id, other->type_id, place);
      else
        begin_map(comparison, attribute.type_id, other->type_id, place + "->", true);
    }
  }

  /// Called only for types that differ, so most links never search the kernel's tags.
  bool is_kernel_tag(std::string_view name) {
    if (!kernel_tags_) kernel_tags_ = find_kernel_tags(context_.objects);
    return kernel_tags_->contains(name);
  }

  void warn(const BtfDeclaration& declaration, const TypeDifference& difference) {
    const Btf& types = *a_->btf;
    if (!reported_.insert(types.name(types.type(difference.a.definition))).second) return;
    std::string what = print_c_declaration(types, difference.a.definition);
    auto describe = [](const ObjectFile& object, const DifferenceSide& side) {
      return DiagnosticReference{
          ReferenceRole::Layout, {.object = object.name}, marked(*object.btf, side)};
    };
    auto describe_side = [](const ObjectFile& object, const DifferenceSide& side) {
      std::string type = side.type == 0 ? "" : print_c_declaration(*object.btf, side.type) + ", ";
      return DiagnosticReference{ReferenceRole::Side, {.object = object.name}, type + side.note};
    };
    const Symbol& symbol = *declaration.symbol;
    const InputSymbol none, &of_a = symbol.file == a_ ? symbol.input() : none,
                            &of_b = b_->symbols[declaration.symbol_index];
    std::vector<DiagnosticReference> references{
        describe(*a_, difference.a),
        describe(*b_, difference.b),
        {.role = ReferenceRole::DiffersAt,
         .text = difference.member.empty() ? what : difference.member.substr(1)},
        describe_side(*a_, difference.a),
        describe_side(*b_, difference.b),
        {.role = ReferenceRole::MeetsAt, .text = difference.path},
        reference_to(*a_, of_a),
        reference_to(*b_, of_b),
        hint("define it once, in a header that all include")};
    add_stale_hints(references, {a_, b_});
    context_.diagnostics.warning(
        fmt::format("'{}' has {}, in {} and {}", what,
                    difference.is_of_tags ? "different type tags" : "two layouts", a_->name,
                    b_->name),
        std::move(references), DiagnosticCode::DifferentLayouts, {.symbol = symbol.name});
  }

  Context& context_;
  std::optional<std::unordered_set<std::string_view>> kernel_tags_;  ///< computed on first use
  std::set<std::string_view> reported_;
  std::unordered_set<uint64_t> seen_;             ///< pairs of output ids
  size_t work_ = 0;                               ///< done by all comparisons so far
  const ObjectFile *a_ = nullptr, *b_ = nullptr;  ///< the two objects being compared
};

}  // namespace

void check_odr(Context& context) {
  LayoutChecker(context).run();
}

}  // namespace bpflink
