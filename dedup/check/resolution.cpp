// Checks what types refer to, and that it has a size where one is needed.
//
// A kernel resolves the types that a type refers to before the type itself. It walks down from each
// type, in order of ids, with an explicit stack of 32 entries. How far it walks depends on where it
// started:
//
//   from a pointer            pointers, qualifiers and typedefs, to see whether they end. A struct
//                             ends the walk, because it may lead back
//   from a struct or array    all that is contained by value. A pointer ends the walk
//
// So whether a chain is too long, or a circle is found, depends on the order of ids. Only the same
// walk gives the same answers.
//
// A kernel stops at the first fault. This check goes on: faulty types, and types that refer to
// them, are marked and cause no more faults. Each type is entered once, so the time is linear.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// The size of a pointer in the kernel that loads the BTF.
constexpr uint32_t pointer_size = 8;

/// Kinds that refer to others, which are resolved first. Prototypes are checked without.
constexpr KindSet referring = kinds_with([](const KindRow& row) {
  return has_references(row.kind) && row.kind_class != KindClass::Prototype;
});
/// Kinds that only a DATASEC or a DECL_TAG may refer to.
constexpr KindSet never_referred =
    kinds_of({KindClass::Variable, KindClass::Section, KindClass::Tag});
/// Kinds that a member or element may not have.
constexpr KindSet without_size =
    kinds_of({KindClass::None, KindClass::Declaration, KindClass::Function, KindClass::Prototype,
              KindClass::Tag});
/// Kinds without a size that a pointer or typedef may still refer to.
constexpr KindSet unsized =
    kinds_of({KindClass::None, KindClass::Declaration, KindClass::Prototype});
constexpr KindSet taggable{BtfKind::Struct, BtfKind::Union, BtfKind::Func, BtfKind::Var,
                           BtfKind::Typedef};

/// The most bits that a kernel copies out of a struct: a bit-field and the bits before it in its
/// first byte.
constexpr uint64_t max_bits = 128;

/// The width that a kernel assumes of every enum in a struct with kind_flag.
constexpr uint32_t enum_bits = 32;

std::optional<BtfRule> check_bits(BtfType record, uint64_t offset, uint64_t bits) {
  uint64_t copied = bits + offset % 8;
  if (copied > max_bits) return BtfRule::BitFieldSize;
  if (offset > UINT32_MAX || offset / 8 + (copied + 7) / 8 > record.size())
    return BtfRule::MemberEnd;
  return std::nullopt;
}

std::optional<BtfRule> check_bytes(BtfType record, uint32_t offset, uint32_t size) {
  if (offset % 8 != 0) return BtfRule::MemberByte;
  if (uint64_t{offset / 8} + size > record.size()) return BtfRule::MemberEnd;
  return std::nullopt;
}

/// Checks the alignment that every machine requires.
std::optional<BtfRule> check_float(BtfType record, uint32_t offset, uint32_t size) {
  uint64_t alignment = 8 * std::min<uint64_t>(size, 8);
  if (alignment != 0 && offset % alignment != 0) return BtfRule::MemberAlignment;
  return check_bytes(record, offset, size);
}

/// Checks an INT or enum, which may be a bit-field, in a struct with kind_flag.
std::optional<BtfRule> check_flagged(BtfType record, uint32_t offset, uint32_t width,
                                     BtfType type) {
  bool is_int = type.kind() == BtfKind::Int;
  if (is_int && !is_regular_int(type)) return BtfRule::BitFieldType;
  uint32_t bits = is_int ? type.int_bits() : enum_bits;
  if (width == 0 && offset % 8 != 0) return is_int ? BtfRule::BitFieldByte : BtfRule::MemberByte;
  if (width > bits) return BtfRule::BitFieldSize;
  return check_bits(record, offset, width == 0 ? bits : width);
}

/// The rule that a member of a struct or union breaks, or nothing. `type` and `size` are the
/// member's without qualifiers and typedefs.
///
/// In a struct with kind_flag, the offset of a member also holds the width of a bit-field. In a
/// struct without, a bit-field is a member whose INT has fewer bits than its bytes, or begins
/// within them.
std::optional<BtfRule> check_member(BtfType record, uint32_t index, BtfType type, uint32_t size) {
  uint32_t offset = record.member_bit_offset(index);
  uint32_t width = record.member_bitfield_size(index);
  BtfKind kind = type.kind();
  bool may_be_bit_field = kind == BtfKind::Int || is_enum(kind);
  if (record.kind_flag() && may_be_bit_field) return check_flagged(record, offset, width, type);
  if (width != 0) return BtfRule::BitFieldSize;
  if (kind == BtfKind::Int)
    return check_bits(record, uint64_t{offset} + type.int_offset(), type.int_bits());
  if (kind == BtfKind::Float) return check_float(record, offset, size);
  return check_bytes(record, offset, size);
}

