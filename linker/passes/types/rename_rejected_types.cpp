// Pass: give types the names that kernels accept (--kernel-names).
//
// Compilers of Rust and Go name types as their languages do. A character that no C identifier has
// becomes its code, as bpf-linker writes it: `Option<u32>` becomes `Option_3C_u32_3E_`. A name that
// is too long is cut, and ends with a hash of the whole. If another type has the result, it gets a
// `_`. So a name depends on nothing but the types of the link. Pointers and qualifiers have no
// names in C, and lose them. Variables that loaders find by their symbol keep theirs.
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "dedup/check/names.hpp"
#include "dedup/format/builder.hpp"
#include "dedup/format/hash.hpp"
#include "dedup/internal.hpp"
#include "linker/context.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

/// The longest name that kernels before 6.1 take, in bytes.
constexpr size_t max_length = 127;

std::string encode(std::string_view name) {
  std::string result;
  for (unsigned char c : name) {
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool is_digit = c >= '0' && c <= '9';
    if (is_digit && result.empty()) result += '_';
    result +=
        is_letter || is_digit ? std::string(1, static_cast<char>(c)) : fmt::format("_{:X}_", c);
  }
  if (result.size() <= max_length) return result;
  std::string hash = fmt::format("_{:016x}", XXH3_64bits(name.data(), name.size()));
  return result.substr(0, max_length - hash.size()) + hash;
}

/// Calls `visit` for each string offset of a type that the pass may change.
template <class Visit>
void for_each_name(BtfBuilder& btf, uint32_t id, Visit&& visit) {
  BtfType type = btf.type(id);
  BtfKind kind = type.kind();
  bool is_found_by_name = kind == BtfKind::Var && type.var_linkage() != BtfLinkage::Static;
  NameRule rule = is_known(kind) ? kind_row(kind).name_rule : NameRule::Any;
  std::span<uint32_t> words = btf.mutable_words(id);
  if (rule == NameRule::None) words[0] = 0;
  if ((rule == NameRule::Optional || rule == NameRule::Needed) && !is_found_by_name)
    visit(words[0]);
  for_each_word(words, kind_words(kind).names, visit);
}

}  // namespace

void rename_rejected_types(Context& context) {
  BtfBuilder& btf = *context.btf;
  std::unordered_set<std::string> taken;
  std::unordered_map<uint32_t, std::string> renamed;
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    for_each_name(btf, id, [&](uint32_t name) {
      NameKind kind = name_kind(btf, name);
      if (kind.is_identifier)
        taken.emplace(btf.string(name));
      else if (!kind.is_empty)
        renamed.try_emplace(name);
    });
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    for_each_name(btf, id, [&](uint32_t& name) {
      auto found = renamed.find(name);
      if (found == renamed.end()) return;
      if (found->second.empty()) {
        found->second = encode(btf.string(name));
        while (!taken.insert(found->second).second) found->second += '_';
      }
      name = btf.add_string(found->second);
    });
  // Drop the old names.
  std::vector<uint32_t> order(btf.end_id() - 1);
  std::iota(order.begin(), order.end(), 1);
  rearrange_types(btf, order);
}

}  // namespace bpflink
