// Asks the running kernel which helpers and kfuncs programs of each type may call: loads a program
// of one call for each and reads what the verifier says. Run it in a guest of tests/boot.
//
// Prints lines `helpers PROGRAM STRING`, of a character for each helper by number: + it may call
// it, - it may not, s only where it may sleep, * it depends on what the program is bound to, .
// there is no such helper; `kfunc NAME PROGRAM CHARACTER`; and `impossible PROGRAM`, with
// `sleepless` if no program of the type may sleep. PROGRAM is TYPE ATTACH_TYPE SLEEPABLE TARGET,
// numbers as in <linux/bpf.h>, and the function or struct that it attaches to, or -.
//
// Usage: probe_programs [KFUNC...]    functions that may be kfuncs, if the kernel does not mark
// them
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { max_helper = 211, max_kfuncs = 4096 };

struct program {
  unsigned type, attach_type, sleepable;
  const char* target;
  int attach_btf_id;
};

static struct btf* types;
static char log_text[1 << 16];

static int load(const struct program* program, const struct bpf_insn* code, int count) {
  LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = program->attach_type,
              .attach_btf_id = program->attach_btf_id,
              .prog_flags = program->sleepable ? BPF_F_SLEEPABLE : 0, .log_level = 1,
              .log_buf = log_text, .log_size = sizeof(log_text));
  log_text[0] = '\0';
  int fd = bpf_prog_load(program->type, NULL, "GPL", code, count, &options);
  if (fd >= 0) close(fd);
  // Linux 7.3 explains its message in other words of the same kind.
  char* report = strstr(log_text, "\nVerification failed: ");
  if (report) *report = '\0';
  return fd >= 0;
}

static int log_has(const char* const* texts) {
  for (; *texts; ++texts)
    if (strstr(log_text, *texts)) return 1;
  return 0;
}

#define LOG_HAS(...) log_has((const char* const[]){__VA_ARGS__, NULL})

// Whether an empty program of that kind loads: else nothing that the verifier says of others
// counts.
static int is_possible(const struct program* program) {
  for (int value = 0; value < 2; ++value) {
    struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = value},
                              {.code = BPF_JMP | BPF_EXIT}};
    if (load(program, code, 2)) return 1;
  }
  return LOG_HAS("Unreleased reference", "At program exit");
}

