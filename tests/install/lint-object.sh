#!/bin/bash
# The action for a forge's CI: its step runs as in action.yml, and the summary gets the table.
. "$(dirname "$0")/common.sh"
needs clang-19 jq
cd "$tmp"
action=$repository/.github/actions/lint-object
compile() { clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$1.c" -o "$1.o"; }

# lint STATUS: runs the step with the inputs in inputs[]
declare -A inputs
lint() {
  local expected=$1 status=0 name input run
  while read -r name input; do export "$name=${inputs[$input]}"; done < <(
    sed -nE 's/^ +([A-Z]+): \$\{\{ inputs\.([a-z]+) \}\}$/\1 \2/p' "$action/action.yml")
  run=$(sed -nE "s/^ +run: '(.*)'\$/\1/p" "$action/action.yml")
  rm -f summary.md
  GITHUB_ACTION_PATH=$action GITHUB_STEP_SUMMARY=$tmp/summary.md bash -e -c "$run" >log 2>&1 || status=$?
  ((status == expected)) || fail "exit status $status: $(<log)"
  sed -n '/^###/,/^$/p' summary.md >table
}

mkdir kernels
for member in pid state; do
  echo "struct task_struct { int $member; } task;" >$member.c
  compile $member
  btfdedup $member.o -o kernels/$member.btf
done
cat >prog.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("kprobe") int prog(struct task_struct *task) { return BPF_CORE_READ(task, pid); }
char LICENSE[] SEC("license") = "GPL";
END
compile prog
inputs=([object]=$tmp/prog.o [kernels]='kernels/p*.btf' [load]=false)
lint 0
size=$(bpflink prog.o -o out.o --json /dev/stdout | jq .output.bytes)
diff - table <<END || fail 'another table'
### prog.o
| check | result |
| --- | --- |
| Types | passed |
| Kernels | passed |
| Size | $(sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\(,\|$\)/\1,\2\3/; ta' <<<"$size") bytes |

END
contains summary.md 'prog.o: needs Linux'
if sed "s|$tmp||g" summary.md | has "${TMPDIR:-/tmp}/tmp"; then fail 'paths of the temporary folder are shown'; fi
contains summary.md 'struct task_struct'

# One of two kernels does not fit.
inputs[kernels]=$'kernels/pid.btf\nkernels/state.btf'
lint 1
contains table '| Kernels | failed |'
contains log "has no member 'pid' in 1 of 2 kernels"

# Without kernels; a file that is no object
inputs=([object]=prog.o [kernels]='' [load]=false)
lint 0
[[ $(grep -c '^|' table) == 4 ]] || fail "other rows: $(<table)"
head -c 100 prog.o >cut.o
inputs[object]=cut.o
lint 1
contains table '| Types | failed |'
contains table '| Size | failed |'

# Names are no commands of the runner, and end nothing in the summary.
cat >named.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
int prog(void *ctx) __asm__("::add-mask::a");
SEC("xdp") int prog(void *ctx) { return 1; }
int other(void *ctx) __asm__("````");
SEC("xdp") int other(void *ctx) { return 2; }
END
compile named
inputs=([object]=named.o [kernels]='kernels/pid.btf' [load]=false [sizes]='')
lint 0
contains log ::add-mask::a
contains summary.md ::add-mask::a
if grep -qE '^[[:space:]]*(::|##)' log || grep -q '^````' summary.md; then fail "a command: $(<log)"; fi
GITHUB_ACTIONS=true lint 0
[[ $(sed -n 1p log) == ::stop-commands::* && $(sed -n '$p' log) == "::$(sed -n '1s/.*:://p' log)::" ]] || fail "commands: $(<log)"

# Kernels that are to be booted
inputs=([object]=prog.o [kernels]='kernels/pid.btf nothing/*' [load]=true)
lint 1
contains summary.md 'kernels/pid.btf: load needs a vmlinuz of x86_64 or arm64'

# A pattern that no file has
inputs[kernels]='none/*.btf'
lint 1
contains summary.md 'error: no file matches none/*.btf'
