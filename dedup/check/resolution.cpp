// Checks what types refer to, and that it has a size where one is needed.
//
// A kernel resolves a type before the types that refer to it. It descends from each type, in order
// of ids, with an explicit stack of 32 entries. How far it descends depends on where it started.
// From a pointer it follows pointers, qualifiers and typedefs, to see whether they end; a type with
// a size of its own ends the walk, because it may lead back. From a struct or array it follows what
// is contained by value, and a pointer ends the walk. So it depends on the order of ids whether a
// chain is too long or a circle is found. Only the same walk gives the same answers.
//
// A kernel stops at the first fault. This check goes on: a faulty type, and types that refer to it,
// are marked and not judged. Each type is entered once, so the time is linear.
#include "dedup/check/resolution.hpp"

#include <array>
#include <unordered_map>

#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// The bytes of a pointer in a kernel that has BPF programs loaded.
constexpr uint32_t pointer_size = 8;

/// Kinds that refer to others, so that something is to be settled before they can be used.
constexpr KindSet referring{
    BtfKind::Ptr,      BtfKind::Array,   BtfKind::Struct,   BtfKind::Union, BtfKind::Typedef,
    BtfKind::Volatile, BtfKind::Const,   BtfKind::Restrict, BtfKind::Func,  BtfKind::Var,
    BtfKind::Datasec,  BtfKind::DeclTag, BtfKind::TypeTag};
/// Kinds that nothing but a DATASEC or a DECL_TAG refers to.
constexpr KindSet never_referred{BtfKind::Var, BtfKind::Datasec, BtfKind::DeclTag};
/// Kinds that no member or element can have.
constexpr KindSet without_size{BtfKind::Void, BtfKind::Fwd, BtfKind::Func, BtfKind::FuncProto,
                               BtfKind::DeclTag};
/// Kinds without a size that a pointer or typedef may be of all the same.
constexpr KindSet opaque{BtfKind::Void, BtfKind::Fwd, BtfKind::FuncProto};
constexpr KindSet taggable{BtfKind::Struct, BtfKind::Union, BtfKind::Func, BtfKind::Var,
                           BtfKind::Typedef};

/// Which ways are followed down from where the search began.
enum class Mode : uint8_t { Undecided, Pointers, Contents };

class ResolutionCheck {
 public:
  ResolutionCheck(const BtfView& types, Findings& findings)
      : types_(types), findings_(findings), resolution_(types.end_id()) {
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
      if (findings.is_faulty(id)) state(id) = ResolutionState::Faulty;
  }

