// Checks helpers, and types of maps, programs and attachments, which a kernel identifies by number.
// Its BTF has enums that list them. A number that is not in its enum is not supported.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <optional>
#include <unordered_set>

#include "linker/kernels/helper_names.hpp"
#include "linker/kernels/kernel_needs.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

/// The values of one enum of the kernel; unknown if its BTF lacks the enum.
class Values {
 public:
  Values(const Kernel& kernel, std::string_view name) : name_(name) {
    auto found = kernel.find(BtfKind::Enum, name);
    if (!found.is_known()) found = kernel.find(BtfKind::Enum64, name);
    if (!found.is_known()) return;
    values_.emplace();
    BtfType type = found.value.type();
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      BtfEnumerator enumerator = type.enumerator(i);
      // Enumerators like __BPF_FUNC_MAX_ID are one more than the last value.
      if (!found.value.types->string(enumerator.name_off).starts_with("__"))
        values_->insert(enumerator.value);
    }
  }

  /// Whether the kernel lacks a value.
  bool lacks(uint64_t value) const { return values_ && !values_->contains(value); }
  /// Checks a value. `what` describes it: "map type ringbuf (27)".
  void check(uint64_t value, std::string_view what, CoreFinding& finding) const {
    if (values_ && values_->contains(value)) return;
    finding.status = values_ ? CoreStatus::Fails : CoreStatus::Unknown;
    finding.complain(values_ ? fmt::format("there is no {}", what)
                             : fmt::format("the kernel's BTF has no enum {}", name_));
  }

 private:
  std::string_view name_;
  std::optional<std::unordered_set<uint64_t>> values_;
};

/// The helper that libbpf calls instead if a kernel lacks `helper`, if any.
std::optional<uint32_t> fallback_of(uint32_t helper) {
  switch (helper) {
    case BPF_FUNC_probe_read_user:
    case BPF_FUNC_probe_read_kernel:
      return BPF_FUNC_probe_read;
    case BPF_FUNC_probe_read_user_str:
    case BPF_FUNC_probe_read_kernel_str:
      return BPF_FUNC_probe_read_str;
    default:
      return std::nullopt;
  }
}

void check_map_type(KernelNeeds& needs, const Values& values, std::string_view map, uint32_t type) {
  std::string name(map_type_name(type));
  values.check(type, fmt::format("map type {} ({})", name, type),
               needs.add(CoreNeed::MapType, name, map));
}

void check_maps(KernelNeeds& needs) {
  Values values(needs.kernel, "bpf_map_type");
  for (const Map& map : needs.object.maps()) {
    if (map.type != 0) check_map_type(needs, values, map.name, map.type);
    for (const MapAttribute& attribute : map.inner_attributes)
      if (attribute.name == "type" && attribute.form == MapAttribute::Form::Number)
        check_map_type(needs, values, map.name, static_cast<uint32_t>(attribute.number));
  }
  for (const StructOps& ops : needs.object.struct_ops())
    if (ops.autoload) check_map_type(needs, values, ops.name, BPF_MAP_TYPE_STRUCT_OPS);
}

/// Whether the kernel checks the attach type of such programs when it loads them, not when they
/// attach.
bool is_checked_at_load(ProgramType type) {
  using enum ProgramType;
  switch (type) {
    case CgroupSkb:
    case CgroupSock:
    case CgroupSockAddr:
    case CgroupSockopt:
    case SkLookup:
    case SkReuseport:
    case Netfilter:
    case Tracing:
    case Lsm:
      return true;
    default:
      return false;
  }
}

/// Whether programs with that attach type can also attach without it: XDP and tc through netlink,
/// which is older than bpf_link.
bool has_older_way(const Program& program) {
  return program.meaning.attach_type == BPF_XDP || program.section.starts_with("tc/");
}

void check_programs(KernelNeeds& needs) {
  Values types(needs.kernel, "bpf_prog_type"), attach_types(needs.kernel, "bpf_attach_type");
  for (const Program& program : needs.object.programs()) {
    const SectionMeaning& meaning = program.meaning;
    if (!meaning.autoload || meaning.type == ProgramType::Unspec) continue;
    std::string_view name = program_type_name(meaning.type), section = program.section;
    auto number = static_cast<uint32_t>(meaning.type);
    types.check(number, fmt::format("program type {} ({})", name, number),
                needs.add(CoreNeed::ProgramType, std::string(name), program.name));
    if (meaning.attach_type == 0 || has_older_way(program)) continue;
    CoreFinding& finding = needs.add(
        CoreNeed::AttachType, std::string(section.substr(0, section.find('/'))), program.name);
    attach_types.check(meaning.attach_type,
                       fmt::format("attach type of {} ({})", section, meaning.attach_type),
                       finding);
    if (!is_checked_at_load(meaning.type)) finding.fail_to_attach();
  }
}

}  // namespace

void KernelNeeds::check_kernel_enums() {
  check_maps(*this);
  check_programs(*this);
}

void KernelNeeds::check_helpers(
    const std::vector<uint32_t>& helpers,
    const std::function<std::vector<std::string_view>(uint32_t)>& users) {
  Values values(kernel, "bpf_func_id");
  for (uint32_t id : helpers) {
    if (!values.lacks(id) || fallback_of(id)) continue;
    std::string name = helper_name(id);
    for (std::string_view program : users(id))
      values.check(id, fmt::format("helper {} (id {})", name, id),
                   add(CoreNeed::Helper, name, program));
  }
}

}  // namespace bpflink
