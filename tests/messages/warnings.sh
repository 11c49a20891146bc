#!/bin/bash
# Warnings of a link that succeeds, each with advice; and hints that only certain errors get.
. "$(dirname "$0")/common.sh"

# expect_warning TEXT COMMAND...: the link succeeds with only TEXT on standard error. With -q it prints
# nothing; with --fatal-warnings it fails.
expect_warning() {
  local want=$1
  shift
  "$@" 2>warnings || mistake "$*: fails"
  [[ $(<warnings) == "$want" ]] ||
    mistake "$*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$(<warnings)"
  "$@" -q 2>warnings || mistake "$*: fails with -q"
  [[ ! -s warnings ]] || mistake "$*: with -q: $(<warnings)"
  expect_message "${want//warning: /error: }" "$@" --fatal-warnings
}

# warns FACTS PHRASE ARGUMENT...: the same for a link whose one warning gallery.sh has in full
warns() {
  local want=$1 phrase=$2
  shift 2
  expect "warning $want" facts "$@"
  expect_error "$phrase"
  expect '' facts "$@" -q
  expect "error $want" facts "$@" --fatal-warnings
}

compile good <<<'SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }'
"$BPFLINK" good.o -o out.o 2>warnings
[[ ! -s warnings ]] || mistake "of nothing: $(<warnings)"

# Types
compile plain -g0 <<<'SEC("xdp") int plain(struct xdp_md *ctx) { return ctx->data; }'
warns general 'no input has BTF' plain.o
"$BPFLINK" good.o plain.o -o out.o 2>warnings
[[ ! -s warnings ]] || mistake "of one without BTF: $(<warnings)"
compile maps -g0 <<'END'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } counts SEC(".maps");
END
warns 'not-openable maps.o' 'defines maps but has no BTF' good.o maps.o

# Lists: kernels find the elements' struct by name.
for i in 1 2 3 4 5; do
  compile "list$i" <<END
struct list_node { __u64 opaque[3]; };
struct list_head { __u64 opaque[2]; };
struct elem { long data[$i]; struct list_node node; };
struct list_head head$i SEC(".data.A") __attribute__((btf_decl_tag("contains:elem:node")));
struct elem last$i;
END
done
compile nameless <<<'struct { int a; } first __attribute__((btf_decl_tag("contains::node"))); struct { int b; } second;'
"$BPFLINK" nameless.o good.o -o out.o 2>warnings
[[ ! -s warnings ]] || mistake "of structs without a name: $(<warnings)"
"$BPFLINK" list1.o good.o -o out.o 2>warnings
[[ ! -s warnings ]] || mistake "of one list: $(<warnings)"
expect_warning "bpflink: warning: kernels use only one of 2 structs 'elem' for the tag 'contains:elem:node'
>>> struct elem of 32 bytes in list1.o
>>> struct elem of 40 bytes in list2.o
>>> give each struct its own name" "$BPFLINK" list1.o list2.o -o out.o
expect_warning "bpflink: warning: kernels use only one of 5 structs 'elem' for the tag 'contains:elem:node'
>>> struct elem of 32 bytes in list1.o
>>> struct elem of 40 bytes in list2.o
>>> struct elem of 48 bytes in list3.o
>>> and 2 more
>>> give each struct its own name" "$BPFLINK" list[1-5].o -o out.o

# Options without an effect
expect_warning 'bpflink: warning: -y nobody: no input has a symbol of this name' \
  "$BPFLINK" good.o -y nobody -o out.o
expect_warning 'bpflink: warning: --export nosuch: no input defines a symbol of this name' \
  "$BPFLINK" good.o --export nosuch -o out.o
expect_warning 'bpflink: warning: --keep-section .data.*: no section of an input matches' \
  "$BPFLINK" good.o --keep-section '.data.*' -o out.o
expect_warning 'bpflink: warning: --keep-type nothing: no input has a type of this name' \
  "$BPFLINK" good.o --keep-type nothing -o out.o
expect_warning 'bpflink: warning: -L nowhere: is not a directory' "$BPFLINK" good.o -Lnowhere -o out.o
expect_warning 'bpflink: warning: --print-gc-sections: nothing is dropped without --gc-sections' \
  "$BPFLINK" good.o --print-gc-sections -o out.o

# The savings of --gc-sections
compile dead <<'END'
int unused_value;
int unused(int x) { return x + unused_value; }
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }
END
"$BPFLINK" --gc-sections --print-gc-sections dead.o -o out.o 2>notes
[[ $(tail -n 1 notes) == 'bpflink: removed 44 bytes of 2 unused definitions' ]] || mistake "$(<notes)"
"$BPFLINK" --gc-sections --print-gc-sections good.o -o out.o 2>notes
[[ $(tail -n 1 notes) == 'bpflink: removed 0 bytes of 0 unused definitions' ]] || mistake "$(<notes)"

