// Whether a kernel's type is compatible with a program's, for bpf_core_type_exists() and
// bpf_core_type_matches().
//
// Both types are walked in parallel. Pointers, arrays and return types are followed in a loop.
// Members and parameters use an explicit stack, so that no input makes the walk recurse. The limits
// of nesting are those of loaders.
#include <array>

#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/relocations/match.hpp"

namespace bpflink {
namespace {

constexpr int max_levels = 32;        ///< members in members, and parameters of parameters
constexpr int max_chain_length = 32;  ///< pointers to pointers

enum class Outcome : uint8_t { Alike, Different, Pending, Error };

class TypePairs {
 public:
  TypePairs(const BtfView& program, const BtfView& kernel, CoreTypeTest test, CoreEffort& effort)
      : program_(program), kernel_(kernel), test_(test), effort_(effort) {}

  Outcome run(uint32_t a, uint32_t b) {
    Outcome outcome = compare({a, b, false, max_levels});
    while (outcome != Outcome::Error) {
      if (outcome == Outcome::Pending) {
        outcome = start_next(stack_.back());
      } else if (stack_.empty()) {
        return outcome;
      } else {
        outcome = resume(outcome);
      }
    }
    return outcome;
  }

 private:
  struct Pair {
    uint32_t a, b;
    bool is_behind_pointer;
    int levels;     ///< of nesting that are left
    int chain = 0;  ///< pointers and arrays followed so far
  };
  /// Two structs or prototypes whose members or parameters are being compared.
  struct Elements {
    Pair pair;
    uint32_t a_index = 0, b_index = 0;
  };

  bool wants_match() const { return test_ == CoreTypeTest::Matches; }

  /// Compares a pair. If it has members or parameters, pushes it and returns Pending.
  Outcome compare(Pair pair) {
    if (pair.levels <= 0 && wants_match()) return Outcome::Error;
    while (true) {
      if (++pair.chain > max_chain_length || !effort_.spend()) return Outcome::Error;
      pair.a = skip_modifiers(program_, pair.a);
      pair.b = skip_modifiers(kernel_, pair.b);
      BtfKind kind = program_.kind(pair.a), other = kernel_.kind(pair.b);
      if (wants_match() && !have_same_name(pair)) return Outcome::Different;
      if (!wants_match() && !are_kinds_compatible(kind, other)) return Outcome::Different;
      if (kind == BtfKind::Void || other == BtfKind::Void)
        return kind == other ? Outcome::Alike : Outcome::Different;
      BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
      switch (kind_class(kind)) {
        case KindClass::Pointer:
          if (kind != other) return Outcome::Different;
          pair.is_behind_pointer = true;
          pair.a = a.type();
          pair.b = b.type();
          continue;
        case KindClass::Array:
          if (kind != other || (wants_match() && a.array_length() != b.array_length()))
            return Outcome::Different;
          pair.a = a.array_element_type();
          pair.b = b.array_element_type();
          continue;
        case KindClass::Prototype:
          if (kind != other || a.vlen() != b.vlen()) return Outcome::Different;
          if (a.vlen() == 0) {
            pair.a = a.type();
            pair.b = b.type();
            continue;
          }
          stack_.push_back({pair});
          return Outcome::Pending;
        case KindClass::Integer:
          if (!wants_match()) return outcome_of(a.int_offset() == 0 && b.int_offset() == 0);
          return outcome_of(other == BtfKind::Int && a.size() == b.size() &&
                            ((a.int_encoding() ^ b.int_encoding()) & btf_int_signed) == 0);
        case KindClass::Record:
          return wants_match() ? match_composite(pair, a, b) : Outcome::Alike;
        case KindClass::Declaration:
          return wants_match() ? match_declaration(pair, a, b) : Outcome::Alike;
        case KindClass::Enumeration:
          if (!wants_match()) return Outcome::Alike;
          return is_enum(other) ? match_enums(a, b) : Outcome::Different;
        case KindClass::None:
        case KindClass::Modifier:  // skipped above
        case KindClass::Floating:  // as loaders do
        case KindClass::Function:
        case KindClass::Variable:
        case KindClass::Section:
        case KindClass::Tag:
          return Outcome::Different;
      }
      return Outcome::Different;
    }
  }

  bool have_same_name(const Pair& pair) {
    return are_names_equal(program_.type(pair.a).name_off(), kernel_.type(pair.b).name_off());
  }

  /// Compares names by their offsets. With no effort left, they differ.
  bool are_names_equal(uint32_t a, uint32_t b) {
    std::string_view name = bounded_name(program_, a, max_core_name);
    std::string_view other = bounded_name(kernel_, b, max_core_name);
    return effort_.spend_name(name) && effort_.spend_name(other) &&
           are_essential_names_equal(name, other);
  }

