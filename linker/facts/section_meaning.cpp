// The meaning of section names. The kernel's Documentation/bpf/libbpf/program_types.rst has the
// same table, and a unit test compares it with the installed libbpf.
#include <algorithm>
#include <array>
#include <string_view>

#include "bpflink/object.hpp"
#include "dedup/edit_distance.hpp"
#include "linker/facts/section_names.hpp"

namespace bpflink {
namespace {

using enum ProgramType;

/// Whether a name may continue after the entry's with a '/'.
enum class Match : uint8_t { Whole, Prefix };

constexpr uint8_t sleepable_flag = 1;
constexpr uint8_t xdp_frags_flag = 2;

struct Entry {
  std::string_view name;
  ProgramType type;
  uint32_t attach_type;  ///< of the kernel's enum bpf_attach_type
  Match match = Match::Whole;
  uint8_t flags = 0;
};

constexpr std::array entries = {
    Entry{"socket", SocketFilter, 0},
    Entry{"sk_reuseport/migrate", SkReuseport, 40},
    Entry{"sk_reuseport", SkReuseport, 39},
    Entry{"kprobe", Kprobe, 0, Match::Prefix},
    Entry{"uprobe", Kprobe, 0, Match::Prefix},
    Entry{"uprobe.s", Kprobe, 0, Match::Prefix, sleepable_flag},
    Entry{"kretprobe", Kprobe, 0, Match::Prefix},
    Entry{"uretprobe", Kprobe, 0, Match::Prefix},
    Entry{"uretprobe.s", Kprobe, 0, Match::Prefix, sleepable_flag},
    Entry{"kprobe.multi", Kprobe, 42, Match::Prefix},
    Entry{"kretprobe.multi", Kprobe, 42, Match::Prefix},
    Entry{"kprobe.session", Kprobe, 56, Match::Prefix},
    Entry{"uprobe.multi", Kprobe, 48, Match::Prefix},
    Entry{"uretprobe.multi", Kprobe, 48, Match::Prefix},
    Entry{"uprobe.session", Kprobe, 57, Match::Prefix},
    Entry{"uprobe.multi.s", Kprobe, 48, Match::Prefix, sleepable_flag},
    Entry{"uretprobe.multi.s", Kprobe, 48, Match::Prefix, sleepable_flag},
    Entry{"uprobe.session.s", Kprobe, 57, Match::Prefix, sleepable_flag},
    Entry{"ksyscall", Kprobe, 0, Match::Prefix},
    Entry{"kretsyscall", Kprobe, 0, Match::Prefix},
    Entry{"usdt", Kprobe, 0, Match::Prefix},
    Entry{"usdt.s", Kprobe, 0, Match::Prefix, sleepable_flag},
    Entry{"tc/ingress", SchedCls, 46},
    Entry{"tc/egress", SchedCls, 47},
    Entry{"tcx/ingress", SchedCls, 46},
    Entry{"tcx/egress", SchedCls, 47},
    Entry{"tc", SchedCls, 0},
    Entry{"classifier", SchedCls, 0},
    Entry{"action", SchedAct, 0},
    Entry{"netkit/primary", SchedCls, 54},
    Entry{"netkit/peer", SchedCls, 55},
    Entry{"tracepoint", Tracepoint, 0, Match::Prefix},
    Entry{"tp", Tracepoint, 0, Match::Prefix},
    Entry{"tracepoint.s", Tracepoint, 0, Match::Prefix, sleepable_flag},
    Entry{"tp.s", Tracepoint, 0, Match::Prefix, sleepable_flag},
    Entry{"raw_tracepoint", RawTracepoint, 0, Match::Prefix},
    Entry{"raw_tp", RawTracepoint, 0, Match::Prefix},
    Entry{"raw_tracepoint.s", RawTracepoint, 0, Match::Prefix, sleepable_flag},
    Entry{"raw_tp.s", RawTracepoint, 0, Match::Prefix, sleepable_flag},
    Entry{"raw_tracepoint.w", RawTracepointWritable, 0, Match::Prefix},
    Entry{"raw_tp.w", RawTracepointWritable, 0, Match::Prefix},
    Entry{"tp_btf", Tracing, 23, Match::Prefix},
    Entry{"tp_btf.s", Tracing, 23, Match::Prefix, sleepable_flag},
    Entry{"fentry", Tracing, 24, Match::Prefix},
    Entry{"fmod_ret", Tracing, 26, Match::Prefix},
    Entry{"fexit", Tracing, 25, Match::Prefix},
    Entry{"fsession", Tracing, 58, Match::Prefix},
    Entry{"fentry.s", Tracing, 24, Match::Prefix, sleepable_flag},
    Entry{"fmod_ret.s", Tracing, 26, Match::Prefix, sleepable_flag},
    Entry{"fexit.s", Tracing, 25, Match::Prefix, sleepable_flag},
    Entry{"fsession.s", Tracing, 58, Match::Prefix, sleepable_flag},
    Entry{"fentry.multi", Tracing, 59, Match::Prefix},
    Entry{"fexit.multi", Tracing, 60, Match::Prefix},
    Entry{"fsession.multi", Tracing, 61, Match::Prefix},
    Entry{"fentry.multi.s", Tracing, 59, Match::Prefix, sleepable_flag},
    Entry{"fexit.multi.s", Tracing, 60, Match::Prefix, sleepable_flag},
    Entry{"fsession.multi.s", Tracing, 61, Match::Prefix, sleepable_flag},
    Entry{"freplace", Ext, 0, Match::Prefix},
    Entry{"lsm", Lsm, 27, Match::Prefix},
    Entry{"lsm.s", Lsm, 27, Match::Prefix, sleepable_flag},
    Entry{"lsm_cgroup", Lsm, 43, Match::Prefix},
    Entry{"iter", Tracing, 28, Match::Prefix},
    Entry{"iter.s", Tracing, 28, Match::Prefix, sleepable_flag},
    Entry{"syscall", Syscall, 0, Match::Whole, sleepable_flag},
    Entry{"xdp.frags/devmap", Xdp, 33, Match::Whole, xdp_frags_flag},
    Entry{"xdp/devmap", Xdp, 33},
    Entry{"xdp.frags/cpumap", Xdp, 35, Match::Whole, xdp_frags_flag},
    Entry{"xdp/cpumap", Xdp, 35},
    Entry{"xdp.frags", Xdp, 37, Match::Whole, xdp_frags_flag},
    Entry{"xdp", Xdp, 37},
    Entry{"perf_event", PerfEvent, 0},
    Entry{"lwt_in", LwtIn, 0},
    Entry{"lwt_out", LwtOut, 0},
    Entry{"lwt_xmit", LwtXmit, 0},
    Entry{"lwt_seg6local", LwtSeg6local, 0},
    Entry{"sockops", SockOps, 3},
    Entry{"sk_skb/stream_parser", SkSkb, 4},
    Entry{"sk_skb/stream_verdict", SkSkb, 5},
    Entry{"sk_skb/verdict", SkSkb, 38},
    Entry{"sk_skb", SkSkb, 0},
    Entry{"sk_msg", SkMsg, 7},
    Entry{"lirc_mode2", LircMode2, 16},
    Entry{"flow_dissector", FlowDissector, 17},
    Entry{"cgroup_skb/ingress", CgroupSkb, 0},
    Entry{"cgroup_skb/egress", CgroupSkb, 1},
    Entry{"cgroup/skb", CgroupSkb, 0},
    Entry{"cgroup/sock_create", CgroupSock, 2},
    Entry{"cgroup/sock_release", CgroupSock, 34},
    Entry{"cgroup/sock", CgroupSock, 2},
    Entry{"cgroup/post_bind4", CgroupSock, 12},
    Entry{"cgroup/post_bind6", CgroupSock, 13},
    Entry{"cgroup/bind4", CgroupSockAddr, 8},
    Entry{"cgroup/bind6", CgroupSockAddr, 9},
    Entry{"cgroup/connect4", CgroupSockAddr, 10},
    Entry{"cgroup/connect6", CgroupSockAddr, 11},
    Entry{"cgroup/connect_unix", CgroupSockAddr, 49},
    Entry{"cgroup/sendmsg4", CgroupSockAddr, 14},
    Entry{"cgroup/sendmsg6", CgroupSockAddr, 15},
    Entry{"cgroup/sendmsg_unix", CgroupSockAddr, 50},
    Entry{"cgroup/recvmsg4", CgroupSockAddr, 19},
    Entry{"cgroup/recvmsg6", CgroupSockAddr, 20},
    Entry{"cgroup/recvmsg_unix", CgroupSockAddr, 51},
    Entry{"cgroup/getpeername4", CgroupSockAddr, 29},
    Entry{"cgroup/getpeername6", CgroupSockAddr, 30},
    Entry{"cgroup/getpeername_unix", CgroupSockAddr, 52},
    Entry{"cgroup/getsockname4", CgroupSockAddr, 31},
    Entry{"cgroup/getsockname6", CgroupSockAddr, 32},
    Entry{"cgroup/getsockname_unix", CgroupSockAddr, 53},
    Entry{"cgroup/sysctl", CgroupSysctl, 18},
    Entry{"cgroup/getsockopt", CgroupSockopt, 21},
    Entry{"cgroup/setsockopt", CgroupSockopt, 22},
    Entry{"cgroup/dev", CgroupDevice, 6},
    Entry{"struct_ops", StructOps, 0, Match::Prefix},
    Entry{"struct_ops.s", StructOps, 0, Match::Prefix, sleepable_flag},
    Entry{"sk_lookup", SkLookup, 36},
    Entry{"netfilter", Netfilter, 45},
};

constexpr std::array<std::string_view, 33> type_names = {
    "unspec",
    "socket_filter",
    "kprobe",
    "sched_cls",
    "sched_act",
    "tracepoint",
    "xdp",
    "perf_event",
    "cgroup_skb",
    "cgroup_sock",
    "lwt_in",
    "lwt_out",
    "lwt_xmit",
    "sock_ops",
    "sk_skb",
    "cgroup_device",
    "sk_msg",
    "raw_tracepoint",
    "cgroup_sock_addr",
    "lwt_seg6local",
    "lirc_mode2",
    "sk_reuseport",
    "flow_dissector",
    "cgroup_sysctl",
    "raw_tracepoint_writable",
    "cgroup_sockopt",
    "tracing",
    "struct_ops",
    "ext",
    "lsm",
    "sk_lookup",
    "syscall",
    "netfilter",
};

/// Of the kernel's enum bpf_attach_type.
constexpr std::array<std::string_view, 62> attach_type_names = {
    "cgroup_inet_ingress",
    "cgroup_inet_egress",
    "cgroup_inet_sock_create",
    "cgroup_sock_ops",
    "sk_skb_stream_parser",
    "sk_skb_stream_verdict",
    "cgroup_device",
    "sk_msg_verdict",
    "cgroup_inet4_bind",
    "cgroup_inet6_bind",
    "cgroup_inet4_connect",
    "cgroup_inet6_connect",
    "cgroup_inet4_post_bind",
    "cgroup_inet6_post_bind",
    "cgroup_udp4_sendmsg",
    "cgroup_udp6_sendmsg",
    "lirc_mode2",
    "flow_dissector",
    "cgroup_sysctl",
    "cgroup_udp4_recvmsg",
    "cgroup_udp6_recvmsg",
    "cgroup_getsockopt",
    "cgroup_setsockopt",
    "trace_raw_tp",
    "trace_fentry",
    "trace_fexit",
    "modify_return",
    "lsm_mac",
    "trace_iter",
    "cgroup_inet4_getpeername",
    "cgroup_inet6_getpeername",
    "cgroup_inet4_getsockname",
    "cgroup_inet6_getsockname",
    "xdp_devmap",
    "cgroup_inet_sock_release",
    "xdp_cpumap",
    "sk_lookup",
    "xdp",
    "sk_skb_verdict",
    "sk_reuseport_select",
    "sk_reuseport_select_or_migrate",
    "perf_event",
    "trace_kprobe_multi",
    "lsm_cgroup",
    "struct_ops",
    "netfilter",
    "tcx_ingress",
    "tcx_egress",
    "trace_uprobe_multi",
    "cgroup_unix_connect",
    "cgroup_unix_sendmsg",
    "cgroup_unix_recvmsg",
    "cgroup_unix_getpeername",
    "cgroup_unix_getsockname",
    "netkit_primary",
    "netkit_peer",
    "trace_kprobe_session",
    "trace_uprobe_session",
    "trace_fsession",
    "trace_fentry_multi",
    "trace_fexit_multi",
    "trace_fsession_multi",
};

bool matches(const Entry& entry, std::string_view section) {
  if (!section.starts_with(entry.name)) return false;
  if (section.size() == entry.name.size()) return true;
  return entry.match == Match::Prefix && section[entry.name.size()] == '/';
}

}  // namespace

std::string_view program_type_name(ProgramType type) {
  auto index = static_cast<size_t>(type);
  return type_names[index < type_names.size() ? index : 0];
}

std::string_view attach_type_name(uint32_t type) {
  return type < attach_type_names.size() ? attach_type_names[type] : "unknown";
}

SectionMeaning section_meaning(std::string_view section) {
  SectionMeaning meaning;
  if (section.starts_with('?')) {
    meaning.autoload = false;
    section.remove_prefix(1);
  }
  for (const Entry& entry : entries) {
    if (!matches(entry, section)) continue;
    meaning.type = entry.type;
    meaning.attach_type = entry.attach_type;
    meaning.sleepable = entry.flags & sleepable_flag;
    meaning.xdp_frags = entry.flags & xdp_frags_flag;
    if (size_t slash = section.find('/'); slash != section.npos)
      meaning.target = section.substr(slash + 1);
    break;
  }
  return meaning;
}

std::string_view continued_section(std::string_view section) {
  std::string_view longest;
  for (const Entry& entry : entries) {
    bool is_continued = entry.match == Match::Whole && section.size() > entry.name.size() &&
                        section.starts_with(entry.name) && section[entry.name.size()] == '/';
    if (is_continued && entry.name.size() > longest.size()) longest = entry.name;
  }
  return longest;
}

std::string similar_section(std::string_view section) {
  bool is_chosen =
      section.find('/') == section.npos && std::ranges::any_of(entries, [&](const Entry& entry) {
        return section.starts_with(entry.name);
      });
  if (is_chosen) return "";
  std::string_view continued = continued_section(section);
  // All before the last '/' may be the name, as in "cgroup/connect4", or the first part of it.
  for (size_t slash : {section.npos, section.find('/')}) {
    NearestName nearest(section.substr(0, slash));
    for (const Entry& entry : entries) nearest.consider(entry.name);
    if (nearest.nearest().empty() || nearest.nearest() == continued) continue;
    std::string rest(slash == section.npos ? "" : section.substr(slash));
    return std::string(nearest.nearest()) + rest;
  }
  return "";
}

}  // namespace bpflink
