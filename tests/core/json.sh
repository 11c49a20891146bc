#!/bin/bash
# --json follows its schema, with an entry for each relocation on each kernel, and the HTML
# page has the same report, which a browser shows.
. "$(dirname "$0")/common.sh"

compile a <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; int gone; } __attribute__((preserve_access_index));
extern int bpf_no_such_kfunc(void *) __ksym __weak;
const volatile int wanted;
long sum;
SEC("raw_tp/sys_enter") int both(void *ctx) {
  struct task_struct *task = (void *)bpf_get_current_task();
  sum += BPF_CORE_READ(task, pid);
  if (wanted) sum += BPF_CORE_READ(task, gone);
  if (bpf_no_such_kfunc) bpf_no_such_kfunc(ctx);
  return 0;
}
SEC("raw_tp/sys_exit") int fails(void *ctx) {
  sum += BPF_CORE_READ((struct task_struct *)ctx, gone);
  return 0;
}
EOS
traces='typedef void *btf_trace_sys_enter, *btf_trace_sys_exit; void init(btf_trace_sys_enter a, btf_trace_sys_exit b) {}'
kernel one <<<"struct task_struct { int pid; } task; $traces"
kernel two <<<"struct task_struct { int pid, gone; } task; $traces"
core 1 check a.o one.btf two.btf --json a.json --html a.html
validates a.json "$schema" || fail 'the schema'
[[ $(jq '.relocations | length' a.json) == $((2 * $(jq '[.relocations[] | select(.kernel == "one.btf")] | length' a.json))) ]] ||
  fail 'a relocation is not there for each kernel'
[[ $(jq -r '.programs[] | "\(.kernel) \(.program) \(.status)"' a.json | sort | tr '\n' ';') == 'one.btf both guarded;one.btf fails fails;two.btf both resolves;two.btf fails resolves;' ]] ||
  fail "$(jq -c '.programs' a.json)"
[[ $(jq -r '.findings[] | select(.kernel == "one.btf" and .kind == "kfunc") | "\(.name) \(.status) \(.becomes_zero)"' a.json) == 'bpf_no_such_kfunc resolves true' ]] ||
  fail "$(jq -c '.findings' a.json)"
[[ $(jq -r '.problems[] | "\(.severity) \(.kernels | join(",")) \(.programs | join(",")) \(.message)"' a.json) == "error one.btf fails struct task_struct has no member 'gone' in 1 of 2 kernels" ]] || fail "$(jq -c '.problems' a.json)"
[[ $(sed -n '/id="report">/,/<\/script>/p' a.html | sed 's/.*id="report">//; s/<\/script>//' | jq -c .) == "$(jq -c 'del(.relocations, .findings)' a.json)" ]] || fail 'the page has another report'
core 1 check a.o one.btf --html -
[[ $(tail -n 1 core.out) == '</html>' ]] || fail 'the page on standard output has more'
core 1 check a.o one.btf --json -
validates core.out "$schema" || fail 'the schema, on standard output'

command -v chromium >/dev/null || skip 'chromium is not installed'
for width in 1400 900 500; do
  HOME=$tmp timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$tmp/profile" \
    --window-size=$width,900 --dump-dom "file://$tmp/a.html" >dom.html 2>browser.log || fail "chromium: $(tail -n 5 browser.log)"
  grep -q '1 of 2 kernels fit' dom.html || fail "the title: $(head -c 2000 dom.html)"
  [[ $(grep -o 'class="fails" aria-pressed' dom.html | wc -l) == 1 ]] || fail 'cells that fail'
  grep -q "has no member 'gone'" dom.html || fail 'the message'
done
