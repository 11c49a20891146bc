// Whether a kernel's type is compatible with a program's, for bpf_core_type_exists() and
// bpf_core_type_matches().
//
// Both types are walked in parallel. Pointers, arrays and return types are followed directly.
// Members and parameters are pairs on an explicit stack, so that no input makes the walk recurse.
// Loaders give up at a certain depth of nesting, and so does this.
#include <array>

#include "dedup/core/match.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr int most_levels = 32;    ///< of members within members, and parameters of parameters
constexpr int longest_chain = 32;  ///< pointers to pointers

bool is_signed(BtfType integer) {
  return (integer.int_data() >> 24 & 1) != 0;
}

enum class Verdict : uint8_t { Alike, Different, Open, Error };

class TypePairs {
 public:
  TypePairs(const BtfView& program, const BtfView& kernel, CoreLikeness likeness,
            CoreEffort& effort)
      : program_(program), kernel_(kernel), likeness_(likeness), effort_(effort) {}

  Verdict run(uint32_t a, uint32_t b) {
    Verdict verdict = compare({a, b, false, most_levels});
    while (verdict != Verdict::Error) {
      if (verdict == Verdict::Open) {
        verdict = start_next(open_.back());
      } else if (open_.empty()) {
        return verdict;
      } else {
        verdict = resume(verdict);
      }
    }
    return verdict;
  }

 private:
  struct Pair {
    uint32_t a, b;
    bool is_behind_pointer;
    int levels;     ///< left
    int chain = 0;  ///< pointers and arrays that led here
  };
  /// Structs or prototypes whose members or parameters are being compared.
  struct Elements {
    Pair pair;
    uint32_t a_index = 0, b_index = 0;
  };

  bool wants_match() const { return likeness_ == CoreLikeness::Matches; }

  /// Compares what is no member or parameter; where there are such, opens them.
  Verdict compare(Pair pair) {
    if (pair.levels <= 0 && wants_match()) return Verdict::Error;
    while (true) {
      if (++pair.chain > longest_chain || !effort_.spend()) return Verdict::Error;
      pair.a = skip_modifiers(program_, pair.a);
      pair.b = skip_modifiers(kernel_, pair.b);
      BtfKind kind = program_.kind(pair.a), other = kernel_.kind(pair.b);
      if (wants_match() && !have_same_name(pair)) return Verdict::Different;
      if (!wants_match() && !are_kinds_compatible(kind, other)) return Verdict::Different;
      if (kind == BtfKind::Void || other == BtfKind::Void)
        return kind == other ? Verdict::Alike : Verdict::Different;
      BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
      switch (kind) {
        case BtfKind::Ptr:
          if (kind != other) return Verdict::Different;
          pair.is_behind_pointer = true;
          pair.a = a.type();
          pair.b = b.type();
          continue;
        case BtfKind::Array:
          if (kind != other || (wants_match() && a.array_length() != b.array_length()))
            return Verdict::Different;
          pair.a = a.array_element_type();
          pair.b = b.array_element_type();
          continue;
        case BtfKind::FuncProto:
          if (kind != other || a.vlen() != b.vlen()) return Verdict::Different;
          if (a.vlen() == 0) {
            pair.a = a.type();
            pair.b = b.type();
            continue;
          }
          open_.push_back({pair});
          return Verdict::Open;
        default:
          return wants_match() ? match_leaf(pair, a, b) : compare_leaf(a, b);
      }
    }
  }

  bool have_same_name(const Pair& pair) const {
    auto name = [](const BtfView& types, uint32_t id) {
      return id == 0 ? std::string_view() : types.name(types.type(id));
    };
    return are_names_like(name(program_, pair.a), name(kernel_, pair.b));
  }

  static Verdict verdict_of(bool is_alike) {
    return is_alike ? Verdict::Alike : Verdict::Different;
  }

  static Verdict compare_leaf(BtfType a, BtfType b) {
    switch (a.kind()) {
      case BtfKind::Struct:
      case BtfKind::Union:
      case BtfKind::Enum:
      case BtfKind::Enum64:
      case BtfKind::Fwd:
        return Verdict::Alike;
      case BtfKind::Int:
        return verdict_of(((a.int_data() | b.int_data()) >> 16 & 0xff) == 0);
      default:
        return Verdict::Different;
    }
  }

  Verdict match_leaf(const Pair& pair, BtfType a, BtfType b) {
    switch (a.kind()) {
      case BtfKind::Struct:
      case BtfKind::Union:
        return match_composite(pair, a, b);
      case BtfKind::Fwd:
        return match_declaration(pair, a, b);
      case BtfKind::Enum:
      case BtfKind::Enum64:
        return is_enum(b.kind()) ? match_enums(a, b) : Verdict::Different;
      case BtfKind::Int:
        return verdict_of(b.kind() == BtfKind::Int && a.size() == b.size() &&
                          is_signed(a) == is_signed(b));
      default:
        return Verdict::Different;
    }
  }

