// Resolves CO-RE relocations as loaders do. Begin here.
//
//   struct task_struct { int pid; } __attribute__((preserve_access_index));
//   ... task->pid ...
//
// compiles to a load at offset 0, with a record in .BTF.ext: "the offset in this instruction is
// that of `struct task_struct`, 0:0" (access.hpp). The kernel's `struct task_struct` has another
// layout. A loader finds the kernel's types of that name (candidates.hpp), follows the same path in
// each of them by the names of members (match.hpp), and computes the value at its end (value.hpp).
// All types that have the path must give the same value, because the program does not say which of
// them it means. If none has the path, a relocation that asks for existence gets 0, and for any
// other the loader replaces the instruction with an invalid one.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "dedup/check/names.hpp"
#include "dedup/relocations/match.hpp"

namespace bpflink {
namespace {

CoreResult failed(CoreReason reason) {
  return {.outcome = CoreOutcome::Failed, .reason = reason};
}

/// Whether a loader can change the size of a load or store from that of type `a` to that of type
/// `b`. Loads are extended with zeros, so only pointers and unsigned integers qualify.
bool is_resizable_access(const BtfView& program, uint32_t a, const BtfView& kernel, uint32_t b) {
  if (a == 0 || b == 0) return false;
  auto is_unsigned = [](BtfType type) {
    return type.kind() == BtfKind::Int && type.int_encoding() != btf_int_signed;
  };
  BtfType local = program.type(a), target = kernel.type(b);
  return (local.kind() == BtfKind::Ptr && target.kind() == BtfKind::Ptr) ||
         (is_unsigned(local) && is_unsigned(target));
}

}  // namespace

/// The candidates that matched all relocations of a type so far.
struct RemainingCandidates {
  /// Shared: thousands of types may have one essential name.
  std::shared_ptr<const std::vector<CandidateType>> all;
  std::vector<bool> is_dropped = {};  ///< empty: none is

  bool has(size_t index) const { return is_dropped.empty() || !is_dropped[index]; }

  void drop(size_t index) {
    is_dropped.resize(all->size());
    is_dropped[index] = true;
  }
};

struct CoreResolver::Impl {
  CoreTypes program;
  std::endian order;
  const CoreKernel& kernel;
  std::unordered_map<uint32_t, RemainingCandidates> known;  ///< by type of the program
  /// All candidates of an essential name.
  struct NamedCandidates {
    decltype(RemainingCandidates::all) all;
    uint32_t steps;  ///< that the search took
  };
  std::map<std::pair<BtfKind, std::string_view>, NamedCandidates> by_name;
  std::vector<CoreCandidate> candidates;
  /// Steps that are left for all relocations. Each relocation adds some.
  uint64_t effort_left = uint64_t{1} << 25;
  static constexpr uint32_t effort_per_relocation = 1 << 11, max_effort = 1 << 22;

  CoreResult resolve(const CoreRelocation& relocation) {
    candidates.clear();
    if (relocation.type_id == 0) return failed(CoreReason::Anonymous);
    auto local = find_local_path(program, relocation);
    if (!local) return failed(local.error());
    auto expected = answer(program, order, relocation.kind, relocation.type_id, *local);
    if (relocation.kind == CoreKind::TypeIdLocal)
      return {
          .outcome = CoreOutcome::Value, .value = expected->value, .local_value = expected->value};
    if (bounded_name(program.view, program.view.type(relocation.type_id).name_off(), 1).empty())
      return failed(CoreReason::Anonymous);

    effort_left += effort_per_relocation;
    auto allowed = static_cast<uint32_t>(std::min<uint64_t>(max_effort, effort_left));
    CoreEffort effort(allowed);
    auto [entry, is_new] = known.try_emplace(relocation.type_id);
    if (is_new) entry->second = find_types(relocation.type_id, effort);
    if (!expected) return failed(expected.error());
    CoreResult result = resolve_among(entry->second, relocation, *local, *expected, effort);
    effort_left -= allowed - effort.left();
    return result;
  }

  RemainingCandidates find_types(uint32_t type_id, CoreEffort& effort) {
    auto find = [&] {
      return std::make_shared<const std::vector<CandidateType>>(
          find_candidates(kernel, program.view, type_id, effort));
    };
    BtfType type = program.view.type(type_id);
    std::string_view name =
        essential_name(bounded_name(program.view, type.name_off(), max_core_name));
    if (name.size() >= max_core_name) return {find()};
    auto known_name = by_name.find({type.kind(), name});
    // It costs what another search would, so that results do not depend on the types before.
    if (known_name != by_name.end() && known_name->second.steps <= effort.left()) {
      effort.spend(known_name->second.steps);
      return {known_name->second.all};
    }
    const uint32_t before = effort.left();
    RemainingCandidates types{find()};
    // With no effort left, some may be missing.
    if (effort.left() != 0)
      by_name.try_emplace({type.kind(), name}, NamedCandidates{types.all, before - effort.left()});
    return types;
  }

