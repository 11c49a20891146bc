#include "linker/code/core_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "linker/code/core_complaint.hpp"
#include "linker/object/linux_release.hpp"

namespace bpflink {
namespace {

/// The accesses of each function with the shifts that the macros for bit-fields make.
using ShiftedAccesses = std::set<std::tuple<const InputSymbol*, uint32_t, std::string_view>>;

ShiftedAccesses find_shifted(const std::vector<CoreRecord>& records) {
  ShiftedAccesses found;
  for (const CoreRecord& record : records)
    if (record.relocation.kind == CoreKind::FieldLshiftU64)
      found.emplace(record.function, record.relocation.type_id, record.relocation.access);
  return found;
}

/// Whether a relocation is for a member that is a bit-field in the kernel, but not in the program,
/// whose code reads whole bytes.
bool misreads_bit_field(const CoreRecord& record, const CoreResult& result,
                        const ShiftedAccesses& shifted) {
  bool is_bit_field = record.relocation.kind == CoreKind::FieldByteOffset &&
                      result.outcome == CoreOutcome::Value && result.local_size != 0 &&
                      result.size == 0;
  return is_bit_field &&
         !shifted.contains({record.function, record.relocation.type_id, record.relocation.access});
}

/// Binds all relocations of an object, in their order, as if all code were reached. Returns the
/// bound instructions.
BoundInsns bind_relocations(const CoreObject& object, const CoreKernel& types,
                            const std::string& release, size_t names_left,
                            std::vector<CoreFinding>& findings) {
  BoundInsns insns;
  const std::vector<CoreRecord>& records = object.records;
  if (records.empty()) return insns;
  const BtfView& program = *object.file().btf;
  CoreResolver resolver(program, object.file().byte_order, types);
  findings.reserve(records.size());
  const ShiftedAccesses shifted = find_shifted(records);
  std::string flavor = release.empty() ? "v2" : series_of(release);
  std::ranges::replace(flavor, '.', '_');
  for (const CoreRecord& record : records) {
    CoreResult result = resolver.resolve(record.relocation);
    bind_instruction(object.file(), record, result);
    CoreFinding& finding = findings.emplace_back();
    finding.binding = CoreBinding{findings.size() - 1, result.outcome, result.reason, result.value};
    bool is_bound = result.outcome == CoreOutcome::Value;
    if (!is_bound) {
      finding.status = CoreStatus::Fails;
      finding.complaint = std::make_unique<CoreComplaint>(
          explain_failure(program, record.relocation, types, resolver, result, names_left, flavor));
    } else if (misreads_bit_field(record, result, shifted)) {
      finding.fail(describe_access(program, record.relocation) +
                       " is a bit-field, of which a plain access gets other bits",
                   "use BPF_CORE_READ_BITFIELD()");
    } else if (result.array_size_differs && is_at_memory_access(object.file(), record)) {
      finding.complain(describe_access(program, record.relocation) +
                           " is an array of another size, which libbpf before 1.6 cannot access so",
                       "load the program with a newer libbpf, or read it with BPF_CORE_READ()");
    } else if (auto difference = explain_difference(program, record.relocation, result)) {
      finding.complaint = std::make_unique<CoreComplaint>(std::move(*difference));
    }
    // An instruction may have several relocations, which the loader applies one after the other.
    BoundInsn& insn = insns[{record.section, record.offset}];
    insn.is_poisoned |= !is_bound;
    insn.value = result.value;
  }
  return insns;
}

/// Walks the code with the bound instructions, like the verifier of the given kernel version.
Reachability walk(const CoreObject& object, const BoundInsns& insns, const CoreFacts& facts,
                  uint32_t verifier, const CheckLimits& limits) {
  return Reachability(
      *object.graph,
      {.bound = &insns, .known = facts, .verifier = verifier, .max_steps = limits.steps});
}

/// Advice on a guard that the verifier of a release does not understand.
std::string guard_advice(const std::string& release) {
  if (release.empty())
    return "it is guarded if the kernel's verifier is new enough: give its --release";
  return fmt::format("it is guarded, but the verifier of {} does not understand the guard",
                     series_of(release));
}

}  // namespace

ObjectCheck::ObjectCheck(const CoreObject& object, const CoreKernel& kernel, const CoreFacts& facts,
                         const std::string& release, const CheckLimits& limits)
    : insns_(bind_relocations(object, kernel, release, limits.names, relocations_)),
      reachability_(walk(object, insns_, facts, facts.version, limits)) {
  std::optional<Reachability> newest;
  for (CoreFinding& relocation : relocations_) {
    const CoreRecord& record = object.records[relocation.binding->record];
    InsnReach reach = reachability_.find(record.section, record.offset);
    relocation.programs = std::move(reach.programs);
    if (relocation.status != CoreStatus::Fails) continue;
    switch (relocation.binding->outcome) {
      case CoreOutcome::Value:  // it would read other bits
        if (reach.reached) break;
        relocation.status = CoreStatus::Resolves;
        relocation.complaint->advice.clear();
        break;
      case CoreOutcome::Failed:
        relocation.complaint->advice.clear();
        break;
      case CoreOutcome::Absent:
        if (reach.reached) {
          if (!newest) newest.emplace(walk(object, insns_, facts, UINT32_MAX, limits));
          if (!newest->is_reached(record.section, record.offset))
            relocation.complaint->advice = guard_advice(release);
        } else {
          relocation.status = CoreStatus::Guarded;
          relocation.binding->assumes = std::move(reach.assumes);
        }
        break;
    }
  }
}

ProgramList ObjectCheck::programs_with(const InsnPlace& place, CodeUse use) {
  if (use == CodeUse::Contained)
    return reachability_.programs_containing(place.section, place.offset);
  InsnReach reach = reachability_.find(place.section, place.offset);
  return reach.reached ? std::move(reach.programs) : ProgramList();
}

ProgramList ObjectCheck::programs_with(std::span<const InsnPlace> places, CodeUse use) {
  std::vector<ProgramList> lists;
  std::set<const void*> seen;
  for (const InsnPlace& place : places) {
    ProgramList programs = programs_with(place, use);
    if (seen.insert(programs.identity()).second) lists.push_back(std::move(programs));
  }
  return reachability_.merge(lists);
}

std::span<const InsnPlace> ObjectCheck::from_first_use(std::span<const InsnPlace> places,
                                                       CodeUse use, std::string_view program) {
  constexpr size_t max_places = 256;
  std::set<const void*> seen;
  for (size_t i = 0; i < std::min(places.size(), max_places); ++i) {
    ProgramList programs = programs_with(places[i], use);
    if (seen.insert(programs.identity()).second &&
        std::ranges::find(programs, program) != programs.end())
      return places.subspan(i);
  }
  return {};
}

void keep_needed(const CoreObject& object, CoreMinimizer& minimizer) {
  if (object.records.empty()) return;
  std::vector<CoreRelocation> relocations;
  relocations.reserve(object.records.size());
  for (const CoreRecord& record : object.records) relocations.push_back(record.relocation);
  minimizer.keep(*object.file().btf, object.file().byte_order, relocations);
}

}  // namespace bpflink
