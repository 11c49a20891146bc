#!/bin/sh
# Puts the crates and the Go modules where cargo and Go look for them on Debian.
set -eu
sources=debian/sources/usr/share/bpflink

# crates: the package provides a name for each crate, alone and with its version
provides=
for manifest in $(find $sources/rust -name Cargo.toml); do
  grep -q '^\[package\]' "$manifest" || continue
  value() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" "$manifest" | head -n 1; }
  name=$(value name) version=$(value version)
  crate=debian/librust-bpflink-dev/usr/share/cargo/registry/$name-$version
  mkdir -p "$crate"
  cp -r "${manifest%/*}/." "$crate"
  find "$crate" -mindepth 2 -name Cargo.toml -printf '%h\n' | xargs -r rm -r # a crate of its own
  sed -i 's/path = "[^"]*", *//; s/, *path = "[^"]*"//' "$crate/Cargo.toml" # the registry has it
  echo '{"package":null,"files":{}}' >"$crate/.cargo-checksum.json"
  package=librust-$(echo "$name" | tr _ -)
  [ "$package" = librust-bpflink ] || provides="$provides, $package-dev (= $version)"
  for part in "${version%%.*}" "${version%.*}" "$version"; do
    provides="$provides, $package-$part-dev (= $version)"
  done
done
echo "rust:Provides=${provides#, }" >>debian/librust-bpflink-dev.substvars

for file in $(find $sources/go -name go.mod); do
  module=debian/golang-bpflink-dev/usr/share/gocode/src/$(sed -n 's/^module //p' "$file")
  mkdir -p "$module"
  cp -r "${file%/*}/." "$module"
done
