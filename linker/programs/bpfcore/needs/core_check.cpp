#include "linker/programs/bpfcore/needs/core_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "dedup/print/c_names.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/programs/bpfcore/needs/core_complaint.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// The name of the access in source code: the last member, the enumerator or the type.
std::string_view name_of(const BtfView& types, const CoreRelocation& relocation) {
  auto steps = core_steps(types, relocation);
  for (size_t i = steps.size(); i-- > 0;)
    if (!steps[i].name.empty()) return steps[i].name;
  return types.name(types.type(relocation.type_id));
}

/// The source line of the access. Compilers load a constant some instructions before its use and
/// give only the use its line. So if the line at the instruction lacks the name and one of the next
/// few lines has it, that line is the access.
DiagnosticLocation find_location(const ObjectFile& object, const CoreRecord& record) {
  constexpr int max_lines = 4;
  const InputSection& section = object.sections[record.section];
  DiagnosticLocation first = location_of(object, section, record.offset);
  std::string_view name = name_of(*object.btf, record.relocation);
  if (first.line == 0 || find_word(first.text, name) != first.text.npos) return first;
  uint64_t at = record.offset;
  for (int i = 0; i < max_lines; ++i) {
    auto next = object.btf_ext->find_next_line(record.section, at);
    if (!next || next->insn_off >= record.function->value + record.function->size) break;
    at = next->insn_off;
    if (find_word(object.btf->string(next->line_off), name) == std::string_view::npos) continue;
    DiagnosticLocation found = location_of(object, section, at);
    found.offset = record.offset;
    return found;
  }
  return first;
}

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

bool is_access_size(uint32_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

/// Whether the two slots are an ld_imm64 of a plain number.
bool is_plain_ld_imm64(const Insn& first, const Insn& second) {
  return first.is_ld_imm64() && first.src_reg == 0 && first.off == 0 && second.code == 0 &&
         second.dst_reg == 0 && second.src_reg == 0 && second.off == 0;
}

CoreReason find_obstacle(std::span<const std::byte> code, std::endian order,
                         const CoreResult& result) {
  Insn insn = load_insn(code.data(), order);
  auto has_expected = [&](uint64_t value) {
    return !result.is_checked || value == result.local_value;
  };
  auto sign_extended = [](int64_t value) { return static_cast<uint64_t>(value); };
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
      if (BPF_SRC(insn.code) != BPF_K || !has_expected(sign_extended(insn.imm)))
        return CoreReason::UnexpectedInstruction;
      return CoreReason::None;
    case BPF_LDX:
    case BPF_ST:
    case BPF_STX: {
      if (!has_expected(sign_extended(insn.off))) return CoreReason::UnexpectedInstruction;
      if (result.value > INT16_MAX) return CoreReason::LargeOffset;
      if (!result.is_resizable) return CoreReason::MemberSize;
      if (result.size == result.local_size) return CoreReason::None;
      bool fits = insn.access_size() == result.local_size && is_access_size(result.size);
      return fits ? CoreReason::None : CoreReason::UnexpectedInstruction;
    }
    case BPF_LD: {
      if (code.size() < 2 * insn_size) return CoreReason::UnexpectedInstruction;
      Insn second = load_insn(code.data() + insn_size, order);
      uint64_t value = static_cast<uint32_t>(insn.imm) | uint64_t{static_cast<uint32_t>(second.imm)}
                                                             << 32;
      return is_plain_ld_imm64(insn, second) && has_expected(value)
                 ? CoreReason::None
                 : CoreReason::UnexpectedInstruction;
    }
    default:
      return CoreReason::UnexpectedInstruction;
  }
}

/// Whether the instruction of a relocation loads or stores.
bool is_at_memory_access(const ObjectFile& object, const CoreRecord& record) {
  const std::byte* code = object.sections[record.section].data.data() + record.offset;
  return load_insn(code, object.byte_order).is_access();
}

/// Applies a relocation's `result` to its instruction. If the instruction cannot hold the value,
/// this changes `outcome` and `reason`.
void bind_instruction(const ObjectFile& object, const CoreRecord& record, CoreResult& result) {
  if (result.outcome != CoreOutcome::Value) return;
  std::span<const std::byte> code = object.sections[record.section].data.subspan(record.offset);
  CoreReason obstacle = find_obstacle(code, object.byte_order, result);
  if (obstacle == CoreReason::None) return;
  result.reason = obstacle;
  // The loader poisons an instruction that would load the wrong bytes.
  result.outcome = obstacle == CoreReason::MemberSize ? CoreOutcome::Absent : CoreOutcome::Failed;
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
                       " is a bit-field, and a plain access reads other bits",
                   "use BPF_CORE_READ_BITFIELD()");
    } else if (result.array_size_differs && is_at_memory_access(object.file(), record)) {
      finding.complain(
          describe_access(program, record.relocation) +
              " is an array of another size, which libbpf before 1.6 cannot access that way",
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

void prepare_check(CoreObject& object) {
  object.graph->find_blocks();
  for (const CoreRecord& record : object.records) {
    object.locations.push_back(find_location(object.file(), record));
    object.accesses.push_back(describe_access(*object.file().btf, record.relocation));
  }
}

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
