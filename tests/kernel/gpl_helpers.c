/* Prints the ids of the helpers that the running kernel lets only programs under the GPL call.
   For a helper that no program of 3 instructions can get at, the kernel does not say. */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

static int is_restricted(int helper, enum bpf_prog_type type) {
  static char log[65536];
  struct bpf_insn code[] = {{.code = BPF_JMP | BPF_CALL, .imm = helper},
                            {.code = BPF_ALU64 | BPF_MOV | BPF_K},
                            {.code = BPF_JMP | BPF_EXIT}};
  LIBBPF_OPTS(bpf_prog_load_opts, options, .log_buf = log, .log_size = sizeof log, .log_level = 1);

  log[0] = '\0';
  bpf_prog_load(type, "asks", "Proprietary", code, sizeof code / sizeof *code, &options);
  return strstr(log, "GPL-restricted") != NULL;
}

int main(void) {
  for (int helper = 1; helper < __BPF_FUNC_MAX_ID; ++helper)
    for (int type = 1; type < 32; ++type)
      if (is_restricted(helper, (enum bpf_prog_type)type)) {
        printf("%d\n", helper);
        break;
      }
  return 0;
}
