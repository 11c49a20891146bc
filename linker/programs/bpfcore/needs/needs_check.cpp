#include "linker/programs/bpfcore/needs/needs_check.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace bpflink {

std::string find_byte_order_fault(const CoreObject& object, const Kernel& kernel) {
  std::endian order = object.file().byte_order;
  if (order == kernel.btf.byte_order()) return "";
  return order == std::endian::big ? "the object is big-endian, and the kernel is little-endian"
                                   : "the object is little-endian, and the kernel is big-endian";
}

void NeedsCheck::check() {
  if (std::string fault = find_byte_order_fault(code, kernel); !fault.empty())
    add(CoreNeed::Instructions, "byte order", "")
        .fail(std::move(fault),
              "compile it for the kernel's machine, with --target=bpfel or bpfeb");
  check_ksyms();
  check_kconfig();
  check_attach_targets();
  check_struct_ops();
  check_kernel_enums();
}

void NeedsCheck::check_code() {
  check_addresses();
  check_verdicts();
  check_program_rules();
  check_calls();
  check_arguments();
}

CoreFinding& NeedsCheck::add(CoreNeed need, std::string name, std::string_view symbol) {
  CoreFinding& finding = findings.emplace_back();
  finding.need = need;
  finding.name = std::move(name);
  finding.symbol = symbol;
  if (!is_extern(need) && object.find_program(symbol)) finding.programs = std::vector{symbol};
  return finding;
}

CoreFinding& NeedsCheck::add(CoreNeed need, std::string name, ProgramList users,
                             std::span<const InsnPlace> places, CodeUse use) {
  CoreFinding& finding = add(need, std::move(name), users[0]);
  finding.programs = std::move(users);
  finding.places = places;
  finding.use = use;
  return finding;
}

void NeedsCheck::report_missing(CoreFinding& finding, const std::string& thing,
                                const WantedName& wanted, bool is_weak) {
  if (kernel.absence() == Knowledge::Unknown) return finding.leave_unknown(thing, whole_btf_advice);
  finding.complain(fmt::format("there is no {}", thing));
  if (is_weak) {
    finding.becomes_zero = true;
  } else {
    finding.status = CoreStatus::Fails;
    std::string similar;
    if (--searches_left >= 0)
      similar = finding.need == CoreNeed::Kfunc
                    ? kernel.similar_kfunc(wanted.name)
                    : kernel.similar_name(wanted.kind, wanted.prefix, wanted.name);
    if (!similar.empty())
      finding.complaint->advice = fmt::format("did you mean {}?", similar);
    else if (finding.need == CoreNeed::Kfunc)
      finding.complaint->advice =
          fmt::format("{}if it may be absent, declare it __weak and guard its calls",
                      kernel.modules.empty() ? "no modules were searched; " : "");
    else if (kernel.modules.empty())
      finding.complaint->advice = "no modules were searched";
  }
}

void NeedsCheck::report_release(CoreFinding& finding, const Introduction& brought,
                                std::string thing, std::string_view lacks,
                                std::string advice) const {
  if (kernel.has(brought) == Knowledge::Absent)
    return finding.fail(brought.since == not_yet
                            ? fmt::format("no kernel takes {}", thing)
                            : fmt::format("{} came with {}", lacks, linux_name(brought.since)),
                        std::move(advice));
  bool is_perhaps = kernel.has_release(brought.perhaps) == Knowledge::Known;
  finding.leave_unknown(std::move(thing), is_perhaps ? load_advice : release_advice);
}

}  // namespace bpflink
