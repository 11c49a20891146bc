#!/bin/bash
# Times `btfdedup --flatten` of vmlinux and all modules of Debian's kernel package, which it
# downloads. By hand: there is no peer, as no other program does that.
#
#   tests/bench/flatten.sh [PROGRAMS]
#
#   PROGRAMS        the directory with btfdedup; build/release/bin unless told
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$(realpath "${1:-$here/../../build/release/bin}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')
apt-get -q download "$package-unsigned" >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x "$package-unsigned"_*.deb root
image=$(echo root/boot/vmlinuz-*)
# The image begins with code that unpacks the rest, which is an .xz stream.
export LC_ALL=C
offset=$(grep -abo -P '\xfd7zXZ\x00' "$image" | cut -d : -f 1 | sed -n 1p)
xz -d --single-stream < <(tail -c "+$((offset + 1))" "$image") >vmlinux
find root -name '*.ko' | sort >all
while read -r module; do
  if [[ $(readelf -SW "$module") == *' .BTF '* ]]; then echo "$module"; fi
done <all >modules

echo "$package: vmlinux and $(wc -l <modules) modules"
"$programs/btfdedup" --flatten --base vmlinux @modules -o flat.btf --stats
hyperfine -N --warmup 1 --runs 10 \
  "$programs/btfdedup --flatten --base vmlinux @modules -o flat.btf"
/usr/bin/time -f '%M KB at most, with mapped inputs' \
  "$programs/btfdedup" --flatten --base vmlinux @modules -o flat.btf
