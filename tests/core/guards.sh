#!/bin/bash
# Guards of an access that fails: existence checks, enumerators, the kernel's version and
# configuration, and .rodata variables, which user space may set.
. "$(dirname "$0")/common.sh"

compile guards <<'EOS'
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
struct task_struct { int gone; } __attribute__((preserve_access_index));
enum phase { PHASE_NEW };
extern int LINUX_KERNEL_VERSION __kconfig;
extern bool CONFIG_FANCY __kconfig __weak;
extern char CONFIG_LETTER __kconfig __weak;
const volatile bool wanted = false;
const volatile int level = 3;
long sum;
#define READ() (sum += BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), gone))
static __attribute__((noinline)) int read_if(int wanted) {
  if (wanted) READ();
  return sum;
}
SEC("raw_tp/a") int by_field(void *ctx) {
  if (bpf_core_field_exists(struct task_struct, gone)) READ();
  return 0;
}
SEC("raw_tp/b") int by_enumerator(void *ctx) {
  if (bpf_core_enum_value_exists(enum phase, PHASE_NEW)) READ();
  return 0;
}
SEC("raw_tp/c") int by_version(void *ctx) {
  if (LINUX_KERNEL_VERSION >= 0x060600) READ();
  return 0;
}
SEC("raw_tp/d") int by_config(void *ctx) {
  if (CONFIG_FANCY) READ();
  return 0;
}
SEC("raw_tp/d2") int by_letter(void *ctx) {
  if (CONFIG_LETTER == 1) READ();
  return 0;
}
SEC("raw_tp/e") int by_setting(void *ctx) {
  if (wanted && level == 3) READ();
  return 0;
}
SEC("raw_tp/f") int by_call(void *ctx) { return read_if(bpf_core_type_exists(struct task_struct___no)); }
SEC("raw_tp/g") int not_at_all(void *ctx) {
  READ();
  return 0;
}
EOS
kernel new <<<'struct task_struct { int other; } task;'
# verdict OPTION...: "PROGRAM STATUS" of each read, on one line
verdict() {
  "$BPFCORE" check guards.o new.btf --json guards.json "$@" >core.out 2>core.log && fail 'nothing fails'
  jq -r '.relocations[] | select(.kind == "byte_off") | "\(.programs | join("+")) \(.status)"' guards.json |
    sort | tr '\n' ';'
}
expect() { [[ $(verdict "${@:2}") == "$1" ]] || fail "${*:2}: $(verdict "${@:2}")"; }
sure='by_call guarded;'
expect "${sure}by_config unknown;by_enumerator guarded;by_field guarded;by_letter unknown;by_setting guarded;by_version unknown;not_at_all fails;"
printf 'CONFIG_X86=y\n# CONFIG_FANCY is not set\nCONFIG_LETTER=y\n' >config
expect "${sure}by_config guarded;by_enumerator guarded;by_field guarded;by_letter guarded;by_setting guarded;by_version guarded;not_at_all fails;" \
  --release 6.5.9 --config config
expect "${sure}by_config guarded;by_enumerator guarded;by_field guarded;by_letter guarded;by_setting guarded;by_version fails;not_at_all fails;" \
  --release 6.6.0 --config config
[[ $(jq -c '.relocations[] | select(.assumes) | .assumes' guards.json) == '[{"variable":"wanted","value":0}]' ]] ||
  fail "assumes: $(jq -c '.relocations[] | select(.assumes)' guards.json)"
expect "${sure}by_config unknown;by_enumerator guarded;by_field guarded;by_letter unknown;by_setting fails;by_version unknown;not_at_all fails;" --strict
expect "${sure}by_config unknown;by_enumerator guarded;by_field guarded;by_letter unknown;by_setting fails;by_version unknown;not_at_all fails;" --set wanted=1
expect "${sure}by_config unknown;by_enumerator guarded;by_field guarded;by_letter unknown;by_setting guarded;by_version unknown;not_at_all fails;" --set wanted=true --set level=4
core 2 check guards.o new.btf --set wanted
says '--set'

# A guard that old verifiers do not understand: before Linux 5.10 they do not compute exclusive or.
compile flipped <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { int gone; } __attribute__((preserve_access_index));
long sum;
SEC("raw_tp/a") int flipped(void *ctx) {
  long absent = bpf_core_field_exists(struct task_struct, gone);
  asm volatile("%0 ^= 1" : "+r"(absent));
  if (!absent) sum += BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), gone);
  return 0;
}
EOS
core 1 check flipped.o new.btf
says "it is guarded if the kernel's verifier is new enough: give its --release"
core 1 check flipped.o new.btf --release 5.9.16
says 'it is guarded, but the verifier of 5.9 does not understand the guard'
core 0 check flipped.o new.btf --release 5.10.0