/// A type with a size.
struct SizedType {
  uint32_t id;
  uint32_t size;  ///< bytes
};

/// How far a type is resolved.
enum class ResolutionState : uint8_t {
  Unseen,
  InProgress,  ///< on the stack of the walk
  Resolved,
  Faulty,  ///< it breaks a rule, or what it refers to does
};

/// Which references the walk follows. Undecided: it is at a FUNC, VAR or modifier so far.
enum class Walk : uint8_t { Undecided, Pointers, Contents };

class ResolutionCheck {
 public:
  ResolutionCheck(const BtfView& types, Findings& findings)
      : types_(types),
        findings_(findings),
        states_(types.end_id(), ResolutionState::Unseen),
        targets_(types.end_id()),
        array_sizes_(types.end_id()) {
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
      if (findings.is_faulty(id)) state(id) = ResolutionState::Faulty;
  }

  void run() {
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id) {
      resolve(id);
      if (types_.kind(id) == BtfKind::FuncProto && state(id) != ResolutionState::Faulty)
        check_prototype(id, types_.type(id));
    }
  }

 private:
  static constexpr size_t max_depth = 32;

  struct Entry {
    uint32_t id;
    uint32_t next = 0;  ///< the next of its references to follow
    bool refers_to_faulty = false;
    bool is_decided = false;  ///< of a DATASEC: whether a variable of it decided on a walk
  };

  ResolutionState& state(uint32_t id) { return states_[id]; }
  bool is_in_range(uint32_t id) const { return id < types_.end_id(); }
  bool is_faulty(uint32_t id) { return is_in_range(id) && state(id) == ResolutionState::Faulty; }

  /// A type without its qualifiers and typedefs, if it has a size. Of a type that is not resolved
  /// yet, qualifiers end in void and arrays have 0 bytes.
  std::optional<SizedType> sized(uint32_t id) const {
    if (is_modifier(types_.kind(id)) || types_.kind(id) == BtfKind::Var) id = targets_[id];
    BtfKind kind = types_.kind(id);
    if (kind == BtfKind::Ptr) return SizedType{id, pointer_size};
    if (kind == BtfKind::Array) return SizedType{id, array_sizes_[id]};
    return has_size(kind) ? std::optional(SizedType{id, types_.type(id).size()}) : std::nullopt;
  }

  // ---- the walk

  /// Walks down from a type until it is resolved.
  void resolve(uint32_t root) {
    if (!referring.contains(types_.kind(root)) || state(root) != ResolutionState::Unseen) return;
    walk_ = Walk::Undecided;
    enter(root, root);
    while (depth_ != 0) {
      Entry& entry = stack_[depth_ - 1];
      if (types_.kind(entry.id) == BtfKind::Datasec) return_to_datasec(entry);
      if (uint32_t id = next_unresolved(entry))
        enter(id, root);
      else
        leave(entry);
    }
  }

  void enter(uint32_t id, uint32_t root) {
    if (depth_ == max_depth) return fail_all_open(BtfRule::Depth, root);
    if (state(id) == ResolutionState::InProgress) return fail_all_open(BtfRule::Loop, root);
    state(id) = ResolutionState::InProgress;
    stack_[depth_++] = {id};
    if (walk_ != Walk::Undecided) return;
    BtfKind kind = types_.kind(id);
    if (kind == BtfKind::Ptr) walk_ = Walk::Pointers;
    if (is_composite(kind) || kind == BtfKind::Array) walk_ = Walk::Contents;
  }

  /// The walk of each variable begins anew. Before Linux 6.3, it went on as the first one that was
  /// decided: no further variable was entered, and a qualifier or typedef had no size then.
  void return_to_datasec(Entry& entry) {
    if (walk_ == Walk::Undecided) return;
    walk_ = Walk::Undecided;
    if (entry.is_decided) return;
    entry.is_decided = true;
    BtfType datasec = types_.type(entry.id);
    for (uint32_t i = entry.next; i < datasec.vlen(); ++i) {
      uint32_t variable = datasec.var_secinfo(i).type;
      if (!may_refer(BtfKind::Datasec, variable)) return;
      uint32_t to = types_.type(variable).type();
      bool is_unsized =
          is_in_range(to) && is_modifier(types_.kind(to)) && state(to) == ResolutionState::Unseen;
      if (is_unsized) return findings_.add(BtfRule::VarAfterPointer, entry.id, i);
    }
  }

  void fail_all_open(BtfRule rule, uint32_t root) {
    findings_.add(rule, root);
    for (; depth_ != 0; --depth_) state(stack_[depth_ - 1].id) = ResolutionState::Faulty;
  }

  void leave(const Entry& entry) {
    uint32_t id = entry.id;
    bool is_sound = !entry.refers_to_faulty && check_type(id, types_.type(id));
    state(id) = is_sound ? ResolutionState::Resolved : ResolutionState::Faulty;
    --depth_;
    if (!is_sound && depth_ != 0) stack_[depth_ - 1].refers_to_faulty = true;
  }

  /// Whether the walk does not enter a type, whatever it refers to.
  bool ends_walk(uint32_t id) const {
    BtfKind kind = types_.kind(id);
    if (walk_ == Walk::Undecided) return !referring.contains(kind);
    if (is_modifier(kind)) return false;
    if (walk_ == Walk::Pointers) return kind != BtfKind::Ptr;
    return kind != BtfKind::Array && !is_composite(kind);
  }

  /// Whether a type is still to be resolved before the one that refers to it.
  bool must_enter(Entry& entry, uint32_t id) {
    if (is_faulty(id)) entry.refers_to_faulty = true;
    return !ends_walk(id) && state(id) != ResolutionState::Resolved && !is_faulty(id);
  }

  /// The next type that must be resolved before this one, or 0. Invalid references are left to
  /// check_type().
  uint32_t next_unresolved(Entry& entry) {
    BtfType type = types_.type(entry.id);
    for (uint32_t count = reference_count(type); entry.next < count;) {
      uint32_t i = entry.next++, id = reference(type, i);
      if (may_refer(type.kind(), id) && must_enter(entry, id)) return id;
      if (type.kind() == BtfKind::Datasec && !check_variable(entry.id, type, i))
        entry.refers_to_faulty = true;
    }
    return unresolved_pointer(entry, type);
  }

  /// If a pointer or variable refers to a typedef that was resolved from a struct, that walk ended
  /// at a pointer. The pointer may lead back here, so it is to be resolved now.
  uint32_t unresolved_pointer(Entry& entry, BtfType type) {
    bool asks = type.kind() == BtfKind::Ptr || type.kind() == BtfKind::Var;
    if (!asks || !may_refer(type.kind(), type.type()) || !is_modifier(types_.kind(type.type())))
      return 0;
    uint32_t id = targets_[type.type()];
    return types_.kind(id) == BtfKind::Ptr && must_enter(entry, id) ? id : 0;
  }

  /// How many references a kernel resolves before a type.
  static uint32_t reference_count(BtfType type) {
    if (type.kind() == BtfKind::Func) return 0;
    WordSet ids = kind_words(type.kind()).ids;
    return std::popcount(ids.head) + std::popcount(ids.element) * type.vlen();
  }

  /// The i-th of them.
  static uint32_t reference(BtfType type, uint32_t i) {
    const KindWords& words = kind_words(type.kind());
    // The index type of an array comes before its elements.
    if (type.kind() == BtfKind::Array) i = 1 - i;
    auto nth = [](unsigned bits, uint32_t n) {
      for (; n != 0; --n) bits &= bits - 1;
      return static_cast<uint32_t>(std::countr_zero(bits));
    };
    uint32_t in_head = std::popcount(words.ids.head), in_element = std::popcount(words.ids.element);
    if (i < in_head) return type.words()[head_start + nth(words.ids.head, i)];
    uint32_t element = (i - in_head) / in_element,
             word = nth(words.ids.element, (i - in_head) % in_element);
    return type
        .words()[head_start + words.head_words + size_t{element} * words.element_words + word];
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

  // ---- the rules, when all that a type refers to is resolved

  bool fault(BtfRule rule, uint32_t id, int64_t element = -1) {
    findings_.add(rule, id, element);
    return false;
  }

  bool check_type(uint32_t id, BtfType type) {
    switch (kind_class(type.kind())) {
      case KindClass::Array:
        return check_array(id, type);
      case KindClass::Record:
        return check_members(id, type);
      case KindClass::Function:
        return check_func(id, type);
      case KindClass::Tag:
        return check_decl_tag(id, type);
      case KindClass::Pointer:
      case KindClass::Modifier:
      case KindClass::Variable:
        return check_reference(id, type);
      case KindClass::Section:  // check_variable() did
      case KindClass::None:     // the others are not entered
      case KindClass::Integer:
      case KindClass::Floating:
      case KindClass::Enumeration:
      case KindClass::Declaration:
      case KindClass::Prototype:
        return true;
    }
    return true;
  }

  /// Checks a pointer, qualifier, typedef, type tag or VAR.
  bool check_reference(uint32_t id, BtfType type) {
    uint32_t to = type.type();
    if (!may_refer(type.kind(), to)) return fault(BtfRule::ReferenceKind, id);
    uint32_t& target = targets_[id];
    if (auto size = sized(to)) {
      target = size->id;
      return true;
    }
    if (state(to) == ResolutionState::Resolved) to = targets_[to];
    target = to;
    bool is_sound = type.kind() != BtfKind::Var && unsized.contains(types_.kind(to));
    return is_sound || fault(BtfRule::ReferenceKind, id);
  }

  bool check_array(uint32_t id, BtfType type) {
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
    array_sizes_[id] = static_cast<uint32_t>(size);
    return true;
  }

  bool check_members(uint32_t id, BtfType record) {
    bool is_sound = true;
    for (uint32_t i = 0; i < record.vlen(); ++i) {
      uint32_t member_id = record.member(i).type;
      auto member = may_refer(record.kind(), member_id) ? sized(member_id) : std::nullopt;
      if (!member)
        is_sound = fault(BtfRule::MemberKind, id, i);
      else if (auto broken = check_member(record, i, types_.type(member->id), member->size))
        is_sound = fault(*broken, id, i);
    }
    return is_sound;
  }

  bool check_func(uint32_t id, BtfType func) {
    uint32_t prototype_id = func.type();
    if (!is_in_range(prototype_id) || types_.kind(prototype_id) != BtfKind::FuncProto)
      return fault(BtfRule::FuncPrototype, id);
    targets_[id] = prototype_id;
    auto nameless = nameless_parameter(prototype_id);
    return !nameless || fault(BtfRule::ParameterName, id, *nameless);
  }

  /// The first parameter without a name. Remembered, because many FUNCs may share a prototype.
  std::optional<uint32_t> nameless_parameter(uint32_t prototype_id) {
    auto [found, is_new] = nameless_.try_emplace(prototype_id);
    BtfType prototype = types_.type(prototype_id);
    for (uint32_t i = 0; is_new && !found->second && i < prototype.vlen(); ++i)
      if (BtfParam param = prototype.param(i); param.name_off == 0 && param.type != 0)
        found->second = i;
    return found->second;
  }

  /// Checks a variable of a DATASEC that was resolved before it. A kernel does not compare the
  /// sizes of the others.
  bool check_variable(uint32_t id, BtfType datasec, uint32_t i) {
    BtfVarSecinfo variable = datasec.var_secinfo(i);
    if (!may_refer(BtfKind::Datasec, variable.type)) return fault(BtfRule::VarKind, id, i);
    if (is_faulty(variable.type)) return false;
    auto type = sized(types_.type(variable.type).type());
    return (type && variable.size >= type->size) || fault(BtfRule::VarTooSmall, id, i);
  }

  bool check_decl_tag(uint32_t id, BtfType tag) {
    if (!may_refer(BtfKind::DeclTag, tag.type())) return fault(BtfRule::TagTarget, id);
    targets_[id] = tag.type();
    if (tag.component_idx() == -1) return true;
    BtfType of = types_.type(tag.type());
    uint32_t components = 0;
    if (is_composite(of.kind())) components = of.vlen();
    if (of.kind() == BtfKind::Func) components = types_.type(of.type()).vlen();
    bool is_one = static_cast<uint32_t>(tag.component_idx()) < components;
    return is_one || fault(BtfRule::ComponentIndex, id);
  }

  /// Checks a prototype. The walk does not enter prototypes; run() calls this for each.
  void check_prototype(uint32_t id, BtfType prototype) {
    if (prototype.type() != 0 && !has_size_or_fault(prototype.type()))
      fault(BtfRule::ReturnType, id);
    uint32_t count = prototype.vlen();
    if (count != 0 && prototype.param(count - 1).type == 0) {  // `...`
      if (prototype.param(count - 1).name_off != 0) fault(BtfRule::ParameterType, id, count - 1);
      --count;
    }
    for (uint32_t i = 0; i < count; ++i) {
      BtfParam param = prototype.param(i);
      if (!has_size_or_fault(param.type))
        fault(BtfRule::ParameterType, id, i);
      else if (!is_parameter_name(param.name_off))
        fault(BtfRule::ParameterCharacters, id, i);
    }
  }

  /// Whether a type has a size, or is at fault itself.
  bool has_size_or_fault(uint32_t id) {
    if (!is_in_range(id) || never_referred.contains(types_.kind(id))) return false;
    resolve(id);
    return is_faulty(id) || sized(id).has_value();
  }

  bool is_parameter_name(uint32_t offset) const {
    return offset == 0 ||
           (is_name_offset(types_, offset) && name_kind(types_, offset).is_identifier);
  }

  const BtfView& types_;
  Findings& findings_;
  std::vector<ResolutionState> states_;  ///< by type id
  std::vector<uint32_t> targets_;        ///< by id of a qualifier, typedef, VAR, ...: its end
  std::vector<uint32_t> array_sizes_;    ///< by id of an array: bytes
  std::unordered_map<uint32_t, std::optional<uint32_t>> nameless_;  ///< by prototype
  Walk walk_ = Walk::Undecided;
  std::array<Entry, max_depth> stack_;
  size_t depth_ = 0;
};

}  // namespace

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