  void run() {
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id) {
      settle(id);
      if (types_.kind(id) == BtfKind::FuncProto && state(id) != ResolutionState::Faulty)
        judge_prototype(id, types_.type(id));
    }
  }

 private:
  static constexpr size_t most_entries = 32;

  struct Entry {
    uint32_t id;
    uint32_t next = 0;        ///< the first of what it refers to that was not looked at
    bool is_tainted = false;  ///< what it refers to is at fault
  };

  ResolutionState& state(uint32_t id) { return resolution_.states[id]; }
  bool is_in_range(uint32_t id) const { return id < types_.end_id(); }
  bool is_faulty(uint32_t id) { return is_in_range(id) && state(id) == ResolutionState::Faulty; }
  std::optional<SizedType> sized(uint32_t id) const { return resolution_.sized(types_, id); }

  // ---- the search

  /// Goes down from a type until it is settled.
  void settle(uint32_t root) {
    if (!referring.contains(types_.kind(root)) || state(root) != ResolutionState::Unseen) return;
    mode_ = Mode::Undecided;
    enter(root, root);
    while (depth_ != 0) {
      Entry& entry = stack_[depth_ - 1];
      if (types_.kind(entry.id) == BtfKind::Datasec) mode_ = Mode::Undecided;
      if (uint32_t id = next_unsettled(entry))
        enter(id, root);
      else
        leave(entry);
    }
  }

  void enter(uint32_t id, uint32_t root) {
    if (depth_ == most_entries) return give_up(BtfRule::Depth, root);
    if (state(id) == ResolutionState::Open) return give_up(BtfRule::Loop, root);
    state(id) = ResolutionState::Open;
    stack_[depth_++] = {id};
    if (mode_ != Mode::Undecided) return;
    BtfKind kind = types_.kind(id);
    if (kind == BtfKind::Ptr) mode_ = Mode::Pointers;
    if (is_composite(kind) || kind == BtfKind::Array) mode_ = Mode::Contents;
  }

  void give_up(BtfRule rule, uint32_t root) {
    findings_.add(rule, root);
    for (; depth_ != 0; --depth_) state(stack_[depth_ - 1].id) = ResolutionState::Faulty;
  }

  void leave(const Entry& entry) {
    uint32_t id = entry.id;
    bool is_sound = !entry.is_tainted && judge(id, types_.type(id));
    state(id) = is_sound ? ResolutionState::Resolved : ResolutionState::Faulty;
    --depth_;
    if (!is_sound && depth_ != 0) stack_[depth_ - 1].is_tainted = true;
  }

  /// Whether the way ends at a type, whatever that refers to.
  bool is_end(uint32_t id) const {
    BtfKind kind = types_.kind(id);
    if (mode_ == Mode::Undecided) return !referring.contains(kind);
    if (is_modifier(kind)) return false;
    if (mode_ == Mode::Pointers) return kind != BtfKind::Ptr;
    return kind != BtfKind::Array && !is_composite(kind);
  }

  /// Whether a type must be settled before the one that refers to it; it may be by now.
  bool is_to_enter(Entry& entry, uint32_t id) {
    if (is_faulty(id)) entry.is_tainted = true;
    return !is_end(id) && state(id) != ResolutionState::Resolved && !is_faulty(id);
  }

  /// The next of what a type refers to that is to be settled first, or 0. What it may not refer to
  /// is left to judge().
  uint32_t next_unsettled(Entry& entry) {
    BtfType type = types_.type(entry.id);
    for (uint32_t count = reference_count(type); entry.next < count;) {
      uint32_t i = entry.next++, id = reference(type, i);
      if (may_refer(type.kind(), id) && is_to_enter(entry, id)) return id;
      if (type.kind() == BtfKind::Datasec && !judge_variable(entry.id, type, i))
        entry.is_tainted = true;
    }
    return unsettled_pointer(entry, type);
  }

  /// Where a pointer or variable is of a typedef that was settled from a struct, the way ended at a
  /// pointer, which may lead back.
  uint32_t unsettled_pointer(Entry& entry, BtfType type) {
    bool asks = type.kind() == BtfKind::Ptr || type.kind() == BtfKind::Var;
    if (!asks || !may_refer(type.kind(), type.type()) || !is_modifier(types_.kind(type.type())))
      return 0;
    uint32_t id = resolution_.targets[type.type()];
    return types_.kind(id) == BtfKind::Ptr && is_to_enter(entry, id) ? id : 0;
  }

  static uint32_t reference_count(BtfType type) {
    BtfKind kind = type.kind();
    if (is_composite(kind) || kind == BtfKind::Datasec) return type.vlen();
    if (kind == BtfKind::Array) return 2;
    return kind == BtfKind::Func ? 0 : 1;
  }

  static uint32_t reference(BtfType type, uint32_t i) {
    BtfKind kind = type.kind();
    if (is_composite(kind)) return type.member(i).type;
    if (kind == BtfKind::Datasec) return type.var_secinfo(i).type;
    if (kind == BtfKind::Array) return i == 0 ? type.array_index_type() : type.array_element_type();
    return type.type();
  }

  /// Whether a type of a kind may refer to type `id`, whatever that refers to.
  bool may_refer(BtfKind from, uint32_t id) const {
    if (!is_in_range(id)) return false;
    BtfKind to = types_.kind(id);
    if (from == BtfKind::Datasec) return to == BtfKind::Var;
    if (from == BtfKind::DeclTag) return taggable.contains(to);
    bool is_by_value = is_composite(from) || from == BtfKind::Array;
    return !never_referred.contains(to) && !(is_by_value && without_size.contains(to));
  }

  // ---- the rules, once what a type refers to is settled

  bool fault(BtfRule rule, uint32_t id, int64_t element = -1) {
    findings_.add(rule, id, element);
    return false;
  }

  bool judge(uint32_t id, BtfType type) {
    switch (type.kind()) {
      case BtfKind::Array:
        return judge_array(id, type);
      case BtfKind::Struct:
      case BtfKind::Union:
        return judge_members(id, type);
      case BtfKind::Func:
        return judge_func(id, type);
      case BtfKind::Datasec:
        return true;  // judge_variable() did
      case BtfKind::DeclTag:
        return judge_decl_tag(id, type);
      default:
        return judge_reference(id, type);
    }
  }

  /// A pointer, a qualifier, a typedef or a VAR.
  bool judge_reference(uint32_t id, BtfType type) {
    uint32_t to = type.type();
    if (!may_refer(type.kind(), to)) return fault(BtfRule::ReferenceKind, id);
    uint32_t& target = resolution_.targets[id];
    if (auto size = sized(to)) {
      target = size->id;
      return true;
    }
    if (state(to) == ResolutionState::Resolved) to = resolution_.targets[to];
    target = to;
    bool is_sound = type.kind() != BtfKind::Var && opaque.contains(types_.kind(to));
    return is_sound || fault(BtfRule::ReferenceKind, id);
  }

  bool judge_array(uint32_t id, BtfType type) {
    uint32_t index_id = type.array_index_type(), element_id = type.array_element_type();
    auto index = may_refer(BtfKind::Array, index_id) ? sized(index_id) : std::nullopt;
    bool is_index =
        index && types_.kind(index->id) == BtfKind::Int && is_regular_int(types_.type(index->id));
    if (!is_index) return fault(BtfRule::ArrayIndex, id);
    auto element = may_refer(BtfKind::Array, element_id) ? sized(element_id) : std::nullopt;
    if (!element) return fault(BtfRule::ArrayElement, id);
    if (types_.kind(element->id) == BtfKind::Int && !is_regular_int(types_.type(element->id)))
      return fault(BtfRule::ArrayOfBitField, id);
    uint64_t size = uint64_t{element->size} * type.array_length();
    if (size > UINT32_MAX) return fault(BtfRule::ArrayOverflow, id);
    resolution_.array_sizes[id] = static_cast<uint32_t>(size);
    return true;
  }

  bool judge_members(uint32_t id, BtfType record) {
    bool is_sound = true;
    for (uint32_t i = 0; i < record.vlen(); ++i) {
      uint32_t member_id = record.member(i).type;
      auto member = may_refer(record.kind(), member_id) ? sized(member_id) : std::nullopt;
      if (!member)
        is_sound = fault(BtfRule::MemberKind, id, i);
      else if (auto broken = check_member(record, i, types_.type(member->id), *member))
        is_sound = fault(*broken, id, i);
    }
    return is_sound;
  }

  bool judge_func(uint32_t id, BtfType func) {
    uint32_t prototype_id = func.type();
    if (!is_in_range(prototype_id) || types_.kind(prototype_id) != BtfKind::FuncProto)
      return fault(BtfRule::FuncPrototype, id);
    resolution_.targets[id] = prototype_id;
    auto nameless = nameless_parameter(prototype_id);
    return !nameless || fault(BtfRule::ParameterName, id, *nameless);
  }

  /// The first parameter of a prototype without a name. Many FUNCs may have one prototype.
  std::optional<uint32_t> nameless_parameter(uint32_t prototype_id) {
    auto [found, is_new] = nameless_.try_emplace(prototype_id);
    BtfType prototype = types_.type(prototype_id);
    for (uint32_t i = 0; is_new && !found->second && i < prototype.vlen(); ++i)
      if (BtfParam param = prototype.param(i); param.name_off == 0 && param.type != 0)
        found->second = i;
    return found->second;
  }

  /// A variable of a DATASEC that was settled before it. A kernel does not come back to the others
  /// to compare sizes.
  bool judge_variable(uint32_t id, BtfType datasec, uint32_t i) {
    BtfVarSecinfo variable = datasec.var_secinfo(i);
    if (!may_refer(BtfKind::Datasec, variable.type)) return fault(BtfRule::VarKind, id, i);
    if (is_faulty(variable.type)) return false;
    auto type = sized(types_.type(variable.type).type());
    return (type && variable.size >= type->size) || fault(BtfRule::VarTooSmall, id, i);
  }

  bool judge_decl_tag(uint32_t id, BtfType tag) {
    if (!may_refer(BtfKind::DeclTag, tag.type())) return fault(BtfRule::TagTarget, id);
    resolution_.targets[id] = tag.type();
    if (tag.component_idx() == -1) return true;
    BtfType of = types_.type(tag.type());
    uint32_t components = 0;
    if (is_composite(of.kind())) components = of.vlen();
    if (of.kind() == BtfKind::Func) components = types_.type(of.type()).vlen();
    bool is_one = static_cast<uint32_t>(tag.component_idx()) < components;
    return is_one || fault(BtfRule::ComponentIndex, id);
  }

  /// A prototype is not entered from others; each is judged when its turn comes.
  void judge_prototype(uint32_t id, BtfType prototype) {
    if (prototype.type() != 0 && !has_settled_size(prototype.type()))
      fault(BtfRule::ReturnType, id);
    uint32_t count = prototype.vlen();
    if (count != 0 && prototype.param(count - 1).type == 0) {  // `...`
      if (prototype.param(count - 1).name_off != 0) fault(BtfRule::ParameterType, id, count - 1);
      --count;
    }
    for (uint32_t i = 0; i < count; ++i) {
      BtfParam param = prototype.param(i);
      if (!has_settled_size(param.type))
        fault(BtfRule::ParameterType, id, i);
      else if (!is_parameter_name(param.name_off))
        fault(BtfRule::ParameterCharacters, id, i);
    }
  }

  /// Whether a type has a size, or is at fault itself.
  bool has_settled_size(uint32_t id) {
    if (!is_in_range(id) || never_referred.contains(types_.kind(id))) return false;
    settle(id);
    return is_faulty(id) || sized(id).has_value();
  }

  bool is_parameter_name(uint32_t offset) const {
    return offset == 0 ||
           (is_name_offset(types_, offset) && name_kind(types_, offset).is_identifier);
  }

  const BtfView& types_;
  Findings& findings_;
  Resolution resolution_;
  std::unordered_map<uint32_t, std::optional<uint32_t>> nameless_;  ///< by prototype
  Mode mode_ = Mode::Undecided;
  std::array<Entry, most_entries> stack_;
  size_t depth_ = 0;
};

}  // namespace

std::optional<SizedType> Resolution::sized(const BtfView& types, uint32_t id) const {
  BtfKind kind = types.kind(id);
  if (is_modifier(kind) || kind == BtfKind::Var) {
    id = targets[id];
    kind = types.kind(id);
  }
  if (without_size.contains(kind) || is_modifier(kind)) return std::nullopt;
  if (kind == BtfKind::Ptr) return SizedType{id, pointer_size};
  if (kind == BtfKind::Array) return SizedType{id, array_sizes[id]};
  return SizedType{id, types.type(id).size()};
}

void check_resolution(const BtfView& types, Findings& findings) {
  ResolutionCheck(types, findings).run();
}

void check_id_ranges(const BtfView& types, Findings& findings) {
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    bool is_in_range = true;
    for_each_reference(types.words_of(id),
                       [&](uint32_t ref) { is_in_range &= ref < types.end_id(); });
    if (!is_in_range && !findings.is_faulty(id)) findings.add(BtfRule::ReferenceKind, id);
  }
}

}  // namespace bpflink
