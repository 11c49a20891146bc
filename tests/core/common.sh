# Functions for the bpfcore cases: all of tests/link/common.sh, and kernels with few types.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

export BPFCORE CORE_OF_LIBBPF
license_header=$tmp/license.h # of all programs
echo 'char LICENSE[] SEC("license") = "GPL";' >"$license_header"
schema=$here/../../linker/programs/bpfcore/core.schema.json

# kernel NAME [bare] <<SOURCE: writes NAME.btf, which stands for a kernel's types. It has the types that
# variables and functions use, and unless it is bare the enums of linux/bpf.h.
kernel() {
  cat >"$1.kernel.c"
  if [[ ${2:-} != bare ]]; then
    cat - "$1.kernel.c" >"$1.whole.c" <<'END_OF_ENUMS'
#include <linux/bpf.h>
enum bpf_prog_type enum_1;
enum bpf_attach_type enum_2;
enum bpf_map_type enum_3;
enum bpf_func_id enum_4;
END_OF_ENUMS
    mv "$1.whole.c" "$1.kernel.c"
  fi
  "$CC" -g -O0 --target=bpf -w -I"/usr/include/$(uname -m)-linux-gnu" -c "$1.kernel.c" -o "$1.kernel.o"
  llvm-objcopy-19 --dump-section .BTF="$1.btf" "$1.kernel.o"
}

# core STATUS ARGUMENT...: runs bpfcore, which must exit with STATUS; core.log has its messages
core() {
  local expected=$1 status=0
  shift
  "$BPFCORE" "$@" >core.out 2>core.log || status=$?
  [[ $status == "$expected" ]] || fail "bpfcore $* exits with $status: $(cat core.log)"
}

# says TEXT: a message contains TEXT
says() { grep -qF -- "$1" core.log || fail "no '$1' in: $(cat core.log)"; }
says_not() { ! grep -qF -- "$1" core.log || fail "'$1' in: $(cat core.log)"; }

# marks: each program of the last table with its mark, such as "one+ two? "
marks() { awk '$2 ~ /^[X+?g]$/ && NF <= 3 { printf "%s%s ", $1, $2 }' core.out; }
marked() { [[ $(marks) == "$1 " ]] || fail "$(marks), not $1: $(<core.out)"; }

# fits MARKS ARGUMENT...: a check gives the programs these marks
fits() {
  core "$([[ $1 == *X* ]] && echo 1 || echo 0)" check "${@:2}" --table
  marked "$1"
}

# status FILE.json: "SECTION INDEX KIND STATUS VALUE" for each relocation
status() {
  jq -r '.relocations[] | "\(.section) \(.index) \(.kind) \(.status) \(.value)"' "$1"
}
