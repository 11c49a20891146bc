# Functions for the kernel cases: all of tests/link/common.sh. A case ends if the kernel does not
# permit `run`.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

: "${BPF_RUN:?the loader}"

# These cases ask the kernel; those of tests/link compare with the peer.
differential() { :; }

run_object() { "$BPF_RUN" "$@" || exit "$?"; }
