#!/bin/bash
# Makes the source packages of this tree in a directory: bpflink-VERSION.tar.gz and bpflink.spec
# for rpmbuild; bpflink_VERSION-0upstream1.dsc and its files, where dpkg-source is installed.
#
#   cmake/source-packages.sh DIRECTORY
#
# The sources are the files that git knows, as they are now. DEBFULLNAME, DEBEMAIL and HOMEPAGE say who
# maintains the packages, and where the project is; without HOMEPAGE they name no place.
set -euo pipefail

command -v git >/dev/null || { echo "${0##*/}: error: git is not installed, which lists the sources" >&2 && exit 1; }
directory=$(realpath -m "${1:?a directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -nE 's/^project\(bpflink VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
name=bpflink-$version
mkdir -p "$directory"

# fill FILE...: writes what changes into templates
fill() {
  sed -i "s/@VERSION@/$version/g; s/@SO@/${version%%.*}/g; s/@DATE@/$(LC_ALL=C date -uRd "@$epoch")/g
    s/@MAINTAINER@/${DEBFULLNAME:-bpflink developers} <${DEBEMAIL:-bpflink@example.org}>/g
    s/@DAY@/$(LC_ALL=C date -ud "@$epoch" '+%a %b %d %Y')/; ${HOMEPAGE:+s|@HOMEPAGE@|$HOMEPAGE|;} /@HOMEPAGE@/d" "$@"
}

git ls-files -z | tar --null --verbatim-files-from -T - --transform "flags=r;s|^|$name/|" --sort=name \
  --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w --mtime="@$epoch" -c | gzip -9n >"$directory/$name.tar.gz"
cp cmake/bpflink.spec "$directory"
fill "$directory/bpflink.spec"

command -v dpkg-source >/dev/null || exit 0
cd "$directory"
rm -rf "$name"
cp "$name.tar.gz" "bpflink_$version.orig.tar.gz"
tar -xf "$name.tar.gz"
cp -r "$name/cmake/debian" "$name/debian"
fill "$name"/debian/{changelog,control,*.symbols}
for file in "$name"/debian/*@SO@*; do mv "$file" "${file//@SO@/${version%%.*}}"; done
dpkg-source -b "$name"
rm -rf "$name"
