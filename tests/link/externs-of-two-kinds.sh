#!/bin/bash
# Several files declare an extern that the loader provides. .kconfig and typed .ksyms of one name
# must agree; a typeless ksym agrees with a typed one, which stays.
. "$(dirname "$0")/common.sh"

compile k1 <<<'extern int CONFIG_HZ __kconfig; SEC("socket") int a(void *ctx) { return CONFIG_HZ; }'
compile k2 <<<'extern unsigned long CONFIG_HZ __kconfig; SEC("socket") int b(void *ctx) { return CONFIG_HZ; }'
refused "conflicting types of 'CONFIG_HZ'" k1.o k2.o
expect_error 'extern int CONFIG_HZ'
expect_error 'extern unsigned long CONFIG_HZ'

compile typed <<<'extern const int bpf_prog_active __ksym;
SEC("socket") long a(void *ctx) { return (long)&bpf_prog_active; }'
compile typeless <<<'extern const void bpf_prog_active __ksym;
SEC("socket") long b(void *ctx) { return (long)&bpf_prog_active; }'
compile other <<<'extern const long bpf_prog_active __ksym;
SEC("socket") long c(void *ctx) { return (long)&bpf_prog_active; }'
differs '- refused: *' 'the peer takes typed and typeless for a conflict'
for order in "typed.o typeless.o" "typeless.o typed.o"; do
  link $order
  expect 'bpf_prog_active' variables .ksyms
  contains 'var .ksyms extern const int bpf_prog_active;' declarations
done
refused 'extern const int bpf_prog_active' typed.o other.o
expect_error 'extern const long bpf_prog_active'
