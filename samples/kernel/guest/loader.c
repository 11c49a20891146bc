// Loads and runs the linked programs, and compares their results with what this process knows.
// Usage: loader OBJECT
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

static int run(struct bpf_object* object, const char* name, struct bpf_test_run_opts* options) {
  struct bpf_program* program = bpf_object__find_program_by_name(object, name);
  if (!program) {
    fprintf(stderr, "%s: no such program\n", name);
    return -1;
  }
  if (bpf_program__type(program) == BPF_PROG_TYPE_TRACING && !bpf_program__attach(program)) {
    fprintf(stderr, "%s: cannot be attached: %s\n", name, strerror(errno));
    return -1;
  }
  int error = bpf_prog_test_run_opts(bpf_program__fd(program), options);
  if (error) fprintf(stderr, "%s: cannot be run: %s\n", name, strerror(-error));
  return error;
}

static int failures;

static void expect(const char* what, int is, int should_be) {
  printf("  %-44s %6d%s\n", what, is, is == should_be ? "" : ", which is wrong");
  failures += is != should_be;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  struct bpf_object* object = bpf_object__open_file(argv[1], NULL);
  if (!object || bpf_object__load(object)) {
    fprintf(stderr, "%s: cannot be loaded\n", argv[1]);
    return 1;
  }
  char packet[64] = {0};
  struct report report = {0};
  LIBBPF_OPTS(bpf_test_run_opts, traced);
  LIBBPF_OPTS(bpf_test_run_opts, xdp, .data_in = packet, .data_size_in = sizeof(packet));
  LIBBPF_OPTS(bpf_test_run_opts, look, .ctx_in = &report, .ctx_size_in = sizeof(report));
  if (run(object, "trace", &traced) || run(object, "lookup", &xdp) || run(object, "look", &look))
    return 1;

  expect("task->pid", report.pid, getpid());
  expect("task->real_parent->pid", report.parent_pid, getppid());
  expect("task->comm is this program's", !strcmp(report.comm, "loader"), 1);
  expect("fields that are there, of two", report.own_fields, 1);
  expect("pid of the kfunc bpf_task_from_pid()", report.kfunc_pid, getpid());
  expect("runqueues.cpu, a per-CPU variable", report.cpu, 0);
  expect("argument of bpf_fentry_test1(), by fentry", report.argument, 1);
  expect("sum by bpf_testmod's bpf_kfunc_call_test4()", report.sum, 1227);
  expect("error of nf_conntrack's bpf_xdp_ct_lookup()", report.conntrack_error, -ENOENT);
  printf("  sizeof(struct task_struct): %d\n", report.task_size);
  bpf_object__close(object);
  puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
