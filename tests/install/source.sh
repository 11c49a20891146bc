#!/bin/bash
# A tarball of the sources, without history, is configured in a clean root with the packages of the
# group `build` and no others, and compiles there: the C interface, to be done in minutes. All of it
# is built by .ci/run.
. "$(dirname "$0")/common.sh"
. "$repository/.ci/root.sh"
needs git
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
git -C "$repository" ls-files -z >files 2>log || skip "these sources are no repository: $(<log)"
tar -C "$repository" --null --verbatim-files-from -T files -czf "$tmp/bpflink.tar.gz"

# The tarball of the root is kept for the next time.
root=$tmp/root
why=$(make_root "$root" "$suite" "$BUILD/clean-root.$suite.tar") || skip "no clean root: $why"
mkdir "$root/bpflink"
tar -C "$root/bpflink" -xf "$tmp/bpflink.tar.gz"
in_root "$root" bash -euc '
  cd /bpflink
  cmake/packages.sh build
  cmake -B build -DCMAKE_BUILD_TYPE=None
  cmake --build build --target bpflink_c_api' >"$tmp/log" 2>&1 || fail "$(tail -n 20 "$tmp/log")"
contains "$tmp/log" 'Built target bpflink_c_api'
