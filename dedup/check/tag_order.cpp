// Checks chains of qualifiers, typedefs and type tags.
//
// A type tag describes what a pointer points to. Before Linux 7.2, a kernel expects tags directly
// after the pointer, and rejects tags later in the chain. From each type, the check follows the
// chain until it meets a lower id, whose chain is checked already.
#include "dedup/check/checks.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr int max_chain_length = 32;

/// What is wrong with a chain.
struct ChainFaults {
  bool is_misordered = false, is_long = false;
};

ChainFaults check_chain(const BtfView& types, uint32_t begin, uint32_t last_checked) {
  ChainFaults faults;
  bool may_be_tag = types.kind(begin) == BtfKind::TypeTag;
  uint32_t id = begin;
  for (int length = 0; is_modifier(types.kind(id)); ++length) {
    faults.is_long = length == max_chain_length;
    if (faults.is_long) break;
    bool is_tag = types.kind(id) == BtfKind::TypeTag;
    faults.is_misordered |= is_tag && !may_be_tag;
    may_be_tag = is_tag;
    if (id <= last_checked) break;
    id = types.type(id).type();
    if (id >= types.end_id()) break;  // check_resolution() reports it
  }
  return faults;
}

}  // namespace

void check_tag_order(const BtfView& types, Findings& findings) {
  uint32_t last_checked = types.first_id() - 1;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    if (!is_modifier(types.kind(id))) continue;
    ChainFaults faults = check_chain(types, id, last_checked);
    bool is_faulty = findings.is_faulty(id);
    if (!is_faulty && faults.is_misordered) findings.add(BtfRule::TagOrder, id);
    if (!is_faulty && faults.is_long) findings.add(BtfRule::ChainLength, id);
    last_checked = id;
  }
}

}  // namespace bpflink
