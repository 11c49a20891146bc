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

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "linker/elf/section_roles.hpp"
#include "linker/kernels/kernel_fact_checks.hpp"
#include "linker/kernels/pseudo_file.hpp"

namespace bpflink {
namespace {

using What = KernelFinding::What;
using Status = KernelFinding::Status;

bool is_ksym(const Extern& entry) {
  return role_of(entry.section) == SectionRole::Ksyms && entry.btf_id != 0;
}

What kind_of(const Object& object, const Extern& entry) {
  if (entry.is_function) return What::Kfunc;
  return skip_modifiers(*object.btf(), entry.type_id) == 0 ? What::KernelSymbol
                                                           : What::KernelVariable;
}

/// Records that the symbol is missing, or has another type.
void record_absence(const Extern& entry, std::string reason, std::string note,
                    KernelFinding& finding) {
  finding.status = entry.is_weak ? Status::BecomesZero : Status::Fails;
  finding.reason = std::move(reason);
  if (!entry.is_weak) finding.note = std::move(note);
}

void check_kfunc(const FactContext& context, const Extern& entry, KernelFinding& finding) {
  std::string_view name = essential_name(entry.name);
  auto function = context.names.find(BtfKind::Func, name);
  if (!function) {
    std::string note = entry.is_weak ? "" : note_on_missing(context, BtfKind::Func, "", name);
    return record_absence(entry, fmt::format("there is no kernel function {}", name), note,
                          finding);
  }
  if (!are_types_compatible(*context.object.btf(), entry.type_id, *function->btf,
                            function->type().type()))
    return record_absence(
        entry, fmt::format("{} of {} has another prototype", name, function->owner()), "", finding);
  if (!context.names.is_unmarked_kfunc(*function)) return;
  finding.status = Status::Unknown;
  finding.reason = fmt::format("{} is in {}, but not marked as a kfunc", name, function->owner());
}

void check_variable(const FactContext& context, const Extern& entry, KernelFinding& finding) {
  auto variable = context.names.find(BtfKind::Var, entry.name);
  if (!variable) {
    std::string note = entry.is_weak ? "" : note_on_missing(context, BtfKind::Var, "", entry.name);
    return record_absence(entry, fmt::format("there is no kernel variable {}", entry.name), note,
                          finding);
  }
  const BtfView &types = *context.object.btf(), &target_types = *variable->btf;
  if (!are_types_compatible(types, skip_modifiers(types, entry.type_id), target_types,
                            skip_modifiers(target_types, variable->type().type()))) {
    finding.status = Status::Fails;
    finding.reason = fmt::format("{} of {} has another type", entry.name, variable->owner());
  } else if (context.kernel.config && !context.kernel.config->find("CONFIG_KALLSYMS_ALL")) {
    finding.status = Status::Fails;
    finding.reason = "the kernel knows no addresses of variables: CONFIG_KALLSYMS_ALL is not set";
  }
}

/// The names in /proc/kallsyms; nothing if it cannot be read. Lines are like "ffffffff81000000 T
/// _text", with a tab and the module after the name. If the compiler made a static variable global,
/// it appended ".llvm." and a number, which are ignored.
std::optional<std::unordered_set<std::string_view>> read_kallsyms(InputFile& file) {
  auto opened = read_pseudo_file("/proc/kallsyms");
  if (!opened || opened->bytes().empty()) return std::nullopt;
  file = std::move(*opened);
  std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
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

/// Checks symbols without a type, whose addresses are in /proc/kallsyms.
class Symbols {
 public:
  explicit Symbols(const Kernel& kernel) {
    if (kernel.is_running) names_ = read_kallsyms(file_);
  }

  void check(const Extern& entry, KernelFinding& finding) const {
    if (!names_) {
      finding.status = Status::Unknown;
      finding.reason = "only a running kernel's /proc/kallsyms has symbols without a type";
      if (entry.is_weak) finding.note = "it is weak: if it is missing, it becomes 0";
    } else if (!names_->contains(entry.name)) {
      record_absence(entry, fmt::format("/proc/kallsyms has no {}", entry.name), "", finding);
    }
  }

 private:
  InputFile file_;
  std::optional<std::unordered_set<std::string_view>> names_;
};

}  // namespace

void want_ksyms(const Object& object, WantedNames& wanted) {
  for (const Extern& entry : object.externs()) {
    if (!is_ksym(entry)) continue;
    What kind = kind_of(object, entry);
    if (kind == What::Kfunc) wanted.add(BtfKind::Func, std::string(essential_name(entry.name)));
    if (kind == What::KernelVariable) wanted.add(BtfKind::Var, std::string(entry.name));
  }
}

void check_ksyms(const FactContext& context) {
  std::optional<Symbols> symbols;
  for (const Extern& entry : context.object.externs()) {
    if (!is_ksym(entry)) continue;
    KernelFinding finding{.what = kind_of(context.object, entry), .name = std::string(entry.name)};
    if (finding.what == What::Kfunc) check_kfunc(context, entry, finding);
    if (finding.what == What::KernelVariable) check_variable(context, entry, finding);
    if (finding.what == What::KernelSymbol) {
      if (!symbols) symbols.emplace(context.kernel);
      symbols->check(entry, finding);
    }
    context.findings.push_back(std::move(finding));
  }
}

}  // namespace bpflink
