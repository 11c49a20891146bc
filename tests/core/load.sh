#!/bin/bash
# bpfcore load, with a qemu that says what a guest would: results, kernels that end early, hang or say
# nothing, the cache, logs, comparisons. tests/boot/newest-kernel.sh boots a kernel.
. "$(dirname "$0")/common.sh"

compile trace <<'EOS'
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
const volatile int limit = 5;
SEC("raw_tp") int counts(void *ctx) { return limit; }
SEC("raw_tp") int reads(char *ctx) {
  return *(int *)(ctx + 1000);
}
SEC("raw_tp") int later(void *ctx) { return 0; }
SEC("raw_tp") int other(void *ctx) { return 0; }
EOS
kernel one <<<'void init(void) {}'
cat >image.py <<'END'
import gzip, struct, sys
elf, release, out = sys.argv[1:]
payload = gzip.compress(open(elf, "rb").read())
image = bytearray(5 * 512)
image[0x1f1] = 4
image[0x1fe:0x206] = b"\x55\xaa\0\0HdrS"
struct.pack_into("<HxxxxxxH", image, 0x206, 0x20f, 0x300)
struct.pack_into("<II", image, 0x248, 0, len(payload))
image[0x500:0x500 + len(release) + 1] = release.encode() + b" "
open(out, "wb").write(image + payload)
END
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o plain.o
llvm-objcopy-19 --add-section=.BTF=one.btf plain.o vmlinux
for release in 6.1.0 6.12.0; do python3 image.py vmlinux $release vmlinuz-$release; done

