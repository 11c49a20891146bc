#!/bin/bash
# A .kconfig extern that only unreachable code uses is dropped, whether or not live code of one file
# uses its type. One that live code uses is still compared.
. "$(dirname "$0")/common.sh"

compile a <<'END'
extern int CONFIG_NR_CPUS __kconfig;
static __noinline __attribute__((used)) int dead(void) { return CONFIG_NR_CPUS; }
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; } // has int
END
compile b <<'END'
extern int CONFIG_NR_CPUS __kconfig;
static __noinline __attribute__((used)) int dead(void) { return CONFIG_NR_CPUS; }
SEC("socket") void *other(void *ctx) { return 0; } // has none
END
compile live <<<'extern long CONFIG_NR_CPUS __kconfig; SEC("socket") long third(void *ctx) { return CONFIG_NR_CPUS; }'
for order in 'a.o b.o' 'b.o a.o'; do
  "$BPFLINK" --verify --gc-sections $order -o out.o
  lacks CONFIG symbols
  lacks CONFIG declarations
  expect '' datasec .kconfig
done
refused "conflicting types of 'CONFIG_NR_CPUS'" --gc-sections a.o live.o
"$BPFLINK" --verify --gc-sections b.o -o out.o
link_fails a.o live.o
