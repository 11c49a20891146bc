#!/bin/bash
# The results of libbpf's linker and ours for bad inputs and calls, step by step. They are the same,
# except for the differences listed here.
. "$(dirname "$0")/../link/common.sh"

OF_LIBBPF=$(realpath "${OF_LIBBPF:?linker_steps with libbpf}")
OF_BPFLINK=$(realpath "${OF_BPFLINK:?linker_steps with libbpflink-libbpf}")
: "${LIBBPF_VERSION:?the version of libbpf}"
failed=()

# ask STEP...: runs the steps with both; the results are in `theirs` and `ours`
ask() {
  rm -f out.o
  theirs=$(timeout 20 "$OF_LIBBPF" "$output" "$@" 2>/dev/null || echo "exits with $?")
  rm -f out.o
  ours=$(timeout 20 "$OF_BPFLINK" "$output" "$@" 2>/dev/null || echo "exits with $?")
}

output=out.o
complain() { # STEP... of the last `ask`
  failed+=("$output $*"$'\n'"libbpf: ${theirs//$'\n'/, }"$'\n'"ours:   ${ours//$'\n'/, }")
}

# same STEP...: both return the same
same() {
  ask "$@"
  [[ $theirs == "$ours" ]] || complain "$@"
}

# differ THEIRS OURS STEP...: both return these different codes, one for each step
differ() {
  local want_theirs=$1 want_ours=$2
  shift 2
  ask "$@"
  [[ "$(sed 's/.*: //' <<<"$theirs" | xargs)|$(sed 's/.*: //' <<<"$ours" | xargs)" == \
    "$want_theirs|$want_ours" ]] || complain "$@"
}

# late FIRST SECOND: libbpf refuses the second file, ours refuses the link
late() { differ '0 EINVAL 0' '0 0 EINVAL' "$@" finalize; }

# invalid FILE: ours returns EINVAL and continues; libbpf does the same, or crashes
invalid() {
  local after
  for after in '' good.o; do
    ask "$1" $after
    [[ $ours == "$1: EINVAL${after:+$'\n'good.o: 0}" ]] || complain "$1" $after
    [[ $theirs == "$ours" || $theirs == 'exits with '* ]] || complain "$1" $after
  done
}

# patch FILE OFFSET BYTES OUTPUT: copies FILE with BYTES, such as \x01\x02, at OFFSET
patch() {
  cp "$1" "$4"
  printf "$3" | dd of="$4" bs=1 seek="$2" conv=notrunc status=none
}

compile good <<'END'
int value = 1;
int helper(int x) { return x + value; }
SEC("socket") int prog(void *ctx) { return helper(1); }
END
compile other <<'END'
extern int value;
int helper(int x);
SEC("socket") int second(void *ctx) { return helper(value); }
END

# ---- calls
same good.o finalize finalize
same good.o finalize good.o
same good.o finalize null
differ '0' 'EINVAL' finalize # libbpf makes an object of no inputs
same null
same good.o null other.o finalize
same short-options
same odd-options
same good.o odd-options finalize
same good.o other.o finalize
same other.o good.o finalize
same other.o finalize
same good.o good.o

# ---- outputs
for output in missing/out.o . '' good.o/out.o; do
  same good.o finalize
done
for output in short:out.o long:out.o odd:out.o; do
  same good.o finalize
done
output=/dev/full
differ '0 EINVAL' '0 EIO' good.o finalize
output=out.o

# ---- files that are no BPF objects
mkdir directory
: >empty
echo text >text
head -c 15 good.o >ident
head -c 63 good.o >half-header
head -c 64 good.o >header
head -c 200 good.o >cut
head -c $(($(stat -c %s good.o) - 1)) good.o >last-byte
head -c $(($(stat -c %s good.o) - 64)) good.o >last-header
ln -s loop loop
patch good.o 4 '\x01' class32
patch good.o 5 '\x02' order
patch good.o 5 '\x03' no-order
patch good.o 6 '\x02' ident-version
patch good.o 16 '\x02' executable
patch good.o 18 '\x3e' x86
patch good.o 18 '\x00' no-machine
patch good.o 20 '\x02' version
patch good.o 40 '\x00\x00\x00' no-sections
patch good.o 60 '\x00\x00' no-section-count
patch good.o 62 '\x00\x00' no-names
patch good.o 62 '\xf0\x00' odd-names
echo 'int f(void) { return 0; }' | gcc -c -x c - -o native.o
llvm-ar-19 rc archive.a good.o
for file in missing.o cut last-byte last-header loop executable x86 no-machine \
  version no-section-count native.o; do
  same "$file"
  same good.o "$file" finalize
  same "$file" good.o finalize
done
if at_least 1.6 "$LIBBPF_VERSION"; then # libelf's errno is not passed on
  differ EINVAL EISDIR directory
  differ '0 EINVAL 0' '0 EISDIR 0' good.o directory finalize
  differ 'EINVAL 0 0' 'EISDIR 0 0' directory good.o finalize
else
  same directory
  same good.o directory finalize
  same directory good.o finalize
fi
for file in empty text ident half-header header class32 no-order ident-version no-sections \
  no-names odd-names archive.a /dev/null /proc/self/mem; do
  invalid "$file"
done

# ---- objects
section() { # NAME [OBJCOPY OPTION...]: a changed copy of good.o
  local name=$1
  shift
  llvm-objcopy-19 "$@" good.o "$name"
}
"$CC" -O2 --target=bpf -c -x c - -o plain.o <<<'int w = 1; int g(void) { return w; }' # without BTF
section no-btf-ext --remove-section=.BTF.ext --remove-section=.rel.BTF.ext
section no-symbols --strip-all
same no-btf-ext other.o finalize
printf junk >junk
section junk-btf --update-section=.BTF=junk
section junk-btf-ext --update-section=.BTF.ext=junk
section extra --add-section=extra=junk
section big --add-section=extra=junk --set-section-alignment extra=4096
section odd --set-section-alignment .data=3
for file in no-btf-ext no-symbols junk-btf junk-btf-ext extra big odd; do
  same other.o "$file" finalize