  CoreResult resolve_among(RemainingCandidates& types, const CoreRelocation& relocation,
                           const AccessPath& local, const CoreAnswer& expected,
                           CoreEffort& effort) {
    std::optional<CoreResult> result;
    uint32_t bit_offset = 0;
    std::vector<std::pair<size_t, size_t>> mismatching;  // candidates, and how many precede each
    size_t compared = 0, matching = 0;
    auto drop_mismatching = [&](size_t end) {
      for (auto [index, rank] : mismatching)
        if (rank < end) types.drop(index);
    };
    // A loader gives up as well. For the relocations behind, which it does not see, the candidates
    // that match have taken the places of the first others.
    auto give_up = [&](CoreReason reason) {
      drop_mismatching(matching);
      return failed(reason);
    };
    for (size_t i = 0; i < types.all->size(); ++i) {
      if (!types.has(i)) continue;
      const CandidateType type = (*types.all)[i];
      const size_t rank = compared++;
      if (!effort.spend()) return give_up(CoreReason::TooDeep);
      CoreCandidate& candidate = candidates.emplace_back(type.module, type.id);
      AccessPath path;
      auto mismatch = match(type, relocation, local, effort, path);
      candidate.path.assign(path.raw.begin(), path.raw.end());
      candidate.path.insert(candidate.path.end(), path.passed.begin(), path.passed.end());
      if (mismatch) {
        candidate.reason = mismatch->reason;
        candidate.depth = mismatch->depth;
        candidate.at = mismatch->at;
        candidate.is_error = mismatch->is_error;
        if (mismatch->is_error) return give_up(mismatch->reason);
        mismatching.emplace_back(i, rank);
        continue;
      }
      candidate.matches = true;
      if (!path.passed.empty()) candidate.reason = CoreReason::MemberTypeMismatch;
      auto found = answer(*type.types, order, relocation.kind, type.id, path);
      if (!found) {
        candidate.reason = found.error();
        return give_up(found.error());
      }
      if (!result) {
        result = {.outcome = CoreOutcome::Value,
                  .value = found->value,
                  .local_value = expected.value,
                  .is_checked = expected.is_definite,
                  .local_size = expected.size,
                  .size = found->size,
                  .is_resizable = expected.size == found->size ||
                                  is_resizable_access(program.view, expected.type_id,
                                                      type.types->view, found->type_id),
                  .sign_differs = is_signed_type(program.view, expected.type_id) !=
                                  is_signed_type(type.types->view, found->type_id),
                  .array_size_differs =
                      program.view.kind(expected.type_id) == BtfKind::Array &&
                      program.size(expected.type_id) != type.types->size(found->type_id)};
        bit_offset = path.bit_offset;
      } else if (path.bit_offset != bit_offset || found->value != result->value) {
        return give_up(CoreReason::Ambiguous);
      }
      ++matching;
    }
    if (!result) return absent_result(relocation, expected);
    drop_mismatching(compared);
    return *result;
  }

  CoreResult absent_result(const CoreRelocation& relocation, const CoreAnswer& expected) const {
    auto nearest = std::ranges::max_element(candidates, {}, &CoreCandidate::depth);
    CoreReason reason = nearest == candidates.end() ? CoreReason::NoType : nearest->reason;
    return {.outcome = may_be_absent(relocation.kind) ? CoreOutcome::Value : CoreOutcome::Absent,
            .reason = reason,
            .value = 0,
            .local_value = expected.value,
            .is_checked = expected.is_definite,
            .local_size = expected.size,
            .size = 0,
            .is_resizable = true};
  }

  std::optional<CoreMismatch> match(const CandidateType& type, const CoreRelocation& relocation,
                                    const AccessPath& local, CoreEffort& effort, AccessPath& path) {
    if (is_enumerator_kind(relocation.kind))
      return match_enumerator(local, *type.types, type.id, effort, path);
    if (is_field_kind(relocation.kind))
      return match_path(program, local, *type.types, type.id, effort, path);
    auto test =
        relocation.kind == CoreKind::TypeMatches ? CoreTypeTest::Matches : CoreTypeTest::Exists;
    return match_types(program.view, relocation.type_id, type.types->view, type.id, test, effort);
  }
};

CoreResolver::CoreResolver(const BtfView& program, std::endian order, const CoreKernel& kernel)
    : impl_(new Impl{{program, 8}, order, kernel, {}, {}, {}}) {}
CoreResolver::CoreResolver(CoreResolver&&) noexcept = default;
CoreResolver& CoreResolver::operator=(CoreResolver&&) noexcept = default;
CoreResolver::~CoreResolver() = default;

CoreResult CoreResolver::resolve(const CoreRelocation& relocation) {
  return impl_->resolve(relocation);
}

std::span<const CoreCandidate> CoreResolver::candidates() const {
  return impl_->candidates;
}

std::vector<CoreStep> core_steps(const BtfView& program, const CoreRelocation& relocation) {
  auto path = find_local_path({program}, relocation);
  if (!path) return {};
  return {path->steps.begin(), path->steps.end()};
}

std::string_view core_kind_name(CoreKind kind) {
  constexpr std::string_view names[] = {
      "byte_off",       "byte_sz",       "field_exists",   "signed",      "lshift_u64",
      "rshift_u64",     "local_type_id", "target_type_id", "type_exists", "type_size",
      "enumval_exists", "enumval_value", "type_matches"};
  auto index = static_cast<size_t>(kind);
  return index < std::size(names) ? names[index] : "unknown";
}

}  // namespace bpflink