  static Outcome outcome_of(bool is_alike) {
    return is_alike ? Outcome::Alike : Outcome::Different;
  }

  /// Behind a pointer, a declaration matches and members are not compared.
  Outcome match_composite(const Pair& pair, BtfType a, BtfType b) {
    if (pair.is_behind_pointer) {
      if (b.kind() == BtfKind::Fwd)
        return outcome_of((a.kind() == BtfKind::Union) == b.kind_flag());
      return outcome_of(a.kind() == b.kind());
    }
    if (a.kind() != b.kind() || a.vlen() > b.vlen()) return Outcome::Different;
    if (a.vlen() == 0) return Outcome::Alike;
    stack_.push_back({pair});
    return Outcome::Pending;
  }

  static Outcome match_declaration(const Pair& pair, BtfType a, BtfType b) {
    if (b.kind() == BtfKind::Fwd) return outcome_of(a.kind_flag() == b.kind_flag());
    return outcome_of(pair.is_behind_pointer &&
                      b.kind() == (a.kind_flag() ? BtfKind::Union : BtfKind::Struct));
  }

  /// Whether `b` has each enumerator of `a`. Values do not count.
  Outcome match_enums(BtfType a, BtfType b) {
    if (a.size() != b.size() || a.vlen() > b.vlen()) return Outcome::Different;
    for (uint32_t i = 0; i < a.vlen(); ++i) {
      uint32_t name = a.enumerator(i).name_off, j = 0;
      while (j < b.vlen() && !are_names_equal(name, b.enumerator(j).name_off)) ++j;
      if (!effort_.spend(j)) return Outcome::Error;
      if (j == b.vlen()) return Outcome::Different;
    }
    return Outcome::Alike;
  }

  /// Compares the next member or parameter of the innermost pair.
  Outcome start_next(Elements& elements) {
    const Pair& pair = elements.pair;
    BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
    if (a.kind() == BtfKind::FuncProto) {
      // A test for existence stops here, a test for a match one level below.
      if (pair.levels <= 0) return Outcome::Error;
      return compare({a.param(elements.a_index).type, b.param(elements.a_index).type,
                      pair.is_behind_pointer, pair.levels - 1});
    }
    BtfMember member = a.member(elements.a_index);
    for (; elements.b_index < b.vlen(); ++elements.b_index) {
      if (!effort_.spend()) return Outcome::Error;
      BtfMember other = b.member(elements.b_index);
      if (are_names_equal(member.name_off, other.name_off))
        return compare({member.type, other.type, pair.is_behind_pointer, pair.levels - 1});
    }
    stack_.pop_back();
    return Outcome::Different;
  }

  /// Continues with the innermost pair after the comparison of one of its elements.
  Outcome resume(Outcome outcome) {
    Elements& elements = stack_.back();
    Pair pair = elements.pair;
    BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
    if (a.kind() == BtfKind::FuncProto) {
      if (outcome == Outcome::Different) {
        stack_.pop_back();
        return outcome;
      }
      if (++elements.a_index < a.vlen()) return Outcome::Pending;
      stack_.pop_back();
      pair.a = a.type();
      pair.b = b.type();
      return compare(pair);  // the return type
    }
    if (outcome == Outcome::Different) {  // another member may have the name, or none
      ++elements.b_index;
      return Outcome::Pending;
    }
    elements.b_index = 0;
    if (++elements.a_index < a.vlen()) return Outcome::Pending;
    stack_.pop_back();
    return Outcome::Alike;
  }

  const BtfView &program_, &kernel_;
  CoreTypeTest test_;
  CoreEffort& effort_;
  std::vector<Elements> stack_;
};

}  // namespace

std::optional<CoreMismatch> match_types(const BtfView& program, uint32_t program_id,
                                        const BtfView& kernel, uint32_t kernel_id,
                                        CoreTypeTest test, CoreEffort& effort) {
  Outcome outcome = TypePairs(program, kernel, test, effort).run(program_id, kernel_id);
  if (outcome == Outcome::Alike) return std::nullopt;
  if (outcome == Outcome::Different)
    return CoreMismatch{.reason = CoreReason::TypeMismatch, .at = kernel_id};
  return CoreMismatch{.reason = CoreReason::TooDeep, .is_error = true, .at = kernel_id};
}

bool are_types_compatible(const BtfView& program, uint32_t id, const BtfView& kernel,
                          uint32_t kernel_id) {
  CoreEffort effort(1 << 24);
  return !match_types(program, id, kernel, kernel_id, CoreTypeTest::Exists, effort);
}

}  // namespace bpflink