static char may_call(const struct program* program, struct bpf_insn call) {
  struct bpf_insn code[] = {
      call, {.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
  if (load(program, code, 3)) return '+';
  if (LOG_HAS("invalid func", "reserved fields")) return '.';
  if (LOG_HAS("device-bound", "not allowed in probe")) return '*';
  if (LOG_HAS("might sleep", "sleepable helper", "must be sleepable")) return 's';
  return LOG_HAS("unknown func", "cannot use helper", "is not allowed", "not supported") ? '-'
                                                                                         : '+';
}

static void probe_helpers(const struct program* program) {
  printf("helpers %u %u %u %s ", program->type, program->attach_type, program->sleepable,
         program->target);
  for (int id = 1; id <= max_helper; ++id)
    putchar(may_call(program, (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = id}));
  putchar('\n');
}

static int kfuncs[max_kfuncs], kfunc_count;

static void add_kfunc(int id) {
  for (int i = 0; i < kfunc_count; ++i)
    if (kfuncs[i] == id) return;
  if (id > 0 && kfunc_count < max_kfuncs) kfuncs[kfunc_count++] = id;
}

static void find_kfuncs(int count, char** names) {
  for (int i = 0; i < count; ++i) add_kfunc(btf__find_by_name_kind(types, names[i], BTF_KIND_FUNC));
  for (unsigned id = 1; id < btf__type_cnt(types); ++id) {
    const struct btf_type* tag = btf__type_by_id(types, id);
    if (btf_is_decl_tag(tag) && !strcmp(btf__name_by_offset(types, tag->name_off), "bpf_kfunc"))
      add_kfunc(tag->type);
  }
}

static void probe_kfuncs(const struct program* program) {
  for (int i = 0; i < kfunc_count; ++i) {
    struct bpf_insn call = {
        .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = kfuncs[i]};
    const struct btf_type* function = btf__type_by_id(types, kfuncs[i]);
    printf("kfunc %s %u %u %u %s %c\n", btf__name_by_offset(types, function->name_off),
           program->type, program->attach_type, program->sleepable, program->target,
           may_call(program, call));
  }
}

static void probe(struct program program) {
  if (!is_possible(&program)) {
    int never = strstr(log_text, "can be sleepable") || strstr(log_text, "cannot be sleepable");
    printf("impossible %u %u %u %s%s\n", program.type, program.attach_type, program.sleepable,
           program.target, never ? " sleepless" : "");
    return;
  }
  probe_helpers(&program);
  probe_kfuncs(&program);
  fflush(stdout);
}

static void probe_each(unsigned type, const int* attach_types, int count) {
  for (int i = 0; i < count; ++i)
    for (unsigned sleepable = 0; sleepable < 2; ++sleepable) {
      int may_sleep = type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
                      type == BPF_PROG_TYPE_RAW_TRACEPOINT || type == BPF_PROG_TYPE_TRACING;
      if (type == 31 ? !sleepable : sleepable && !may_sleep) continue;
      probe((struct program){type, attach_types[i], sleepable, "-"});
    }
}

#define PROBE(type, ...)                                                          \
  do {                                                                            \
    const int attach_types[] = {__VA_ARGS__};                                     \
    probe_each(type, attach_types, sizeof(attach_types) / sizeof(*attach_types)); \
  } while (0)

// Numbers where this machine's header may be too old for the name.
static void probe_types(void) {
  PROBE(BPF_PROG_TYPE_SOCKET_FILTER, 0);
  PROBE(BPF_PROG_TYPE_KPROBE, 0, 42, 48, 56, 57);
  PROBE(BPF_PROG_TYPE_SCHED_CLS, 0);
  PROBE(BPF_PROG_TYPE_SCHED_ACT, 0);
  PROBE(BPF_PROG_TYPE_TRACEPOINT, 0);
  PROBE(BPF_PROG_TYPE_XDP, BPF_XDP);
  PROBE(BPF_PROG_TYPE_PERF_EVENT, 0);
  PROBE(BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS, BPF_CGROUP_INET_EGRESS);
  PROBE(BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE, BPF_CGROUP_INET_SOCK_RELEASE,
        BPF_CGROUP_INET4_POST_BIND, BPF_CGROUP_INET6_POST_BIND);
  PROBE(BPF_PROG_TYPE_LWT_IN, 0);
  PROBE(BPF_PROG_TYPE_LWT_OUT, 0);
  PROBE(BPF_PROG_TYPE_LWT_XMIT, 0);
  PROBE(BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS);
  PROBE(BPF_PROG_TYPE_SK_SKB, 0);
  PROBE(BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE);
  PROBE(BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT);
  PROBE(BPF_PROG_TYPE_RAW_TRACEPOINT, 0);
  PROBE(BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_BIND, BPF_CGROUP_INET6_BIND,
        BPF_CGROUP_INET4_CONNECT, BPF_CGROUP_INET6_CONNECT, 49, BPF_CGROUP_UDP4_SENDMSG,
        BPF_CGROUP_UDP6_SENDMSG, 50, BPF_CGROUP_UDP4_RECVMSG, BPF_CGROUP_UDP6_RECVMSG, 51,
        BPF_CGROUP_INET4_GETPEERNAME, BPF_CGROUP_INET6_GETPEERNAME, 52,
        BPF_CGROUP_INET4_GETSOCKNAME, BPF_CGROUP_INET6_GETSOCKNAME, 53);
  PROBE(BPF_PROG_TYPE_LWT_SEG6LOCAL, 0);
  PROBE(BPF_PROG_TYPE_LIRC_MODE2, BPF_LIRC_MODE2);
  PROBE(BPF_PROG_TYPE_SK_REUSEPORT, 39, 40);
  PROBE(BPF_PROG_TYPE_FLOW_DISSECTOR, BPF_FLOW_DISSECTOR);
  PROBE(BPF_PROG_TYPE_CGROUP_SYSCTL, BPF_CGROUP_SYSCTL);
  PROBE(BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, 0);
  PROBE(BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_GETSOCKOPT, BPF_CGROUP_SETSOCKOPT);
  PROBE(BPF_PROG_TYPE_SK_LOOKUP, 36);
  PROBE(BPF_PROG_TYPE_TRACING, 59, 60, 61);
  PROBE(31 /* BPF_PROG_TYPE_SYSCALL: always sleepable */, 0);
  PROBE(32 /* BPF_PROG_TYPE_NETFILTER */, 45);
}

static void probe_targets(unsigned type, unsigned attach_type, unsigned sleepable, unsigned kind,
                          const char* prefix, const char* const* targets) {
  char name[128];
  for (; *targets; ++targets) {
    snprintf(name, sizeof(name), "%s%s", prefix, *targets);
    int id = btf__find_by_name_kind(types, name, kind);
    if (id > 0) probe((struct program){type, attach_type, sleepable, *targets, id});
  }
}

#define TARGETS(...) ((const char* const[]){__VA_ARGS__, NULL})

static void probe_tracing(void) {
  unsigned tracing = BPF_PROG_TYPE_TRACING, lsm = BPF_PROG_TYPE_LSM, func = BTF_KIND_FUNC;
  for (unsigned sleepable = 0; sleepable < 2; ++sleepable)
    probe_targets(tracing, BPF_TRACE_RAW_TP, sleepable, BTF_KIND_TYPEDEF, "btf_trace_",
                  TARGETS("sched_switch", "kfree_skb", "tcp_probe", "sys_enter"));
  for (unsigned attach_type = BPF_TRACE_FENTRY; attach_type <= BPF_TRACE_FEXIT; ++attach_type)
    probe_targets(tracing, attach_type, 0, func, "",
                  TARGETS("bpf_fentry_test1", "tcp_close", "filp_close"));
  probe_targets(tracing, 58, 0, func, "", TARGETS("bpf_fentry_test1", "tcp_close"));
  for (unsigned attach_type = BPF_TRACE_FENTRY; attach_type <= BPF_MODIFY_RETURN; ++attach_type)
    probe_targets(tracing, attach_type, 1, func, "",
                  TARGETS("__x64_sys_getpgid", "__arm64_sys_getpgid", "bpf_modify_return_test"));
  probe_targets(tracing, 58, 1, func, "", TARGETS("__x64_sys_getpgid", "__arm64_sys_getpgid"));
  probe_targets(tracing, BPF_MODIFY_RETURN, 0, func, "",
                TARGETS("bpf_modify_return_test", "__x64_sys_getpgid", "security_file_open"));
  for (unsigned sleepable = 0; sleepable < 2; ++sleepable) {
    probe_targets(tracing, BPF_TRACE_ITER, sleepable, func, "bpf_iter_",
                  TARGETS("task", "tcp", "bpf_map_elem"));
    probe_targets(
        lsm, BPF_LSM_MAC, sleepable, func, "bpf_lsm_",
        TARGETS("file_open", "socket_bind", "bprm_committed_creds", "socket_post_create"));
  }
  probe_targets(lsm, 43, 0, func, "bpf_lsm_",
                TARGETS("socket_bind", "socket_post_create", "sk_alloc_security"));
}

// The struct's functions are members of what the kernel registers as bpf_struct_ops_NAME.
static void probe_struct_ops(void) {
  static const char prefix[] = "bpf_struct_ops_";
  for (unsigned id = 1; id < btf__type_cnt(types); ++id) {
    const struct btf_type* type = btf__type_by_id(types, id);
    const char* name = btf__name_by_offset(types, type->name_off);
    if (!btf_is_struct(type) || strncmp(name, prefix, strlen(prefix))) continue;
    name += strlen(prefix);
    int ops = btf__find_by_name_kind(types, name, BTF_KIND_STRUCT);
    if (ops <= 0) continue;
    type = btf__type_by_id(types, ops);
    for (unsigned member = 0; member < btf_vlen(type); ++member)
      for (unsigned sleepable = 0; sleepable < 2; ++sleepable)
        probe((struct program){BPF_PROG_TYPE_STRUCT_OPS, member, sleepable, name, ops});
  }
}

int main(int argc, char** argv) {
  struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  types = btf__load_vmlinux_btf();
  if (!types) return 1;
  find_kfuncs(argc - 1, argv + 1);
  probe_types();
  probe_tracing();
  probe_struct_ops();
  return 0;
}
