#!/bin/bash
# Own programs that do what the kernel's linking selftests do: functions, maps and variables of two
# files. Linked in both orders, each loads and computes the values that C prescribes.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

# both_orders SUBJECT COMMAND...: links SUBJECT1.o and SUBJECT2.o in both orders and runs COMMAND for
# each. $first is the number of the first file.
both_orders() {
  local subject=$1
  shift
  for first in 1 2; do
    warnings=$("$BPFLINK" "${subject}$first.o" "${subject}$((3 - first)).o" -o out.o 2>&1) ||
      fail "$subject, file $first first: $warnings"
    link "${subject}$first.o" "${subject}$((3 - first)).o" 2>/dev/null
    "$@"
  done
}

# ---- functions: each file calls the other's; weak ones in both or in one; hidden and static ones;
# constants that differ in sign; kernel functions and options; CO-RE. Their programs share a
# section.
compile functions1 <<'END'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct { int tgid; } __attribute__((preserve_access_index));

const volatile __u32 wanted __weak;            /* int in the other file */
int seen1, context1, weak1, size1;
extern int LINUX_KERNEL_VERSION __kconfig;
extern int CONFIG_NO_SUCH_OPTION __kconfig __weak;
extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;
extern void no_kernel_has_this(int which) __ksym __weak;

static __noinline int shared_name(int x) { return x * 2; }
__noinline int put1(int x) { seen1 = shared_name(x); return x; }
int put2(int x);
__weak int first_wins(int x) { weak1 = 10 + x; return 1; }
__weak int strong_wins(int x) { return 100; }
__hidden int hidden2(long *where);
__noinline int keep1(__u64 *context) { context1 = context && bpf_core_type_size(struct task_struct) > 1000; return 0; }
int keep2(__u64 *context);

SEC("raw_tp/sys_enter") int program1(void *context) {
  long local = 5;
  if (wanted) return -1;
  size1 = bpf_core_field_exists(((struct task_struct *)0)->tgid);
  if (bpf_rcu_read_lock && bpf_rcu_read_unlock) {
    bpf_rcu_read_lock();
    bpf_rcu_read_unlock();
  }
  if (no_kernel_has_this) no_kernel_has_this(1);
  return put2(20) + first_wins(3) * 100 + strong_wins(1) * 1000 + hidden2(&local) * 10000 +
         (LINUX_KERNEL_VERSION > 0) * 100000 + CONFIG_NO_SUCH_OPTION;
}
SEC("socket") int hand1(void *context) { __u64 place = 1; return keep2(&place); }
END
compile functions2 <<'END'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct___other { long pad; int tgid; } __attribute__((preserve_access_index));

const volatile int wanted __weak;
int seen2, context2, weak2, size2;
extern int LINUX_KERNEL_VERSION __kconfig;
extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;
extern void no_kernel_has_this(int which) __ksym __weak;

static __noinline int shared_name(int x) { return x * 3; }
int put1(int x);
__noinline int put2(int x) { seen2 = shared_name(x); return x; }
__weak int first_wins(int x) { weak2 = 20 + x; return 2; }
int strong_wins(int x) { return 7; }
__hidden __noinline int hidden2(long *where) { return *where; }
int keep1(__u64 *context);
__noinline int keep2(__u64 *context) { context2 = context && bpf_core_type_size(struct task_struct___other) > 1000; return 0; }

SEC("raw_tp/sys_enter") int program2(void *context) {
  long local = 6;
  if (wanted) return -1;
  size2 = bpf_core_field_exists(((struct task_struct___other *)0)->pad);
  if (bpf_rcu_read_lock && bpf_rcu_read_unlock) {
    bpf_rcu_read_lock();
    bpf_rcu_read_unlock();
  }
  if (no_kernel_has_this) no_kernel_has_this(2);
  return put1(30) + first_wins(4) * 100 + strong_wins(1) * 1000 + hidden2(&local) * 10000 +
         (LINUX_KERNEL_VERSION > 0) * 100000;
}
SEC("socket") int hand2(void *context) { __u64 place = 1; return keep1(&place); }
END
functions() {
  [[ $warnings == *"warning: conflicting types of 'wanted'"* ]] || fail "no warning about the sign: $warnings"
  local weak=("$((first == 1 ? 13 : 0))" "$((first == 2 ? 23 : 0))")
  run "program1()=$((157020 + first * 100))" "weak1=${weak[0]}" "weak2=${weak[1]}" seen2=60 \
    "program2()=$((167030 + first * 100))" "weak1=$((weak[0] ? 14 : 0))" "weak2=$((weak[1] ? 24 : 0))" \
    seen1=60 size1=1 size2=0 'hand1()=0' 'hand2()=0' context1=1 context2=1 wanted=0
  expect "first_wins FUNC WEAK DEFAULT .text" eval 'symbols | grep ^first_wins | cut -d" " -f1-5'
  expect 1 eval 'symbols | grep -c ^strong_wins'
}
both_orders functions functions

