# Functions for the cases of skeletons: `fixtures` has the objects.
fixtures=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cd "$tmp"
