// Pass: turn structs that nothing looks into into declarations (--prune-types).
//
// A program that includes vmlinux.h may have a task_struct, which leads to hundreds of types. Most
// of them are behind pointers, and nothing looks into them; state/type_detail.hpp lists what looks
// into a type. Such a struct or union is replaced by a forward declaration. Types that nothing
// leads to any more are removed.
//
//   struct event { struct task *from; } *unused;         struct event stays: a variable has it
//   struct task { struct mm *mm; int pid; };             struct task;
//   struct mm { ... };                                   gone
//
// If two objects lay out struct task differently, its definitions become one declaration. Types
// that differed only there become equal, and the deduplicator merges them. A declaration that could
// have meant either of two structs is resolved if the two are one now. Such a struct may have been
// kept only because nothing referred to it, so there is a second round.
#include <unordered_set>

#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/state/context.hpp"
#include "linker/state/renumber_types.hpp"
#include "linker/state/type_detail.hpp"

namespace bpflink {
namespace {

/// Removes definitions and types that only they lead to. Returns whether anything changes.
bool remove_definitions(Context& context) {
  BtfBuilder& btf = *context.btf;
  const std::vector<TypeDetail> details = find_type_details(context);
  std::vector<uint32_t> replacements(details.size()), order;
  for (uint32_t id = 1; id < details.size(); ++id) {
    if (details[id] == TypeDetail::Nothing) continue;
    BtfType type = btf.type(id);
    if (is_composite(type.kind()) && details[id] == TypeDetail::Declaration) {
      bool is_union = type.kind() == BtfKind::Union;
      replacements[id] =
          btf.add_type(type.name_off(), BtfBuilder::info(BtfKind::Fwd, 0, is_union), 0);
    }
    order.push_back(replacements[id] != 0 ? replacements[id] : id);
  }
  if (order.size() + 1 == details.size() && btf.end_id() == details.size()) return false;
  for (uint32_t id : order)
    for_each_reference(btf.mutable_words(id), [&](uint32_t& reference) {
      if (replacements[reference] != 0) reference = replacements[reference];
    });
  std::vector<uint32_t> ids = rearrange_types(btf, order);
  for (uint32_t id = 1; id < details.size(); ++id)
    if (replacements[id] != 0) ids[id] = ids[replacements[id]];
  renumber_types(context, TypeMap(0, std::move(ids)));
  return true;
}

/// Whether any tag has two declarations.
bool has_equal_declarations(const BtfView& types) {
  std::unordered_set<std::string_view> structs, unions;
  for (uint32_t id = 1; id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (type.kind() != BtfKind::Fwd) continue;
    auto& known = type.kind_flag() ? unions : structs;
    if (!known.insert(types.name(type)).second) return true;
  }
  return false;
}

void merge_equal_types(Context& context) {
  auto failed = [&](const Error& error) {
    context.diagnostics.error(fmt::format(".BTF of the output: {}", error.message));
  };
  auto blob = context.btf->finish(std::endian::native);
  if (!blob) return failed(blob.error());
  auto btf = Btf::parse(*blob);
  if (!btf) return failed(btf.error());
  Deduplicator deduplicator({.threads = context.options.threads, .borrow_inputs = true});
  deduplicator.add(".BTF", *btf);
  auto merged = deduplicator.run();
  if (!merged) return failed(merged.error());
  context.btf = std::move(merged->types);
  renumber_types(context, merged->type_maps[0]);
}

}  // namespace

void prune_types(Context& context) {
  if (!may_renumber_types(context)) return;
  // The second round makes no types equal: each tag that it prunes has one definition.
  constexpr int rounds = 2;
  for (int round = 0; round < rounds && remove_definitions(context); ++round) {
    if (!has_equal_declarations(*context.btf)) return;
    merge_equal_types(context);
  }
}

}  // namespace bpflink