done
"$CC" -O2 --target=bpf -c -x c - -o untyped.o <<<'extern int w; int g(void) { return w; }' # without its type
same untyped.o
differ '0 EINVAL 0' '0 0 0' good.o plain.o finalize
differ 'EINVAL 0' '0 0' plain.o good.o
"$CC" -g -O2 --target=bpfeb -c -x c - -o big-endian.o <<<'int v = 1; int f(void) { return v; }'
same good.o big-endian.o finalize
if at_least 1.5 "$LIBBPF_VERSION"; then # the first file decides, even if refused
  same big-endian.o good.o
  differ 'EOPNOTSUPP EOPNOTSUPP 0' 'EOPNOTSUPP 0 0' order good.o finalize
else
  differ 'EOPNOTSUPP 0' '0 EOPNOTSUPP' big-endian.o good.o
  same order good.o finalize
fi
same order
same good.o order finalize

# ---- links
compile twice <<<'int helper(int x) { return 3; }'
compile weak <<<'__weak int helper(int x) { return 3; }'
compile long <<<'extern long value; SEC("socket") int third(void *ctx) { return value; }'
compile unsigned <<<'extern unsigned value; SEC("socket") int third(void *ctx) { return value; }'
compile arguments <<<'int helper(int x, int y); SEC("socket") int third(void *ctx) { return helper(1, 2); }'
compile result <<<'long helper(int x); SEC("socket") int third(void *ctx) { return helper(1); }'
compile variable <<<'extern int helper; SEC("socket") int third(void *ctx) { return helper; }'
compile function <<<'int value(int x); SEC("socket") int third(void *ctx) { return value(1); }'
compile static <<'END'
static volatile int value = 4;
static __noinline int helper(int x) { return x; }
SEC("socket") int third(void *ctx) { return helper(value); }
END
compile map <<'END'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
END
compile map-extern <<'END'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
SEC("socket") int third(void *ctx) { int k = 0; return bpf_map_lookup_elem(&m, &k) != 0; }
END
sed 's/max_entries, 1/max_entries, 2/' map.bpf.c >bigger-map.c; compile bigger-map <bigger-map.c
sed 's/__type(value, int)/__type(value, long)/' map.bpf.c >long-map.c; compile long-map <long-map.c
sed 's/SEC(".maps")/SEC(".maps") __weak/' map.bpf.c >weak-map.c; compile weak-map <weak-map.c
sed 's/m SEC/helper SEC/' map.bpf.c >helper-map.c; compile helper-map <helper-map.c
for license in GPL MIT; do
  compile $license <<<"char LICENSE[] SEC(\"license\") = \"$license\";"
done
compile kconfig <<<'extern int CONFIG_HZ __kconfig; SEC("socket") int third(void *ctx) { return CONFIG_HZ; }'
compile kconfig-long <<<'extern long CONFIG_HZ __kconfig; SEC("socket") int fourth(void *ctx) { return CONFIG_HZ; }'
compile kconfig-weak <<<'extern int CONFIG_HZ __kconfig __weak; SEC("socket") int fourth(void *ctx) { return CONFIG_HZ; }'
compile ksym <<<'extern void helper(int x) __ksym; SEC("socket") int third(void *ctx) { helper(1); return 0; }'
compile data-and-bss <<<'int v SEC(".data") = 1;'
for file in twice weak unsigned static helper-map; do
  same good.o $file.o finalize
  same $file.o good.o finalize
done
for file in long arguments result variable function ksym; do
  late good.o $file.o
  late $file.o good.o
done
for file in map map-extern bigger-map long-map weak-map; do same map.o $file.o finalize; done
for file in map weak-map; do
  same map-extern.o $file.o finalize
  same $file.o map-extern.o finalize
done
for file in bigger-map long-map; do
  late map-extern.o $file.o
  late $file.o map-extern.o
done
late bigger-map.o weak-map.o
late weak-map.o bigger-map.o
same GPL.o GPL.o finalize
late GPL.o MIT.o
for file in kconfig kconfig-weak; do
  same kconfig.o $file.o finalize
  same $file.o kconfig.o finalize
done
late kconfig.o kconfig-long.o
late kconfig-long.o kconfig.o

# ---- the messages that ours hands to the function of libbpf_set_print(), and ours in libbpf's place
messages() { # OUTPUT STEP...
  "$OF_BPFLINK" "$@" 2>&1 >results || fail "exits with $?"
}
expect 'bpflink: error: bpf_linker_opts: byte 8 is set, which is of a newer version: this one knows 8' messages odd:out.o
expect 'bpflink: error: bpf_linker_opts: the size is 7, less than 8' messages short:out.o
expect 'bpflink: error: untyped.o: extern without a type in BTF: w' messages out.o untyped.o
printf 'BC\xc0\xde....' >code.bc
expect 'bpflink: error: code.bc: is not a BPF object but: LLVM bitcode (link it with bpflink, or compile without -flto)' \
  messages out.o code.bc
if [[ ${PRELOADED:-} ]]; then
  expect 'finalize: EINVAL' env LD_PRELOAD="$PRELOADED" "$OF_LIBBPF" out.o finalize # see above
fi

((${#failed[@]} == 0)) || fail "$(printf '%s\n' "${failed[@]}")"
