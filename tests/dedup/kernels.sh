#!/bin/bash
# BTF is read from a kernel in every form, from compressed modules and from directories.
. "$(dirname "$0")/common.sh"

two_objects
"$BTFDEDUP" a.btf b.btf -o want.btf
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o plain.o
llvm-objcopy-19 --add-section=.BTF=a.btf plain.o vmlinux

# A bzImage: the setup header, four sectors, the payload.
cat >bz_image.py <<'END'
import struct, sys
payload = open(sys.argv[1], "rb").read()
image = bytearray(5 * 512)
image[0x1f1] = 4
struct.pack_into("<H4sH", image, 0x1fe, 0xaa55, b"\0\0\0\0", 0)
image[0x202:0x206] = b"HdrS"
struct.pack_into("<H", image, 0x206, 0x20f)
struct.pack_into("<II", image, 0x248, 0, len(payload))
open(sys.argv[2], "wb").write(image + payload)
END
gzip -k vmlinux
"$python" bz_image.py vmlinux.gz vmlinuz
for tool in gzip xz bzip2 zstd; do
  "$tool" -q -k a.btf
done
mkdir -p debian/12/x86_64
tar -cJf debian/12/x86_64/6.1.0-1-amd64.btf.tar.xz a.btf

# same ARGUMENT...: btfdedup ARGUMENT... gives the output of a.btf and b.btf
same() {
  "$BTFDEDUP" "$@" -o got.btf || fail "btfdedup $* fails"
  cmp want.btf got.btf || fail "btfdedup $*"
}
for kernel in vmlinux vmlinux.gz vmlinuz a.btf.{gz,xz,bz2,zst} debian/12/x86_64/*.tar.xz debian; do
  same "$kernel" b.btf
done
same - b.btf <a.btf.xz

# The same report of each form
for options in '--dump c' '--dump raw' '--explain node' --check; do
  # shellcheck disable=SC2086 # words
  for kernel in a.btf vmlinuz a.btf.zst; do
    { "$BTFDEDUP" $kernel $options || [[ $options == --check ]]; } | sed "s/$kernel/FILE/g" >"report.$kernel"
  done
  cmp report.a.btf report.a.btf.zst
  # A kernel's image is checked by a kernel's rules, and so is what is in it.
  [[ $options == --check ]] || cmp report.a.btf report.vmlinuz
done
# shellcheck disable=SC2016 # jq's
expect $'program\nkernel\nkernel' "$python" -c '
import json, subprocess, sys
for file in ["a.btf", "vmlinux", "vmlinuz"]:
    report = subprocess.run([sys.argv[1], "--check", "--json", file], capture_output=True).stdout
    print(json.loads(report)[0]["rules"])' "$BTFDEDUP"

# A linked kernel alone is extracted: modules continue its ids, also where types repeat others.
blob twice.btf "add(INT, 'int', 4, 0x1000020); add(PTR, '', 1); add(PTR, '', 1); add(STRUCT, 'bpf_ctx_convert', 0); string('unused')"
ld -e 0 plain.o -o linked 2>/dev/null
objcopy --add-section=.BTF=twice.btf linked
gzip -k linked
"$python" bz_image.py linked.gz linked.bz
for kernel in linked linked.gz linked.bz; do
  "$BTFDEDUP" $kernel -o got.btf --dump raw >dump
  cmp twice.btf got.btf || fail "$kernel"
  expect 4 grep -c '^\[' dump
  "$BTFDEDUP" $kernel --sort -o got.btf
  expect 3 eval '"$BTFDEDUP" got.btf --dump raw | grep -c "^\["'
  "$BTFDEDUP" $kernel a.btf -o got.btf
  expect 1 eval '"$BTFDEDUP" got.btf --dump raw | grep -c "PTR .* type_id=1$"'
done

# Modules: alone, compressed, in a directory among other files
own=$(($("$BTFDEDUP" a.btf --dump raw | grep -c '^\[') + 1))
blob split.btf "split('a.btf'); add(STRUCT, 'own', 8, 'p', $((own + 1)), 0); add(PTR, '', 1)"
mkdir modules modules/net
llvm-objcopy-19 --add-section=.BTF=split.btf plain.o modules/own-mod.ko
"$BTFDEDUP" --base vmlinux modules/own-mod.ko -o want.btf
xz -k modules/own-mod.ko && mv modules/own-mod.ko.xz modules/net/other.ko.xz
for form in 'vmlinuz modules/net/other.ko.xz' 'a.btf.xz modules/own-mod.ko' 'debian modules/net'; do
  # shellcheck disable=SC2086 # words
  same --base $form
done
cp plain.o modules/without-btf.ko
echo text >modules/modules.dep
ln -s ../vmlinux modules/vmlinux
expect '2 files accepted, which need Linux' \
  eval '"$BTFDEDUP" --check --base vmlinuz modules | sed "s/ Linux .*/ Linux/"'
"$BTFDEDUP" --flatten --base vmlinuz modules -o flat.btf
expect 1 eval 'structs flat.btf | grep -c "1 own"'

# A program with symbols, compressed
gcc -gbtf -O1 -xc -c -o number.o - <<<'int number(int x) { return x; }'
ld -r number.o -o number
xz -k number
for form in number number.xz; do "$BTFDEDUP" --linked $form number.o -o $form.btf; done
cmp number.btf number.xz.btf

# fails MESSAGE ARGUMENT...: btfdedup fails with this message
fails() {
  expect_message "btfdedup: error: $1" "$BTFDEDUP" "${@:2}"
}
cp modules/net/other.ko.xz other.ko.xz
fails 'other.ko.xz: is compressed, an archive or an image: --update writes only into ELF files' \
  --base vmlinux --update other.ko.xz
cmp other.ko.xz modules/net/other.ko.xz
mkdir empty
fails 'empty: has no kernel, module or object in it' empty -o out.o
fails 'empty: has no module in it' --base vmlinux empty -o out.o
fails 'empty: has no kernel in it' --base empty a.btf -o out.o
mkdir two
cp vmlinux vmlinuz two
fails 'two: has several kernels in it: two/vmlinux, two/vmlinuz' --base two a.btf -o out.o
head -c 200 a.btf.xz >cut.btf.xz
fails 'cut.btf.xz: is cut off: the xz stream has no end' cut.btf.xz -o out.o
gzip -k plain.o
fails 'plain.o.gz: has no section .BTF: compile with -g, with gcc -gbtf' plain.o.gz -o out.o
mv modules/without-btf.ko empty/
fails 'empty/without-btf.ko: has no section .BTF: compile with -g, with gcc -gbtf' empty -o out.o
fails 'a.btf.gz: is not an ELF file' --linked a.btf.gz a.btf -o out.o

# Packages of distributions are not unpacked.
echo 2.0 >debian-binary
ar rc kernel.deb debian-binary
printf '\xed\xab\xee\xdb\3\0' >kernel.rpm
fails 'kernel.deb: is a package: dpkg -x FILE DIRECTORY unpacks it' kernel.deb -o out.btf
fails 'kernel.deb: is a package: dpkg -x FILE DIRECTORY unpacks it' --base kernel.deb a.btf -o out.btf
fails 'kernel.rpm: is a package: rpm2cpio FILE | cpio -id unpacks it' kernel.rpm -o out.btf
