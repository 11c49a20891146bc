// The meaning of section names, compared with the installed libbpf. Names that it does not know are
// compared with constants.
#include <bpf/libbpf.h>
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "bpflink/object.hpp"

using namespace bpflink;

namespace {

/// Every entry of libbpf's table, and names that are like one.
constexpr const char* known_to_both =
    "socket sk_reuseport/migrate sk_reuseport kprobe uprobe uprobe.s kretprobe uretprobe "
    "uretprobe.s kprobe.multi kretprobe.multi ksyscall kretsyscall usdt tc classifier action "
    "tracepoint tp raw_tracepoint raw_tp raw_tracepoint.w raw_tp.w tp_btf fentry fmod_ret "
    "fexit fentry.s fmod_ret.s fexit.s freplace lsm lsm.s lsm_cgroup iter iter.s syscall "
    "xdp.frags/devmap xdp/devmap xdp.frags/cpumap xdp/cpumap xdp.frags xdp perf_event lwt_in "
    "lwt_out lwt_xmit lwt_seg6local sockops sk_skb/stream_parser sk_skb/stream_verdict sk_skb "
    "sk_msg lirc_mode2 flow_dissector cgroup_skb/ingress cgroup_skb/egress cgroup/skb "
    "cgroup/sock_create cgroup/sock_release cgroup/sock cgroup/post_bind4 cgroup/post_bind6 "
    "cgroup/bind4 cgroup/bind6 cgroup/connect4 cgroup/connect6 cgroup/sendmsg4 "
    "cgroup/sendmsg6 cgroup/recvmsg4 cgroup/recvmsg6 cgroup/getpeername4 cgroup/getpeername6 "
    "cgroup/getsockname4 cgroup/getsockname6 cgroup/sysctl cgroup/getsockopt "
    "cgroup/setsockopt cgroup/dev struct_ops sk_lookup nothing xdp_pass kprobes";

void compare(const std::string& section) {
  bpf_prog_type type{};
  bpf_attach_type attach_type{};
  bool known = libbpf_prog_type_by_name(section.c_str(), &type, &attach_type) == 0;
  SectionMeaning meaning = section_meaning(section);
  INFO(section);
  if (known) {
    CHECK(static_cast<uint32_t>(meaning.type) == static_cast<uint32_t>(type));
    CHECK(meaning.attach_type == static_cast<uint32_t>(attach_type));
  } else {
    CHECK(meaning.type == ProgramType::Unspec);
  }
}

int silent(libbpf_print_level, const char*, va_list) {
  return 0;
}

}  // namespace

TEST_CASE("section names have libbpf's meaning") {
  libbpf_set_print(silent);
  compare("");
  std::istringstream names(known_to_both);
  for (std::string name; names >> name;)
    for (const char* end : {"", "/target", "_more"}) compare(name + end);
}

TEST_CASE("attach types have libbpf's names") {
  uint32_t type = 0;
  for (; const char* name = libbpf_bpf_attach_type_str(bpf_attach_type(type)); ++type)
    CHECK(attach_type_name(type) == name);
  CHECK(type > 40);
  CHECK(attach_type_name(46) == "tcx_ingress");
  CHECK(attach_type_name(61) == "trace_fsession_multi");
  CHECK(attach_type_name(9999) == "unknown");
}

TEST_CASE("section names newer than libbpf 1.1") {
  CHECK(section_meaning("tcx/ingress").attach_type == 46);
  CHECK(section_meaning("tc/egress").attach_type == 47);
  CHECK(section_meaning("netkit/peer").attach_type == 55);
  CHECK(section_meaning("uprobe.multi//bin/sh:main").attach_type == 48);
  CHECK(section_meaning("kprobe.session/f").attach_type == 56);
  CHECK(section_meaning("uprobe.session.s/f").sleepable);
  CHECK(section_meaning("netfilter").type == ProgramType::Netfilter);
  CHECK(section_meaning("cgroup/connect_unix").attach_type == 49);
  CHECK(section_meaning("struct_ops.s/init").sleepable);
  CHECK(section_meaning("usdt.s").sleepable);
}

TEST_CASE("marks in section names") {
  SectionMeaning meaning = section_meaning("?raw_tp/sys_enter");
  CHECK_FALSE(meaning.autoload);
  CHECK(meaning.type == ProgramType::RawTracepoint);
  CHECK(meaning.target == "sys_enter");
  CHECK(section_meaning("xdp.frags").xdp_frags);
  CHECK(section_meaning("tp/a/b").target == "a/b");
  CHECK(program_type_name(ProgramType::SchedCls) == "sched_cls");
  CHECK(program_type_name(ProgramType::Netfilter) == "netfilter");
  CHECK(program_type_name(static_cast<ProgramType>(999)) == "unspec");
}
