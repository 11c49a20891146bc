// Checks structs that have fields of the verifier's: locks, lists, trees, reference counts, and
// pointers to kernel objects (kptrs).
//
// When a program's BTF is loaded, a kernel looks for such structs, and since Linux 6.12 also for
// kptrs in them. It reads the tag of each of their pointers, those in structs and arrays within
// included:
//
//   struct node { struct bpf_spin_lock lock; struct task_struct __kptr *task; };  // taken
//   struct node { struct bpf_spin_lock lock; int __user *address; };              // refused
//
// Since 6.13 it knows the tag uptr there, and since 7.2 it ignores tags that it does not know.
#include <algorithm>
#include <array>
#include <optional>

#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr std::array<std::string_view, 6> special_structs = {"bpf_spin_lock", "bpf_list_head",
                                                             "bpf_list_node", "bpf_rb_root",
                                                             "bpf_rb_node",   "bpf_refcount"};
constexpr std::array<std::string_view, 3> kptr_tags = {"kptr", "kptr_untrusted", "percpu_kptr"};

/// How many fields a kernel keeps of one struct.
constexpr uint64_t max_fields = 11;

/// How many arrays of arrays, and how many modifiers, are followed.
constexpr int max_chain = 32;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class StructFieldCheck {
 public:
  StructFieldCheck(const BtfView& types, Findings& findings)
      : types_(types), findings_(findings), fields_(types.end_id()) {}

  void run() {
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id)
      if (types_.kind(id) == BtfKind::Struct && has_special_member(types_.type(id))) check(id);
  }

 private:
  /// What a kernel finds in a struct.
  struct Fields {
    bool is_known = false;
    uint64_t count = 0;  ///< not much above max_fields
    std::optional<BtfRule> broken;
  };
  struct Entry {
    uint32_t id;
    uint32_t next = 0;  ///< the next member to look into
  };
  /// A member without the arrays around it.
  struct Element {
    uint32_t type;
    uint64_t count = 1;
  };

  void check(uint32_t id) {
    look_into(id);
    BtfType record = types_.type(id);
    for (uint32_t i = 0; i < record.vlen(); ++i)
      if (auto broken = fields_of(record.member(i)).broken) findings_.add(*broken, id, i);
    if (fields_[id].count > max_fields) findings_.add(BtfRule::FieldCount, id);
  }

  /// Fills in the fields of a struct, after those of the structs within.
  void look_into(uint32_t root) {
    std::vector<Entry> open = {{root}};
    while (!open.empty()) {
      if (uint32_t inner = next_unknown(open.back())) {
        open.push_back({inner});
        continue;
      }
      BtfType record = types_.type(open.back().id);
      Fields& fields = fields_[open.back().id];
      fields.is_known = true;
      for (uint32_t i = 0; i < record.vlen(); ++i) {
        Fields own = fields_of(record.member(i));
        fields.count = std::min(fields.count + own.count, max_fields + 1);
        if (!fields.broken) fields.broken = own.broken;
      }
      open.pop_back();
    }
  }

  /// The next struct within that was not looked into, or 0.
  uint32_t next_unknown(Entry& entry) const {
    BtfType record = types_.type(entry.id);
    while (entry.next < record.vlen()) {
      uint32_t id = element_of(record.member(entry.next++)).type;
      if (types_.kind(id) == BtfKind::Struct && !is_special(id) && !fields_[id].is_known) return id;
    }
    return 0;
  }

  /// Those of a member, if the structs within are known.
  Fields fields_of(BtfMember member) const {
    Element element = element_of(member);
    Fields fields;
    if (element.count == 0) return fields;
    if (types_.kind(element.type) == BtfKind::Struct && !is_special(element.type))
      fields = fields_[element.type];
    else if (auto tag = tag_of(element.type))
      fields = {.count = 1, .broken = broken_rule(*tag)};
    else
      fields.count = is_special(element.type) ? 1 : 0;
    if (fields.count != 0) fields.count = std::min(fields.count * element.count, max_fields + 1);
    return fields;
  }

  Element element_of(BtfMember member) const {
    Element element{member.type};
    for (int i = 0; i < max_chain && types_.kind(element.type) == BtfKind::Array; ++i) {
      BtfType array = types_.type(element.type);
      element.count = std::min(element.count * array.array_length(), max_fields + 1);
      element.type = array.array_element_type();
    }
    return element;
  }

  bool has_special_member(BtfType record) const {
    bool found = false;
    for (uint32_t i = 0; i < record.vlen() && !found; ++i)
      found = is_special(record.member(i).type);
    return found;
  }

  std::string_view name_of(BtfType type) const { return bounded_name(types_, type.name_off()); }

  /// Whether a kernel looks into structs with a member of that type.
  bool is_special(uint32_t id) const {
    if (types_.kind(id) == BtfKind::Struct)
      return is_one_of(special_structs, name_of(types_.type(id)));
    auto tag = tag_of(id);
    return tag && !broken_rule(*tag);
  }

  /// The first tag of what a pointer, which may be volatile, points to.
  std::optional<BtfType> tag_of(uint32_t id) const {
    if (types_.kind(id) == BtfKind::Volatile) id = types_.type(id).type();
    if (types_.kind(id) != BtfKind::Ptr) return std::nullopt;
    uint32_t to = types_.type(id).type();
    return types_.kind(to) == BtfKind::TypeTag ? std::optional(types_.type(to)) : std::nullopt;
  }

  std::optional<BtfRule> broken_rule(BtfType tag) const {
    bool is_last = types_.kind(tag.type()) != BtfKind::TypeTag;
    if (is_last && name_of(tag) == "uptr") return BtfRule::UserPointer;
    if (!is_last || !is_one_of(kptr_tags, name_of(tag))) return BtfRule::TagOfMember;
    return leads_to_struct(tag) ? std::nullopt : std::optional(BtfRule::KptrTarget);
  }

  /// Whether a modifier is of a struct, or of too many others to tell.
  bool leads_to_struct(BtfType type) const {
    for (int i = 0; i < max_chain && is_modifier(type.kind()); ++i) {
      if (type.type() == 0) return false;
      type = types_.type(type.type());
    }
    return type.kind() == BtfKind::Struct || is_modifier(type.kind());
  }

  const BtfView& types_;
  Findings& findings_;
  std::vector<Fields> fields_;  ///< by id of a struct
};

}  // namespace

void check_struct_fields(const BtfView& types, Findings& findings) {
  StructFieldCheck(types, findings).run();
}

}  // namespace bpflink