# A guest: `say` is what it prints. The initramfs that it got stays in `packed`, the command in `command`.
mkdir bin
cat >bin/qemu-system-x86_64 <<END
#!/bin/bash
echo "\$*" >>"$PWD/command"
while ((\$#)); do
  if [[ \$1 == -initrd ]]; then packed=$PWD/packed.\$\$ && cp "\$2" "\$packed" && cp "\$packed" "$PWD/packed"; fi
  shift
done
. "$PWD/say"
END
chmod +x bin/qemu-system-x86_64
printf '#!/bin/sh\n' >init
export BPFCORE_INIT=$PWD/init PATH=$PWD/bin:$PATH
results() { jq -r ".programs[] | [.program, .status, .load.result, (.load.$1 // \"-\")] | join(\" \")" all.json; }

cat >say <<'END'
echo 'Linux version 6.1'
cat <<'LINES'
@ kernel 6.1.0
@ object 0 /object.0
@ begins counts
@ result loads 0 0 counts
@ log processed 12 insns (limit 1000000) max_states_per_insn 0 total_states 3 peak_states 2 mark_read 1
@ log verification time 77 usec
@ begins reads
@ result refused 13 0 reads
@ said libbpf: prog 'reads': BPF program load failed: Permission denied
@ log 0: R1=ctx(off=0,imm=0) R10=fp0
@ log 0: (61) r0 = *(u32 *)(r1 +1000)
@ log invalid bpf_context access off=1000 size=4
@ log Verification failed: with advice
@ log more of it
@ log processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
@ begins later
@ result failed 95 1 later
@ said libbpf: the first
@ said and more
@ begins other
@ result together 22 0 other
@ done
LINES
END
core 1 load trace.o vmlinuz-6.1.0 --table --json all.json --html all.html --log logs --set limit=0x01020304
cat >want.out <<'EOS'
1  vmlinuz-6.1.0  x86_64

trace.o
            1
counts   + 12
reads     V 1
later       V
other       V

+ g load, with instructions processed   V refused   X fails, as check finds   ? not run
1 of 4 programs load on vmlinuz-6.1.0; 1 only because another that is loaded with it fails
EOS
diff want.out core.out || fail 'table'
validates all.json || fail 'the schema'
[[ $(<all.html) == *'refused by the verifier: invalid bpf_context access'* ]] || fail 'the page'
says 'error: refused by the verifier: invalid bpf_context access off=1000 size=4 in vmlinuz-6.1.0'
says 'return *(int *)(ctx + 1000)'
says 'error: not loaded: the first in vmlinuz-6.1.0'
[[ $(results message) == 'counts resolves loads -
reads fails refused invalid bpf_context access off=1000 size=4
later fails failed the first
other fails together Invalid argument' ]] || fail "$(results message)"
[[ $(results peak_states) == *'counts resolves loads 2'* ]] || fail "$(results peak_states)"
[[ $(<logs/vmlinuz-6.1.0/trace.o/reads.log) == *'with advice'* ]] || fail 'no log'
# The guest's files: the object has the variable's value, and the plan names the programs.
grep -qaP '\x04\x03\x02\x01' packed || fail '--set does not reach the guest'
[[ $(tr '\0' ' ' <packed) == *'t120 l o/object.0 pcounts ralone preads ralone plater ralone pother ralone '* ]] || fail 'plan'

[[ $(<command) == *'console=ttyS0 earlyprintk=ttyS0 no_timer_check reboot=t panic=-1' ]] || fail "$(<command)"

# Against a report of before; a change of costs is no failure.
sed -i 's/@ result loads 0 0 counts/@ result refused 7 0 counts/; s/@ result refused 13 0 reads/@ result loads 0 0 reads/; s/processed 1 /processed 99 /' say
core 1 load trace.o vmlinuz-6.1.0 --against all.json
says 'error: trace.o: counts on vmlinuz-6.1.0: loads no longer'
says 'trace.o: reads on vmlinuz-6.1.0: loads now'
core 1 load trace.o vmlinuz-6.1.0 --json all.json
sed -i 's/processed 99 /processed 100 /' say
core 1 load trace.o vmlinuz-6.1.0 --against all.json
says 'trace.o: reads on vmlinuz-6.1.0: 100 instructions processed, 99 before'
core 2 load trace.o vmlinuz-6.1.0 --against trace.o
says 'error: trace.o: is no report of bpfcore load'
core 2 load ./trace.o vmlinuz-6.1.0 --against all.json
says 'error: all.json: has none of these programs on these kernels, by the names as given'

# Whole objects; a program that takes too long; the second time nothing is booted.
sed -i 's/@ begins later/@ begins counts/; s/@ result failed 95 1 later/@ result ended 0 0 later/; s/@ said libbpf: the first/@ said takes too long/' say
core 1 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7
says 'error: not loaded: takes too long in vmlinuz-6.1.0'
[[ $(tr '\0' ' ' <packed) == *'t7 o/object.0 pcounts preads plater pother r '* ]] || fail 'plan of --whole'
rm command
core 1 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7
says 'error: not loaded: takes too long in vmlinuz-6.1.0'
[[ ! -e command ]] || fail 'the cache is not used'
core 1 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7 --set limit=6
[[ -e command ]] || fail 'the cache is used for another object'

# An object that libbpf cannot open; disagreement with check.
cat >say <<'END'
printf '@ object 22 /object.0\n@ said libbpf: no such thing\n@ done\n'
END
core 1 load trace.o vmlinuz-6.1.0
says 'error: not loaded: no such thing in vmlinuz-6.1.0'
cat >say <<'END'
printf '@ object 0 /object.0\n@ begins counts\n@ result refused 22 0 counts\n@ log %sverification time 1 usec\n' "$WORDS"
printf '@ log insns processed 12+3\n@ log processed 15 insns (limit 1000000)\n'
for program in reads later other; do printf '@ begins %s\n@ result loads 0 0 %s\n' $program $program; done
echo '@ done'
END
while IFS=: read -r WORDS disagrees; do
  export WORDS
  core 1 load trace.o vmlinuz-6.1.0 --json all.json
  [[ $(results disagrees) == "counts fails refused $disagrees"* ]] || fail "$WORDS: $(results disagrees)"
  if [[ $disagrees == true ]]; then says 'check should have found this: please report it, with the object'; fi
done <<'END'
unknown func bpf_x#999:true
invalid func bpf_x#999:true
cannot use helper bpf_x:true
sleepable helper call in non-sleepable program:true
calling kernel function x is not allowed:true
invalid kfunc call:true
invalid CO-RE relocation:true
failed to find kernel BTF type ID of 'x':true
kernel function not found in kernel BTF:true
extern (func ksym) 'x', func_proto [1] incompatible with kernel [2]:-
extern 'x' is not resolved:true
BPF_CALL uses reserved fields:true
BPF_ST uses reserved fields:true
BPF_STX uses reserved fields:true
BPF_LDX uses reserved fields:true
BPF_ATOMIC uses invalid atomic opcode:true
BPF_MOV uses reserved fields:true
BPF_END uses reserved fields:true
unknown opcode ee:true
invalid atomic operand size:true
JMP uses reserved fields:true
only some programs can be sleepable:true
unrecognized program type:true
BPF_ALU uses reserved fields:-
BPF_JA|BPF_X uses reserved fields:-
BPF_JMP uses reserved fields:-
BPF_EXIT uses reserved fields:-
unknown opcode in subprog region 1:-
R1 invalid mem access 'scalar':-
END
compile newer <<'EOS'
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
SEC("raw_tp") int calls(void *ctx) { return ((long (*)(void))9999)(); }
EOS
cat >say <<'END'
printf '@ object 0 /object.0\n@ begins calls\n@ result loads 0 0 calls\n@ done\n'
END
core 1 load newer.o vmlinuz-6.1.0
says 'warning: newer.o: calls loads on vmlinuz-6.1.0, which check does not expect: please report it, with the object'

# A guest does not create the struct_ops map of another program.
compile ops <<'EOS'
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
struct absent_ops { int (*call)(void); };
SEC("struct_ops") int call(void *ctx) { return 0; }
SEC(".struct_ops") struct absent_ops absent = {.call = (void *)call};
SEC("raw_tp") int plain(void *ctx) { return 0; }
EOS
cat >say <<'END'
printf '@ object 0 /object.0\n@ begins call\n@ result failed 3 0 call\n@ begins plain\n@ result loads 0 0 plain\n@ done\n'
END
core 1 load ops.o vmlinuz-6.1.0 --json all.json
[[ $(results disagrees) == $'call fails failed -\nplain resolves loads -' ]] || fail "$(results disagrees)"
says_not 'please report it'
[[ $(tr '\0' ' ' <packed) == *' pcall mabsent wcall ralone pplain ralone '* ]] || fail 'plan of struct_ops'

# Objects of all names have their own logs.
mkdir a
cp trace.o a/b.o
cp trace.o a_b.o
cat >say <<'END'
for ((n = 0; n < 2; ++n)); do
  echo "@ object 0 /object.$n"
  for program in counts reads later other; do
    printf '@ begins %s\n@ result loads 0 0 %s\n@ log of %s\n' $program $program $n
  done
done
echo '@ done'
END
core 0 load a/b.o a_b.o ./vmlinuz-6.1.0 --log logs
[[ $(cat logs/%2E%2Fvmlinuz-6.1.0/{a%2Fb.o,a_b.o}/reads.log) == $'of 0\nof 1' ]] || fail "$(find logs)"

# A kernel that panics goes on behind the program; one that hangs, or says nothing, is reported.
cat >say <<'END'
echo 'Linux version 6.1'
if grep -qa pcounts "$packed"; then
  printf '@ object 0 /object.0\n@ begins counts\nKernel panic - not syncing: dead\nCPU: 0\n'
  exit
fi
printf '@ object 0 /object.0\n'
for program in reads later other; do printf '@ begins %s\n@ result loads 0 0 %s\n' $program $program; done
echo '@ done'
END
core 1 load trace.o vmlinuz-6.1.0 vmlinuz-6.12.0 --jobs 2
says 'error: not loaded: the kernel ended early: Kernel panic - not syncing: dead in 2 of 2 kernels'
[[ $(<core.out) == '3 of 4 programs load on all 2 kernels' ]] || fail "$(<core.out)"
echo 'echo Linux version; echo stuck; exec sleep 100' >say
core 2 load trace.o vmlinuz-6.1.0 --timeout 1 --table
says 'error: vmlinuz-6.1.0: has no more results after the time of --timeout: stuck'
says 'error: 1 of 1 kernel did not load all programs'
[[ $(<core.out) == *'counts   ?'* ]] || fail "$(<core.out)"
echo 'printf "Linux version\n@ object 0 /object.0\n@ begins counts\n"' >say # also in the next boot
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended early'
echo 'exit' >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended early, without a word: is its serial console built in?'
echo 'echo "@ done"' >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended before its work'
echo 'printf "@ module /a.ko: Exec format error\n@ done\n"' >say
core 2 load trace.o vmlinuz-6.1.0
says 'warning: vmlinuz-6.1.0: module /a.ko: Exec format error'

# On a terminal, the time that the rest may take
if script -qec true /dev/null &>/dev/null; then
  echo 'sleep 2; echo "@ done"' >say
  script -qec "'$BPFCORE' load trace.o $(printf 'vmlinuz-6.1.0 %.0s' 1 2 3)" /dev/null >terminal || true
  [[ $(<terminal) == *'1 of 3 kernels, '[2-9]' s left'* ]] || fail "$(<terminal)"
fi

# A signal ends qemu, too.
echo "echo \$\$ >$PWD/pid; exec sleep 100" >say
"$BPFCORE" load trace.o vmlinuz-6.1.0 &>/dev/null &
for ((i = 0; i < 100; ++i)); do if [[ -s pid ]]; then break; fi; sleep 0.1; done
kill -TERM $!
wait $! || true
for ((i = 0; i < 50; ++i)); do if ! kill -0 "$(<pid)" 2>/dev/null; then break; fi; sleep 0.1; done
if kill -0 "$(<pid)" 2>/dev/null; then fail 'qemu is left'; fi

# What cannot be run
core 2 load trace.o one.btf
says 'error: one.btf: load needs a vmlinuz of x86_64 or arm64'
echo CONFIG_BPF=y >config
core 2 load trace.o vmlinuz-6.1.0 --config config
says 'error: vmlinuz-6.1.0: cannot load programs: CONFIG_BPF_SYSCALL is not set'
touch no-directory
core 2 load trace.o vmlinuz-6.1.0 --cache no-directory/cache
says 'error: no-directory/cache: Not a directory'
core 2 load trace.o vmlinuz-6.1.0 --btf absent
says 'error: absent: cannot open: No such file or directory'
rm bin/qemu-system-x86_64
PATH=$PWD/bin core 2 load trace.o vmlinuz-6.1.0
says 'error: cannot run qemu-system-x86_64'
says "Debian's packages are qemu-system-x86 and qemu-system-arm"
unset BPFCORE_INIT
cp "$BPFCORE" alone
BPFCORE=$PWD/alone core 2 load trace.o vmlinuz-6.1.0
says 'error: load needs the program bpfcore-init, which is not in '
