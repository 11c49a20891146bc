// The comparison goes down both types at once, with a list of pairs still to be compared instead of
// recursion. libbpf's own limits are 32 links of one chain and 32 prototypes within each other;
// what is compared in all is bounded here, too, as the types may be anyone's.
#include "linker/core/type_compat.hpp"

#include <vector>

#include "bpflink/btf_query.hpp"

namespace bpflink {
namespace {

constexpr int longest_chain = 32;
constexpr int deepest_prototype = 32;
constexpr int most_pairs = 10'000;

struct Pair {
  uint32_t id, target_id;
  int chain = 0;      ///< pointers and arrays that led to it
  int prototype = 0;  ///< prototypes that it is within
};

class Comparison {
 public:
  Comparison(const BtfView& types, const BtfView& target_types)
      : types_(types), target_types_(target_types) {}

  bool agree(uint32_t id, uint32_t target_id) {
    pending_.push_back({id, target_id});
    for (int count = 0; !pending_.empty(); ++count) {
      Pair pair = pending_.back();
      pending_.pop_back();
      if (count >= most_pairs || !agree_here(pair)) return false;
    }
    return true;
  }

 private:
  /// Compares the two and puts down what they refer to.
  bool agree_here(Pair pair) {
    if (pair.chain >= longest_chain) return false;
    uint32_t id = skip_modifiers(types_, pair.id);
    uint32_t target_id = skip_modifiers(target_types_, pair.target_id);
    BtfKind kind = types_.kind(id), target_kind = target_types_.kind(target_id);
    if (kind != target_kind && !(is_enum(kind) && is_enum(target_kind))) return false;
    if (id == 0) return true;
    BtfType type = types_.type(id), target = target_types_.type(target_id);
    auto go_on = [&](uint32_t next, uint32_t target_next) {
      pending_.push_back({next, target_next, pair.chain + 1, pair.prototype});
    };
    switch (kind) {
      case BtfKind::Struct:
      case BtfKind::Union:
      case BtfKind::Enum:
      case BtfKind::Enum64:
      case BtfKind::Fwd:
        return true;
      case BtfKind::Int:
        return !is_bit_field(type) && !is_bit_field(target);
      case BtfKind::Ptr:
        go_on(type.type(), target.type());
        return true;
      case BtfKind::Array:
        go_on(type.array_element_type(), target.array_element_type());
        return true;
      case BtfKind::FuncProto:
        if (type.vlen() != target.vlen() || type.vlen() > most_pairs) return false;
        if (type.vlen() != 0 && pair.prototype >= deepest_prototype) return false;
        for (uint32_t i = 0; i < type.vlen(); ++i)
          pending_.push_back({type.param(i).type, target.param(i).type, 0, pair.prototype + 1});
        go_on(type.type(), target.type());
        return true;
      default:
        return false;
    }
  }

  static bool is_bit_field(BtfType integer) { return (integer.int_data() >> 16 & 0xff) != 0; }

  const BtfView& types_;
  const BtfView& target_types_;
  std::vector<Pair> pending_;
};

}  // namespace

bool types_are_compatible(const BtfView& types, uint32_t id, const BtfView& target_types,
                          uint32_t target_id) {
  return Comparison(types, target_types).agree(id, target_id);
}

}  // namespace bpflink
