# What the kernel cases share: all of tests/link/common.sh, and that they end where the kernel
# does not permit `run`.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

: "${BPF_RUN:?the loader}"

# These cases ask the kernel; tests/link compares with the peer.
differential() { :; }

run_object() { "$BPF_RUN" "$@" || exit "$?"; }