# ---- maps: each is extern in one file and defined in the other, or weak in both. The key and value
# types of one have other names; one extern omits attributes.
compile maps1 <<'END'
char LICENSE[] SEC("license") = "GPL";
struct key { long x; };
struct value { long x; };
struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, struct key); __type(value, struct value); __uint(max_entries, 16); } one SEC(".maps");
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(max_entries, 8); } two SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(max_entries, 16); } either SEC(".maps") __weak;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(max_entries, 2); } beaten SEC(".maps") __weak;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, __u32); __type(value, long); __uint(max_entries, 1); } plain SEC(".maps");
int got1_one, got1_two, got1_either;

SEC("raw_tp/sys_enter") int write1(void *context) {
  struct key key = {1};
  struct value value = {11};
  int slot = 2, number = 12, other = 3, third = 13;
  bpf_map_update_elem(&one, &key, &value, 0);
  bpf_map_update_elem(&two, &slot, &number, 0);
  bpf_map_update_elem(&either, &other, &third, 0);
  other = 1;
  return bpf_map_update_elem(&beaten, &other, &third, 0);
}
SEC("raw_tp/sys_exit") int read1(void *context) {
  struct key key = {4};
  int slot = 5, other = 6;
  struct value *value = bpf_map_lookup_elem(&one, &key);
  int *number = bpf_map_lookup_elem(&two, &slot);
  int *third = bpf_map_lookup_elem(&either, &other);
  got1_one = value ? value->x : -1;
  got1_two = number ? *number : -1;
  got1_either = third ? *third : -1;
  return 0;
}
END
compile maps2 <<'END'
char LICENSE[] SEC("license") = "GPL";
typedef struct key { long x; } key_alias;
typedef struct value { long x; } value_alias;
typedef key_alias key_twice;
typedef const volatile int number_alias;
extern struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, key_twice); __type(value, value_alias); __uint(max_entries, 16); } one SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, number_alias); __uint(max_entries, 8); } two SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(max_entries, 16); } either SEC(".maps") __weak;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(max_entries, 2); } beaten SEC(".maps");
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); } plain SEC(".maps");
int got2_one, got2_two, got2_either;

SEC("raw_tp/sys_enter") int write2(void *context) {
  key_alias key = {4};
  value_alias value = {14};
  int slot = 5, number = 15, other = 6, third = 16, zero = 0;
  long big = 1L << 33;
  bpf_map_update_elem(&one, &key, &value, 0);
  bpf_map_update_elem(&two, &slot, &number, 0);
  bpf_map_update_elem(&either, &other, &third, 0);
  bpf_map_update_elem(&plain, &zero, &big, 0);
  return 0;
}
SEC("raw_tp/sys_exit") int read2(void *context) {
  key_alias key = {1};
  int slot = 2, other = 3;
  value_alias *value = bpf_map_lookup_elem(&one, &key);
  int *number = bpf_map_lookup_elem(&two, &slot);
  int *third = bpf_map_lookup_elem(&either, &other);
  got2_one = value ? value->x : -1;
  got2_two = number ? *number : -1;
  got2_either = third ? *third : -1;
  return 0;
}
END
maps() {
  run 'write1()=0' 'write2()=0' 'read1()=0' 'read2()=0' got1_one=14 got1_two=15 got1_either=16 \
    got2_one=11 got2_two=12 got2_either=13 'one[1]=11' 'one[4]=14' 'two[2]=12' 'two[5]=15' \
    'either[3]=13' 'either[6]=16' 'beaten[1]=13' 'plain[0]=0x200000000'
  expect 'beaten either one plain two' eval 'datasec .maps | cut -d" " -f1 | sort | tr "\n" " " | sed "s/ $//"'
  expect 'OBJECT GLOBAL DEFAULT .maps 32' eval 'symbol beaten | cut -d" " -f1-4,6'
}
both_orders maps maps

