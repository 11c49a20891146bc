// Checks helpers, and types of maps, programs and attachments, which a kernel identifies by number.
// Its BTF has enums that list them. A number that is not in its enum is not supported.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <array>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "linker/kernels/helper_names.hpp"
#include "linker/kernels/kernel_fact_checks.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

using What = KernelFinding::What;
using Status = KernelFinding::Status;
using Stage = KernelFinding::Stage;

constexpr std::array<std::string_view, 4> enum_names = {"bpf_func_id", "bpf_map_type",
                                                        "bpf_prog_type", "bpf_attach_type"};

/// The values of one enum of the kernel; unknown if its BTF lacks the enum.
class Values {
 public:
  Values(const KernelNames& names, std::string_view name) : name_(name) {
    auto found = names.find(BtfKind::Enum, name);
    if (!found) found = names.find(BtfKind::Enum64, name);
    if (!found) return;
    values_.emplace();
    BtfType type = found->type();
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      BtfEnumerator enumerator = type.enumerator(i);
      // Enumerators like __BPF_FUNC_MAX_ID are one more than the last value.
      if (!found->btf->string(enumerator.name_off).starts_with("__"))
        values_->insert(enumerator.value);
    }
  }

  /// Checks a value. `what` describes it: "map type ringbuf (27)".
  void check(uint64_t value, std::string_view what, KernelFinding& finding) const {
    if (!values_) {
      finding.status = Status::Unknown;
      finding.reason = fmt::format("the kernel's BTF has no enum {}", name_);
    } else if (!values_->contains(value)) {
      finding.status = Status::Fails;
      finding.reason = fmt::format("there is no {}", what);
    }
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

void check_map_type(const FactContext& context, const Values& values, std::string_view map,
                    uint32_t type) {
  std::string name(map_type_name(type));
  KernelFinding finding{.what = What::MapType, .name = name, .user = std::string(map)};
  values.check(type, fmt::format("map type {} ({})", name, type), finding);
  context.findings.push_back(std::move(finding));
}

void check_maps(const FactContext& context) {
  Values values(context.names, "bpf_map_type");
  for (const Map& map : context.object.maps()) {
    if (map.type != 0) check_map_type(context, values, map.name, map.type);
    for (const MapAttribute& attribute : map.inner_attributes)
      if (attribute.name == "type" && attribute.form == MapAttribute::Form::Number)
        check_map_type(context, values, map.name, static_cast<uint32_t>(attribute.number));
  }
  for (const StructOps& ops : context.object.struct_ops())
    if (ops.autoload) check_map_type(context, values, ops.name, BPF_MAP_TYPE_STRUCT_OPS);
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

void check_programs(const FactContext& context) {
  Values types(context.names, "bpf_prog_type"), attach_types(context.names, "bpf_attach_type");
  for (const Program& program : context.object.programs()) {
    const SectionMeaning& meaning = program.meaning;
    if (!meaning.autoload || meaning.type == ProgramType::Unspec) continue;
    std::string_view name = program_type_name(meaning.type);
    KernelFinding finding{
        .what = What::ProgramType, .name = std::string(name), .user = std::string(program.name)};
    auto number = static_cast<uint32_t>(meaning.type);
    types.check(number, fmt::format("program type {} ({})", name, number), finding);
    context.findings.push_back(std::move(finding));
    if (meaning.attach_type == 0 || has_older_way(program)) continue;
    std::string_view section = program.section;
    finding = {.what = What::AttachType,
               .name = std::string(section.substr(0, section.find('/'))),
               .user = std::string(program.name),
               .stage = is_checked_at_load(meaning.type) ? Stage::Load : Stage::Attach};
    attach_types.check(meaning.attach_type,
                       fmt::format("attach type of {} ({})", section, meaning.attach_type),
                       finding);
    context.findings.push_back(std::move(finding));
  }
}

}  // namespace

void want_kernel_enums(WantedNames& wanted) {
  for (std::string_view name : enum_names) {
    wanted.add(BtfKind::Enum, std::string(name));
    wanted.add(BtfKind::Enum64, std::string(name));
  }
}

void check_kernel_enums(const FactContext& context) {
  check_maps(context);
  check_programs(context);
}

void check_helpers(const FactContext& context, std::span<const uint32_t> helpers,
                   const HelperUsers& users) {
  Values values(context.names, "bpf_func_id");
  for (uint32_t id : helpers) {
    std::string name = helper_name(id);
    KernelFinding finding{.what = What::Helper, .name = name};
    values.check(id, fmt::format("helper {} (id {})", name, id), finding);
    if (finding.status != Status::Fails || fallback_of(id)) continue;
    for (std::string& program : users(id, context.findings)) {
      finding.user = std::move(program);
      context.findings.push_back(finding);
    }
  }
}

}  // namespace bpflink
