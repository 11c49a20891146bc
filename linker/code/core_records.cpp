#include "linker/code/core_records.hpp"

#include "linker/object/symbols_by_place.hpp"

namespace bpflink {
namespace {

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

}  // namespace

std::vector<CoreRecord> read_core_records(const ObjectFile& object) {
  std::vector<CoreRecord> records;
  if (!object.btf_ext) return records;
  for (const BtfExtSection& part : object.btf_ext->core_relo.sections)
    for (uint32_t i = 0; i < part.count; ++i) {
      CoreRelo relo = object.btf_ext->load_core_relo(part.record(i).data());
      const InputSymbol* function = object.by_place().find_function(part.section, relo.insn_off);
      if (!function) continue;
      records.push_back(
          {part.section,
           i,
           relo.insn_off,
           {relo.type_id, object.btf->string(relo.access_str_off), CoreKind(relo.kind)},
           function});
    }
  return records;
}

bool is_at_memory_access(const ObjectFile& object, const CoreRecord& record) {
  const std::byte* code = object.sections[record.section].data.data() + record.offset;
  return load_insn(code, object.byte_order).is_access();
}

void bind_instruction(const ObjectFile& object, const CoreRecord& record, CoreResult& result) {
  if (result.outcome != CoreOutcome::Value) return;
  std::span<const std::byte> code = object.sections[record.section].data.subspan(record.offset);
  CoreReason obstacle = find_obstacle(code, object.byte_order, result);
  if (obstacle == CoreReason::None) return;
  result.reason = obstacle;
  // The loader poisons an instruction that would load the wrong bytes.
  result.outcome = obstacle == CoreReason::MemberSize ? CoreOutcome::Absent : CoreOutcome::Failed;
}

}  // namespace bpflink
