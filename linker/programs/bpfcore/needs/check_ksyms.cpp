// Checks kernel functions and variables that a program declares as extern in .ksyms.
//
// libbpf searches the kernel's BTF first and then that of modules, and uses the first entry with
// the name. If the declaration is weak, a function with another prototype counts as missing; a
// variable of another type is an error even then. The address of a variable comes from the kernel's
// symbol table, which may lack it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/relocations/candidates.hpp"
#include "linker/facts/section_roles.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/input_file.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"

namespace bpflink {
namespace {

CoreNeed kind_of(const Object& object, const Extern& entry) {
  if (entry.is_function) return CoreNeed::Kfunc;
  return skip_modifiers(*object.btf(), entry.type_id) == 0 ? CoreNeed::KernelSymbol
                                                           : CoreNeed::KernelVariable;
}

/// Records that the symbol counts as missing.
void record_absence(const Extern& entry, std::string what, CoreFinding& finding) {
  finding.complain(std::move(what));
  finding.becomes_zero = entry.is_weak;
  if (!entry.is_weak) finding.status = CoreStatus::Fails;
}

/// Whether a prototype ends with the argument that kernels since 7.0 pass themselves. A kernel's
/// BTF should not show it.
bool shows_implicit_argument(const KernelType& function, uint32_t declared) {
  BtfType prototype = function.types->type(function.type().type());
  if (prototype.vlen() != declared + 1) return false;
  uint32_t last = skip_modifiers(*function.types, prototype.param(declared).type);
  if (function.types->kind(last) != BtfKind::Ptr) return false;
  uint32_t target = skip_modifiers(*function.types, function.types->type(last).type());
  return function.types->name(function.types->type(target)) == "bpf_prog_aux";
}

/// If the first difference of two prototypes is a struct or union that one side only declares: says
/// so, for C does not show it.
std::string explain_declaration(const BtfView& program, uint32_t prototype, const BtfView& kernel,
                                uint32_t kernel_prototype) {
  constexpr size_t max_pairs = 1 << 12;
  std::vector<std::pair<uint32_t, uint32_t>> pairs{{prototype, kernel_prototype}};
  for (size_t at = 0; at < pairs.size() && at < max_pairs; ++at) {
    uint32_t here = skip_modifiers(program, pairs[at].first);
    uint32_t there = skip_modifiers(kernel, pairs[at].second);
    BtfKind kind = program.kind(here), kernel_kind = kernel.kind(there);
    if (kind == BtfKind::Fwd && is_composite(kernel_kind))
      return fmt::format("the program only declares {}: define it, as vmlinux.h does",
                         print_c_declaration(program, here, ""));
    if (is_composite(kind) && kernel_kind == BtfKind::Fwd)
      return fmt::format("the kernel only declares {}: do not define it",
                         print_c_declaration(kernel, there, ""));
    if (!are_kinds_compatible(kind, kernel_kind)) return "";
    if (kind == BtfKind::Void) continue;
    BtfType type = program.type(here), kernel_type = kernel.type(there);
    if (kind == BtfKind::Ptr) pairs.emplace_back(type.type(), kernel_type.type());
    if (kind == BtfKind::Array)
      pairs.emplace_back(type.array_element_type(), kernel_type.array_element_type());
    if (kind != BtfKind::FuncProto) continue;
    if (type.vlen() != kernel_type.vlen()) return "";
    for (uint32_t i = 0; i < type.vlen(); ++i)
      pairs.emplace_back(type.param(i).type, kernel_type.param(i).type);
    pairs.emplace_back(type.type(), kernel_type.type());
  }
  return "";
}

void explain_prototypes(NeedsCheck& needs, const Extern& entry, const KernelType& function,
                        CoreComplaint& complaint) {
  const BtfView& types = *needs.object.btf();
  if (needs.text_left == 0) return;
  complaint.advice =
      explain_declaration(types, entry.type_id, *function.types, function.type().type());
  needs.text_left -= std::min(needs.text_left, complaint.advice.size());
  if (!complaint.advice.empty()) return;
  complaint.there =
      print_c_declaration(*function.types, function.type().type(), essential_name(entry.name));
  complaint.here = print_c_declaration(types, entry.type_id, entry.name);
  needs.text_left -= std::min(needs.text_left, complaint.there.size() + complaint.here.size());
  if (needs.kernel.has(KernelFeature::ImplicitArguments) != Knowledge::Absent &&
      shows_implicit_argument(function, types.type(entry.type_id).vlen()))
    complaint.advice = "its BTF is wrong: an old pahole wrote an implicit argument into it";
}

/// Leaves a complaint where no program that reaches a call loads.
void check_kfunc(NeedsCheck& needs, const Extern& entry, CoreFinding& finding) {
  std::string_view name = essential_name(entry.name);
  auto function = needs.kernel.find(BtfKind::Func, name);
  if (!function.is_known())
    return needs.report_missing(finding, fmt::format("kernel function {}", name),
                                {BtfKind::Func, "", name}, entry.is_weak);
  const KernelType& found = function.value;
  Knowledge has_calls = needs.kernel.has(KernelFeature::KfuncCalls);
  if (has_calls == Knowledge::Absent) {
    const KernelFeatureRow& row = row_of(KernelFeature::KfuncCalls);
    return finding.complain(fmt::format("there are no {}, which came with {}", row.name,
                                        linux_name(row.brought.since)));
  }
  if (!are_types_compatible(*needs.object.btf(), entry.type_id, *found.types,
                            found.type().type())) {
    record_absence(entry, fmt::format("{} of {} has another prototype", name, found.owner),
                   finding);
    return explain_prototypes(needs, entry, found, *finding.complaint);
  }
  if (needs.kernel.is_unmarked_kfunc(found)) {
    finding.complain(fmt::format("{} of {} is not a kfunc", name, found.owner));
  } else if (has_calls == Knowledge::Unknown) {
    finding.leave_unknown(fmt::format("whether programs may call {}", name), release_advice);
  }
}

void check_variable(NeedsCheck& needs, const Extern& entry, CoreFinding& finding) {
  auto variable = needs.kernel.find(BtfKind::Var, entry.name);
  if (!variable.is_known())
    return needs.report_missing(finding, fmt::format("kernel variable {}", entry.name),
                                {BtfKind::Var, "", entry.name}, entry.is_weak);
  const KernelType& found = variable.value;
  const BtfView& types = *needs.object.btf();
  if (!are_types_compatible(types, skip_modifiers(types, entry.type_id), *found.types,
                            skip_modifiers(*found.types, found.type().type()))) {
    finding.fail(fmt::format("{} of {} has another type", entry.name, found.owner),
                 explain_declaration(types, entry.type_id, *found.types, found.type().type()));
  } else if (needs.kernel.option("CONFIG_KALLSYMS_ALL").knowledge == Knowledge::Absent) {
    needs.variables_without_address.push_back(needs.findings.size() - 1);
  }
}

/// The names in /proc/kallsyms; nothing if it cannot be read. Lines are like "ffffffff81000000 T
/// _text", with a tab and the module after the name. If the compiler made a static variable global,
/// it appended ".llvm." and a number, which are ignored.
std::optional<std::unordered_set<std::string_view>> read_kallsyms(InputFile& file) {
  auto opened = InputFile::open("/proc/kallsyms");
  if (!opened || opened->bytes().empty()) return std::nullopt;
  file = std::move(*opened);
  std::string_view text = text_of(file.bytes());
  std::unordered_set<std::string_view> names;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    size_t space = line.find(' ');
    if (space == line.npos || space + 3 >= line.size()) continue;
    bool is_data = line[space + 1] == 'd';
    line = line.substr(space + 3);
    line = line.substr(0, line.find('\t'));
    names.insert(is_data ? line.substr(0, line.find(".llvm.")) : line);
  }
  return names;
}

/// Checks a symbol without a type, whose address is in /proc/kallsyms: `names`, if they are known.
void check_symbol(const std::optional<std::unordered_set<std::string_view>>& names,
                  const Extern& entry, CoreFinding& finding) {
  if (!names) {
    finding.leave_unknown(fmt::format("kernel symbol {}", entry.name),
                          "a running kernel's /proc/kallsyms has it");
  } else if (!names->contains(entry.name)) {
    record_absence(entry, fmt::format("/proc/kallsyms has no {}", entry.name), finding);
  }
}

Answer<uint64_t> presence(const CoreFinding& finding) {
  if (finding.status == CoreStatus::Unknown) return {};
  bool is_there = finding.status == CoreStatus::Resolves && !finding.becomes_zero;
  return is_there ? known(uint64_t{1}) : Answer<uint64_t>{Knowledge::Absent};
}

}  // namespace

