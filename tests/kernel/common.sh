# What the kernel cases share: all of tests/link/common.sh, and the loader.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

BPF_RUN=$(realpath "${BPF_RUN:?the loader}")

# These cases ask the kernel; tests/link compares with the peer.
differential() { :; }

# run CHECK...: loads out.o into the kernel and does the checks, see bpf_run.cpp. Then the same
# without lines of source, and without types that nothing looks into.
run() {
  run_object out.o "$@"
  "$BPFLINK" -q --strip-line-info --prune-types out.o -o pruned.o
  run_object pruned.o "$@"
}

run_object() {
  local status=0
  "$BPF_RUN" "$@" || status=$?
  ((status == 0)) || exit "$status"
}