# ---- variables of .bss, .data and .rodata: extern in one file; weak in one or in both, in different
# sections; types that differ in sign; kernel options and symbols.
compile variables1 <<'END'
char LICENSE[] SEC("license") = "GPL";
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF_SYSCALL __kconfig __weak;
extern const void schedule __ksym __weak;

int bss1, data1 = 1;
const volatile int rodata1 = 11;
extern int bss2, data2;
extern const volatile int rodata2;
int bss_weak __weak, data_weak __weak = 10;
const volatile int rodata_weak __weak = 100;
int moves __weak;                                /* .bss here, .data there */
extern volatile const unsigned sign_extern;      /* int there */
volatile __u64 sign_weak __weak = 5;             /* long there */
static volatile char pad = 9;
long sum1;

static __noinline long all(void) {
  return bss1 + bss2 + data1 + data2 + rodata1 + rodata2 + bss_weak + data_weak + rodata_weak + moves;
}
SEC("raw_tp/sys_enter") int start1(void *context) { bss1 = 2000 + pad; bss_weak = 40000; return 0; }
SEC("raw_tp/sys_exit") int variables_of1(void *context) {
  sum1 = all();
  return sign_extern + sign_weak + (LINUX_KERNEL_VERSION >> 16 != 0) * 100 + CONFIG_BPF_SYSCALL * 1000 +
         ((long)&schedule < 0) * 10000;
}
END
compile variables2 <<'END'
char LICENSE[] SEC("license") = "GPL";
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF_SYSCALL __kconfig __weak;
extern int CONFIG_HZ __kconfig __weak;
extern const void schedule __ksym __weak;
extern const void no_kernel_symbol __ksym __weak;

static volatile short pad = 8;
int bss2, data2 = 2;
const volatile int rodata2 = 22;
extern int bss1, data1;
extern const volatile int rodata1;
int bss_weak __weak, data_weak __weak = 20;
const volatile int rodata_weak __weak = 200;
int moves = 7;
const volatile int sign_extern = 3;
volatile long sign_weak __weak = 6;
long sum2;

static __noinline long all(void) {
  return bss1 + bss2 + data1 + data2 + rodata1 + rodata2 + bss_weak + data_weak + rodata_weak + moves;
}
SEC("raw_tp/sys_enter") int start2(void *context) { bss2 = 500 + pad; return 0; }
SEC("raw_tp/sys_exit") int variables_of2(void *context) {
  sum2 = all();
  return (CONFIG_HZ >= 0) + CONFIG_BPF_SYSCALL * 10 + ((long)&schedule < 0) * 100 + !&no_kernel_symbol * 1000;
}
END
variables() {
  local name
  for name in sign_extern sign_weak; do
    [[ $warnings == *"warning: conflicting types of '$name'"* ]] || fail "no warning about $name: $warnings"
  done
  # 2009 + 508 + 1 + 2 + 11 + 22 + 40000 + 7, plus 110 times the number of the first file
  local sum=$((42560 + first * 110))
  run 'start1()=0' 'start2()=0' "variables_of1()=$((3 + 4 + first + 11100))" 'variables_of2()=1111' \
    "sum1=$sum" "sum2=$sum" bss1=2009 bss2=508 bss_weak=40000 "data_weak=$((first * 10))" \
    "rodata_weak=$((first * 100))" moves=7 sign_extern=3 "sign_weak=$((4 + first))"
  for name in bss_weak data_weak rodata_weak moves sign_weak schedule; do
    expect 1 eval "symbols | grep -c '^$name '"
  done
  expect 'OBJECT GLOBAL DEFAULT .data' eval 'symbol moves | cut -d" " -f1-4'
}
both_orders variables variables