void NeedsCheck::check_ksyms() {
  InputFile kallsyms;
  std::optional<std::unordered_set<std::string_view>> names;
  for (const Extern& entry : object.externs()) {
    if (role_of(entry.section) != SectionRole::Ksyms || entry.btf_id == 0) continue;
    CoreFinding& finding = add(kind_of(object, entry), std::string(entry.name), entry.name);
    if (finding.need == CoreNeed::Kfunc) {
      check_kfunc(*this, entry, finding);
      kfuncs.try_emplace(entry.name, findings.size() - 1);
    }
    if (finding.need == CoreNeed::KernelVariable) check_variable(*this, entry, finding);
    if (finding.need == CoreNeed::KernelSymbol) {
      if (kernel.is_running && !names) names = read_kallsyms(kallsyms);
      check_symbol(names, entry, finding);
    }
    externs.try_emplace(entry.name, presence(finding));
    // Without a call, it does not matter.
    if (finding.need == CoreNeed::Kfunc && finding.status == CoreStatus::Unknown && entry.is_weak &&
        !code.kfunc_calls.contains(entry.name))
      finding.status = CoreStatus::Resolves;
  }
}

/// Verifiers look for the address where an instruction has it, reached or not.
void NeedsCheck::check_addresses() {
  for (size_t index : variables_without_address) {
    CoreFinding& finding = findings[index];
    auto uses = code.ksym_uses.find(finding.symbol);
    if (uses == code.ksym_uses.end()) continue;
    finding.places = uses->second;
    finding.use = CodeUse::Contained;
    finding.programs = users_of(finding.places, finding.use);
    if (!finding.programs.empty())
      finding.fail("the kernel knows no addresses of variables: CONFIG_KALLSYMS_ALL is not set");
  }
}

}  // namespace bpflink