# An input under two names
ln -s good.o link.o
expect 'error duplicate-symbol prog good.o:(socket+0x0) link.o:(socket+0x0)' facts good.o link.o
expect_error 'link.o is given twice: give it once'

# undefined TEXT DECLARATION EXPRESSION: the error about a missing extern has TEXT
undefined() {
  compile asks <<END
$2
SEC("socket") int asks(struct __sk_buff *ctx) { return $3; }
END
  "$BPFLINK" asks.o -o out.o 2>errors && mistake "$3 links"
  [[ -z $1 ]] || grep -qxF -- "$1" errors || mistake "$3: $(<errors)"
  [[ -n $1 ]] || ! grep '>>> .*kernel' errors >&2 || mistake "$3: $(<errors)"
}
undefined '>>> the loader provides it: declare it with __kconfig' 'extern int CONFIG_HZ;' CONFIG_HZ
undefined '>>> the loader provides it: declare it with __kconfig' \
  'extern int LINUX_KERNEL_VERSION;' LINUX_KERNEL_VERSION
undefined '>>> in C++: average(int, int)' 'int _Z7averageii(int, int);' '_Z7averageii(1, 2)'
undefined '>>> if C defines it, declare it extern "C"' 'int _Z7averageii(int, int);' '_Z7averageii(1, 2)'
legacy=_ZN4core3ptr46drop_in_place\$LT\$alloc..vec..Vec\$LT\$u8\$GT\$\$GT\$17h0123456789abcdefE
undefined '>>> in Rust: core::ptr::drop_in_place<alloc::vec::Vec<u8>>' "int core(int) __asm__(\"$legacy\");" 'core(1)'
undefined '>>> in Rust: <&str as app::Odd>::{closure}' \
  'int odd(int) __asm__("_ZN36_$LT$$RF$str$u20$as$u20$app..Odd$GT$17$u7b$closure$u7d$17h0123456789abcdefE");' 'odd(1)'
undefined '>>> in Rust: app::maps::count' 'int _RNvNtCs1a_3app4maps5count(int);' '_RNvNtCs1a_3app4maps5count(1)'
undefined '>>> a Rust name' 'int _RINvC3app5countjE(int);' '_RINvC3app5countjE(1)'
undefined '>>> if C defines it, declare it in an extern "C" block' 'int _RNvC3app5count(int);' '_RNvC3app5count(1)'
# Not a Rust name: a Rust hash has 16 digits.
undefined '>>> in C++: app::count::h0123' 'int _ZN3app5count5h0123E(int);' '_ZN3app5count5h0123E(1)'
undefined '' 'int _Read(int);' '_Read(1)'
for name in bpf_sk_nothing scx_bpf_nothing; do
  undefined ">>> if it is the kernel's kfunc or variable, declare it with __ksym" "int $name(int);" "$name(1)"
done
undefined '' 'void schedule(void);' '(schedule(), 0)' # whatever this machine's kernel has: it is no kfunc
undefined '' 'int my_own_function_of_nobody(int);' 'my_own_function_of_nobody(1)'

# Sections that cilium/ebpf takes, once an object
compile continued <<'END'
char LICENSE[] SEC("license") = "GPL";
SEC("classifier/in") int in(struct __sk_buff *ctx) { return 0; }
SEC("?perf_event/sampler") int sample(void *ctx) { return 0; }
SEC("cgroup/skb/x") int skb(void *ctx) { return 1; }
SEC("tc/ingres") int misspelled_too(struct __sk_buff *ctx) { return 0; }
END
expect_warning "continued.bpf.c:2:17: warning: libbpf refuses programs in section 'classifier/in'
    2 | SEC(\"classifier/in\") int in(struct __sk_buff *ctx) { return 0; }
      |                 ^
>>>     defined in continued.bpf.c:2 (continued.o)
>>> for libbpf: SEC(\"classifier\"); other loaders, such as cilium/ebpf, let a name follow
continued.bpf.c:5:22: warning: loaders do not know the type of programs in section 'tc/ingres'
    5 | SEC(\"tc/ingres\") int misspelled_too(struct __sk_buff *ctx) { return 0; }
      |                      ^
>>>     defined in continued.bpf.c:5 (continued.o)
>>> did you mean SEC(\"tc/ingress\")?" "$BPFLINK" continued.o -o out.o
