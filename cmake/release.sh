#!/bin/bash
# Makes what a release publishes, for this machine's architecture, in a directory: the archive of static
# programs, Debian's packages, the source packages, the Rust crates, the Go module, and SHA256SUMS. Needs
# Debian 12; installs the packages that it needs. Runs no tests. What it makes on the way stays in
# build/release-files.
#
#   cmake/release.sh DIRECTORY
set -euo pipefail

directory=$(realpath -m "${1:?a directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake/packages.sh build release
cmake/libbpf.sh
work=$PWD/build/release-files
export BPFLINK_LIBBPF=$PWD/build/libbpf
rm -rf "$work"
mkdir -p "$directory" "$work"
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

cmake -S . -B "$work/static" -DBUILD_TESTING=OFF
cmake --build "$work/static" --target standalone
cp "$work"/static/bpflink-*.tar.gz "$directory"

cmake/source-packages.sh "$directory"
dpkg-source -x "$directory"/bpflink_*.dsc "$work/tree"
(
  cd "$work/tree"
  DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck parallel=$CMAKE_BUILD_PARALLEL_LEVEL ${DEB_BUILD_OPTIONS:-}" \
    dpkg-buildpackage -us -uc
)
cp "$work"/*.deb "$directory"

for crate in bpflink-sys bpflink; do
  cargo package --manifest-path linker/interfaces/rust/Cargo.toml -p "$crate" --offline --no-verify --target-dir "$work/cargo"
done
cp "$work"/cargo/package/*.crate "$directory"
version=$(sed -nE 's/^project\(bpflink VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
git archive --prefix="bpflink2go-$version/" -o "$directory/bpflink2go-$version.tar.gz" HEAD:linker/interfaces/go

cd "$directory"
rm -f SHA256SUMS
sha256sum -- * >SHA256SUMS