  /// Behind a pointer a declaration will do, and no member is looked at.
  Verdict match_composite(const Pair& pair, BtfType a, BtfType b) {
    if (pair.is_behind_pointer) {
      if (b.kind() == BtfKind::Fwd)
        return verdict_of((a.kind() == BtfKind::Union) == b.kind_flag());
      return verdict_of(a.kind() == b.kind());
    }
    if (a.kind() != b.kind() || a.vlen() > b.vlen()) return Verdict::Different;
    if (a.vlen() == 0) return Verdict::Alike;
    open_.push_back({pair});
    return Verdict::Open;
  }

  static Verdict match_declaration(const Pair& pair, BtfType a, BtfType b) {
    if (b.kind() == BtfKind::Fwd) return verdict_of(a.kind_flag() == b.kind_flag());
    return verdict_of(pair.is_behind_pointer &&
                      b.kind() == (a.kind_flag() ? BtfKind::Union : BtfKind::Struct));
  }

  /// Each enumerator of `a` is one of `b`, whatever its value.
  Verdict match_enums(BtfType a, BtfType b) {
    if (a.size() != b.size() || a.vlen() > b.vlen()) return Verdict::Different;
    for (uint32_t i = 0; i < a.vlen(); ++i) {
      std::string_view name = program_.string(a.enumerator(i).name_off);
      uint32_t j = 0;
      while (j < b.vlen() && !are_names_like(name, kernel_.string(b.enumerator(j).name_off))) ++j;
      if (!effort_.spend(j)) return Verdict::Error;
      if (j == b.vlen()) return Verdict::Different;
    }
    return Verdict::Alike;
  }

  /// Compares the next member or parameter of the innermost pair.
  Verdict start_next(Elements& elements) {
    const Pair& pair = elements.pair;
    BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
    if (a.kind() == BtfKind::FuncProto) {
      // One that asks for existence gives up here, one that asks for a match one level below.
      if (pair.levels <= 0) return Verdict::Error;
      return compare({a.param(elements.a_index).type, b.param(elements.a_index).type,
                      pair.is_behind_pointer, pair.levels - 1});
    }
    BtfMember member = a.member(elements.a_index);
    std::string_view name = program_.string(member.name_off);
    for (; elements.b_index < b.vlen(); ++elements.b_index) {
      if (!effort_.spend()) return Verdict::Error;
      BtfMember other = b.member(elements.b_index);
      if (are_names_like(name, kernel_.string(other.name_off)))
        return compare({member.type, other.type, pair.is_behind_pointer, pair.levels - 1});
    }
    open_.pop_back();
    return Verdict::Different;
  }

  /// Goes on with the innermost pair, whose element was found `verdict`.
  Verdict resume(Verdict verdict) {
    Elements& elements = open_.back();
    Pair pair = elements.pair;
    BtfType a = program_.type(pair.a), b = kernel_.type(pair.b);
    if (a.kind() == BtfKind::FuncProto) {
      if (verdict == Verdict::Different) {
        open_.pop_back();
        return verdict;
      }
      if (++elements.a_index < a.vlen()) return Verdict::Open;
      open_.pop_back();
      pair.a = a.type();
      pair.b = b.type();
      return compare(pair);  // the return type
    }
    if (verdict == Verdict::Different) {  // another member may have the name, or none
      ++elements.b_index;
      return Verdict::Open;
    }
    elements.b_index = 0;
    if (++elements.a_index < a.vlen()) return Verdict::Open;
    open_.pop_back();
    return Verdict::Alike;
  }

  const BtfView &program_, &kernel_;
  CoreLikeness likeness_;
  CoreEffort& effort_;
  std::vector<Elements> open_;
};

}  // namespace

std::optional<CoreMismatch> match_types(const BtfView& program, uint32_t program_id,
                                        const BtfView& kernel, uint32_t kernel_id,
                                        CoreLikeness likeness, CoreEffort& effort) {
  switch (TypePairs(program, kernel, likeness, effort).run(program_id, kernel_id)) {
    case Verdict::Alike:
      return std::nullopt;
    case Verdict::Different:
      return CoreMismatch{.reason = CoreReason::OtherType, .at = kernel_id};
    default:
      return CoreMismatch{.reason = CoreReason::TooDeep, .is_error = true, .at = kernel_id};
  }
}

bool are_types_compatible(const BtfView& program, uint32_t id, const BtfView& kernel,
                          uint32_t kernel_id) {
  CoreEffort effort(1 << 24);
  return !match_types(program, id, kernel, kernel_id, CoreLikeness::Exists, effort);
}

}  // namespace bpflink
