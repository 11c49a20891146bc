# What the kernel cases share: all of tests/link/common.sh, and the loader.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

BPF_RUN=$(realpath "${BPF_RUN:?the loader}")

# These cases ask the kernel; tests/link compares with the peer.
differential() { :; }

# run CHECK...: loads out.o into the kernel and does the checks, see bpf_run.cpp.
run() {
  local status=0
  "$BPF_RUN" out.o "$@" || status=$?
  ((status == 0)) || exit "$status"
}
