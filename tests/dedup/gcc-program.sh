#!/bin/bash
# The BTF that gcc makes of a program of more than 50 files, zstd with its library, for this machine.
# Deduplicated, it loads in bpftool, and the C that it prints compiles.
. "$(dirname "$0")/common.sh"

archive=libzstd_1.5.4+dfsg2.orig.tar.xz
url=http://deb.debian.org/debian/pool/main/libz/libzstd/$archive
sum=8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
/usr/lib/apt/apt-helper -q download-file "$url" "$tmp/zstd.tar.xz" "SHA256:$sum" >download.log 2>&1 ||
  skip "cannot download $url: $(grep -m 1 '^E:' download.log || tail -n 1 download.log)"
tar xf zstd.tar.xz

# Each file becomes an object.
mkdir objects
export objects=$tmp/objects
cd zstd-*/
find lib programs examples -name '*.c' | xargs -P "$(nproc)" -n 8 bash -c 'for source; do
  gcc -gbtf -O0 -w -Ilib -Ilib/common -Ilib/dictBuilder -Ilib/legacy -DZSTD_LEGACY_SUPPORT=1 -c "$source" \
    -o "$objects/${source//\//-}.o" || exit 255
done' compile
cd "$tmp"
count=$(find objects -name '*.o' | wc -l)
((count >= 50)) || fail "only $count objects"

"$BTFDEDUP" objects/*.o -o out.btf --dump raw >raw
diff raw <(bpftool btf dump file out.btf format raw)
bpftool btf dump file out.btf format c >peer.h
gcc -std=gnu11 -fsyntax-only -x c peer.h
dump out.btf
mv types.h of-raw.h

# ELF output has the same BTF.
"$BTFDEDUP" objects/*.o --elf -o out.o
diff raw <(bpftool btf dump file out.o format raw)
dump out.o
cmp types.h of-raw.h

# The peer keeps at least as many types if no tag has several definitions. The decoders of older
# formats have such tags, and the peer chooses one definition by the order of the inputs.
rm objects/lib-legacy-*
"$BTFDEDUP" objects/*.o -o out.btf --dump raw >raw
gcc -O2 "$here/../bench/libbpf_dedup.c" -o libbpf_dedup -lbpf
./libbpf_dedup peer.btf objects/*.o
ours=$(grep -c '^\[' raw) theirs=$(bpftool btf dump file peer.btf | grep -c '^\[')
((ours <= theirs)) || fail "$ours types, where libbpf has $theirs"
