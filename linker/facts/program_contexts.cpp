#include "linker/facts/program_contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"

namespace bpflink {
namespace {

/// A context and a section for programs that get it; "" if others have such pointers as well.
struct ProgramContext {
  std::string_view tag;
  std::string_view section;
};
constexpr ProgramContext program_contexts[] = {{"xdp_md", "xdp"},
                                               {"__sk_buff", "tc"},
                                               {"pt_regs", "kprobe/FUNCTION"},
                                               {"bpf_perf_event_data", "perf_event"},
                                               {"bpf_raw_tracepoint_args", "raw_tp/TRACEPOINT"},
                                               {"bpf_cgroup_dev_ctx", "cgroup/dev"},
                                               {"bpf_sock_addr", "cgroup/connect4"},
                                               {"bpf_sock_ops", "sockops"},
                                               {"bpf_sockopt", "cgroup/getsockopt"},
                                               {"bpf_sysctl", "cgroup/sysctl"},
                                               {"bpf_sk_lookup", "sk_lookup"},
                                               {"sk_msg_md", "sk_msg"},
                                               {"sk_reuseport_md", "sk_reuseport"},
                                               {"bpf_nf_ctx", "netfilter"},
                                               {"bpf_user_pt_regs_t", "kprobe/FUNCTION"},
                                               {"user_pt_regs", "kprobe/FUNCTION"},
                                               {"bpf_sock", ""}};

}  // namespace

std::optional<std::string> section_for_parameter(const BtfView& types, uint32_t id) {
  uint32_t pointer = skip_modifiers(types, id);
  if (types.kind(pointer) != BtfKind::Ptr) return std::nullopt;
  uint32_t context = skip_modifiers(types, types.type(pointer).type());
  if (context == 0 || tag_space(types.type(context)) != TagSpace::Structs) return std::nullopt;
  std::string_view tag = types.name(types.type(context));
  constexpr std::string_view iterator = "bpf_iter__";
  if (tag.starts_with(iterator)) return fmt::format("iter/{}", tag.substr(iterator.size()));
  auto found = std::ranges::find(program_contexts, tag, &ProgramContext::tag);
  return found == std::end(program_contexts) ? std::nullopt
                                             : std::optional(std::string(found->section));
}

}  // namespace bpflink
