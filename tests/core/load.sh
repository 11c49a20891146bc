#!/bin/bash
# bpfcore load, with a qemu that says what a guest would: results, kernels that end early, hang or say
# nothing, the cache, logs, comparisons. tests/boot/newest-kernel.sh boots a kernel.
. "$(dirname "$0")/common.sh"

compile trace <<'EOS'
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

# A guest: `say` is what it prints, with functions for events (load.hpp says what they have): `event WORD JOB
# PROGRAM ERRNO LACKS_BTF SAID LOG`, and `job JOB WORD ...`, one of one program. The initramfs that it got stays in `packed`, the command in `command`.
mkdir bin
cat >bin/qemu-system-x86_64 <<END
#!/bin/bash
echo "\$*" >>"$PWD/command"
export LC_ALL=C
event() { printf '\n@ %s %d %d %d %d %d %d\n%s%s' "\$1" "\$2" "\${3:-0}" "\${4:-0}" "\${5:-0}" \${#6} \${#7} "\$6" "\$7"; }
job() { event begins "\$1" && event "\$2" "\$1" 0 "\${@:3}"; }
while ((\$#)); do
  if [[ \$1 == -initrd ]]; then packed=$PWD/packed.\$\$ && cp "\$2" "\$packed" && cp "\$packed" "$PWD/packed"; fi
  shift
done
. "$PWD/say"
END
chmod +x bin/qemu-system-x86_64
printf '#!/bin/sh\n# bpfcore-init with libbpf 9.8\n' >init
chmod +x init
export BPFCORE_INIT=$PWD/init PATH=$PWD/bin:$PATH
results() { jq -r ".programs[] | [.program, .status, .load.result, (.load.$1 // \"-\")] | join(\" \")" all.json; }

cat >say <<'END'
echo 'Linux version 6.1'
event opens 0
job 0 loads 0 0 '' 'processed 12 insns (limit 1000000) max_states_per_insn 0 total_states 3 peak_states 2 mark_read 1
verification time 77 usec'
job 1 refused 13 0 "libbpf: prog 'reads': BPF program load failed: Permission denied" '0: R1=ctx(off=0,imm=0) R10=fp0
0: (61) r0 = *(u32 *)(r1 +1000)
invalid bpf_context access off=1000 size=4
Verification failed: with advice
more of it
processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0'
job 2 loader 95 0 'libbpf: the first
and more'
job 3 together 22
event done 0
END
core 1 load trace.o vmlinuz-6.1.0 --table --json all.json --html all.html --log logs --set limit=0x01020304
cat >want.out <<'EOS'
1  vmlinuz-6.1.0  x86_64  libbpf 9.8

trace.o
            1
counts   + 12
reads     V 1
later       L
other       V

+ g load, with instructions processed   V refused by the verifier   L refused by libbpf before the kernel was asked   X fails, as check finds
1 of 4 programs load on vmlinuz-6.1.0; 1 only because another that is loaded with it fails; 1 refused by libbpf 9.8, not by a kernel
EOS
diff want.out core.out || fail 'table'
validates all.json "$schema" || fail 'the schema'
[[ $(<all.html) == *'refused by the verifier: invalid bpf_context access'* ]] || fail 'the page'
says 'error: refused by the verifier: invalid bpf_context access off=1000 size=4 in vmlinuz-6.1.0'
says 'return *(int *)(ctx + 1000)'
says 'error: refused by libbpf 9.8: the first in vmlinuz-6.1.0'
[[ $(results message) == 'counts resolves loads -
reads fails refused invalid bpf_context access off=1000 size=4
later fails loader the first
other fails together Invalid argument' ]] || fail "$(results message)"
[[ $(results peak_states) == *'counts resolves loads 2'* ]] || fail "$(results peak_states)"
[[ $(<logs/vmlinuz-6.1.0/trace.o/reads.log) == *'with advice'* ]] || fail 'no log'
# The guest's files: the object has the variable's value, and the plan names the programs.
grep -qaP '\x04\x03\x02\x01' packed || fail '--set does not reach the guest'
[[ $(tr '\0' ' ' <packed) == *'t120 l o/object.0 pcounts ralone preads ralone plater ralone pother ralone '* ]] || fail 'plan'

[[ $(<command) == *'console=ttyS0 earlyprintk=ttyS0 no_timer_check reboot=t panic=-1' ]] || fail "$(<command)"

# Against a report of before; a change of costs is no failure.
sed -i 's/job 0 loads 0/job 0 refused 7/; s/job 1 refused 13/job 1 loads 0/; s/processed 1 /processed 99 /' say
core 1 load trace.o vmlinuz-6.1.0 --against all.json
says 'error: trace.o: counts on vmlinuz-6.1.0: loads no longer'
says 'trace.o: reads on vmlinuz-6.1.0: loads now'
core 1 load trace.o vmlinuz-6.1.0 --json all.json
sed -i 's/processed 99 /processed 100 /' say
core 1 load trace.o vmlinuz-6.1.0 --against all.json
says 'trace.o: reads on vmlinuz-6.1.0: 100 instructions processed, 99 before'
core 2 load trace.o vmlinuz-6.1.0 --against trace.o
says 'error: trace.o: is not a report of bpfcore load'
core 2 load ./trace.o vmlinuz-6.1.0 --against all.json
says 'error: all.json: has none of these programs on these kernels, by the names as given'

# Whole objects; the second time nothing is booted but what took too long.
cat >say <<'END'
event opens 0
event begins 0
for program in 0 1 3; do events[program]=$(event loads 0 $program); done
echo "${events[0]} ${events[1]}"
event ended 0 2 0 0 'takes too long'
echo "${events[3]}"
event done 0
END
core 1 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7 --table
[[ $(<core.out) == *$'later    E\n'*'E crashed or took too long'* ]] || fail "$(<core.out)"
says 'error: not loaded: takes too long in vmlinuz-6.1.0'
[[ $(tr '\0' ' ' <packed) == *'t7 o/object.0 pcounts preads plater pother r '* ]] || fail 'plan of --whole'
rm command
core 1 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7
[[ -e command ]] || fail 'what takes too long is cached'
sed -i 's/event ended 0 2.*/event loads 0 2/' say
core 0 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7
rm command
core 0 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7
[[ ! -e command ]] || fail 'the cache is not used'
for options in '--set limit=6' '--memory 512' '--processors 3'; do
  core 0 load trace.o vmlinuz-6.1.0 --whole --cache cache --timeout 7 $options
  [[ -e command ]] || fail "the cache is used with $options"
  mv command command.last
done
[[ $(<command.last) == *' -m 2048 -smp 3 -sandbox on,'*' -no-user-config -nodefaults -nic none -monitor none '* ]] ||
  fail "$(<command.last)"

# An object that libbpf cannot open; disagreement with check.
cat >say <<'END'
event opens 0 0 22 0 'libbpf: no such thing'
event done 0
END
core 3 load trace.o vmlinuz-6.1.0
says 'error: refused by libbpf 9.8: no such thing in vmlinuz-6.1.0'
cat >say <<'END'
event opens 0
job 0 refused 22 0 '' "${WORDS}verification time 1 usec
insns processed 12+3
processed 15 insns (limit 1000000)"
for program in 1 2 3; do job $program loads; done
event done 0
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
# Programs that do not load by default are none of --whole.
compile by_request <<'EOS'
SEC("raw_tp") int always(void *ctx) { return 0; }
SEC("?raw_tp") int by_request(void *ctx) { return 0; }
EOS
echo 'event opens 0; job 0 loads; event done' >say
core 0 load by_request.o vmlinuz-6.1.0 --whole
compile newer <<'EOS'
SEC("raw_tp") int calls(void *ctx) { return ((long (*)(void))9999)(); }
EOS
cat >say <<'END'
event opens 0
job 0 loads
event done 0
END
core 1 load newer.o vmlinuz-6.1.0
says 'warning: newer.o: calls loads on vmlinuz-6.1.0, which check does not expect: please report it, with the object'

# A guest does not create the struct_ops map of another program.
compile ops <<'EOS'
struct absent_ops { int (*call)(void); };
SEC("struct_ops") int call(void *ctx) { return 0; }
SEC(".struct_ops") struct absent_ops absent = {.call = (void *)call};
SEC("raw_tp") int plain(void *ctx) { return 0; }
EOS
cat >say <<'END'
event opens 0
job 0 loader 3
job 1 loads
event done 0
END
core 1 load ops.o vmlinuz-6.1.0 --json all.json
[[ $(results disagrees) == $'call fails loader -\nplain resolves loads -' ]] || fail "$(results disagrees)"
says_not 'please report it'
[[ $(tr '\0' ' ' <packed) == *' pcall mabsent wcall ralone pplain ralone '* ]] || fail 'plan of struct_ops'

# Objects of all names have their own logs.
mkdir a
cp trace.o a/b.o
cp trace.o a_b.o
cat >say <<'END'
for ((n = 0; n < 2; ++n)); do
  event opens $n
  for program in 0 1 2 3; do job $((4 * n + program)) loads 0 0 '' "of $n"$'\n'; done
done
event done 0
END
core 0 load a/b.o a_b.o ./vmlinuz-6.1.0 --log logs
[[ $(cat logs/%2E%2Fvmlinuz-6.1.0/{a%2Fb.o,a_b.o}/reads.log) == $'of 0\nof 1' ]] || fail "$(find logs)"

# A kernel that panics goes on behind the program; one that hangs, or says nothing, is reported.
cat >say <<'END'
echo 'Linux version 6.1'
event opens 0
if grep -qa pcounts "$packed"; then
  event begins 0
  printf 'Kernel panic - not syncing: dead\nCPU: 0\n'
  exit
fi
for program in 0 1 2; do job $program loads; done
event done 0
END
core 1 load trace.o vmlinuz-6.1.0 vmlinuz-6.12.0 --jobs 2
says 'error: not loaded: the kernel ended early: Kernel panic - not syncing: dead in 2 of 2 kernels'
[[ $(<core.out) == '3 of 4 programs load on all 2 kernels' ]] || fail "$(<core.out)"
echo 'echo Linux version; echo stuck; exec sleep 100' >say
core 2 load trace.o vmlinuz-6.1.0 --timeout 1 --table
says 'error: vmlinuz-6.1.0: has no results after the time of --timeout: stuck'
[[ $(<core.out) == *'counts   ?'* ]] || fail "$(<core.out)"
echo 'event opens 0; job 0 loads; echo lost' >say # the next boot does not get further
core 2 load trace.o vmlinuz-6.1.0 --table
says 'error: vmlinuz-6.1.0: ended early: lost'
[[ $(marks) == 'counts+ reads? later? other? ' ]] || fail "$(<core.out)"
echo 'exit' >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended early, and wrote nothing: is its serial console built in?'
echo 'event done 0' >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended before its work'

# On a terminal, the time that the rest may take
if script -qec true /dev/null &>/dev/null; then
  echo 'event opens 0; job 0 loads; sleep 3; job 1 loads; event done 0' >say
  script -qec "'$BPFCORE' load trace.o vmlinuz-6.1.0" /dev/null >terminal || true
  [[ $(<terminal) == *'vmlinuz-6.1.0 boots: 0 of 4 programs'*'vmlinuz-6.1.0 trace.o: 2 of 4 programs, '[1-9]' s left'* ]] || fail "$(<terminal)"
fi

# Only what comes in its turn counts, and prolongs the time; texts are no events.
cat >say <<'END'
event loads 0
event opens 0
event loads 0
event begins 1
job 0 refused 13 0 $'\n@ loads 0 0 0 0 0 0\n' $'no\n@ begins 1 0 0 0 0 0\n\n@ loads 1 0 0 0 0 0\n'
job 1 loads
job 3 loads
printf '\n@ begins 2 0 0 0 0 999999999\n'
while true; do event begins 2; event opens 0; echo '@ x'; sleep 0.5; done
END
SECONDS=0
core 1 load trace.o vmlinuz-6.1.0 --timeout 1 --json all.json
((SECONDS < 30)) || fail "$SECONDS seconds"
[[ $(results message) == 'counts fails refused @ loads 1 0 0 0 0 0
reads resolves loads -
later fails ended the kernel has no more results after the time of --timeout: @ x
other fails refused @ loads 1 0 0 0 0 0' ]] || fail "$(results message)"

# A guest that ends after its first events is not booted again, whether with KVM or not.
rm command
echo 'event opens 0' >say
core 2 load trace.o vmlinuz-6.1.0
[[ $(wc -l <command) == 1 ]] || fail "$(<command)"
# A qemu without its sandbox
cat >say <<'END'
if [[ $(tail -n 1 "$PWD/command") == *-sandbox* ]]; then echo 'qemu: -sandbox on: sandbox is not supported' >&2 && exit 1; fi
event opens 0
for program in 0 1 2 3; do job $program loads; done
event done 0
END
sed -i "s|\$PWD|$PWD|" say
core 0 load trace.o vmlinuz-6.1.0
# A guest that says so, and what qemu says of itself
rm command
echo "echo 'qemu: -sandbox on: sandbox is not supported'; exit 1" >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended early: qemu: -sandbox on: sandbox is not supported'
! grep -qv -e '-sandbox on' command || fail "a guest without a sandbox: $(<command)"
echo "echo Linux version; echo 'qemu: no more memory' >&2" >say
core 2 load trace.o vmlinuz-6.1.0
says 'error: vmlinuz-6.1.0: ended early: qemu: no more memory'

# What the guest lacks is not known, and what the kernel refuses beside programs has a letter.
cat >say <<'END'
event opens 0
job 0 failed 12 0 "libbpf: map 'm': failed to create: -ENOMEM"
job 1 loader 2 0 'libbpf: failed to open system Kconfig'
job 2 failed 22 1 "libbpf: map 'm': failed to create: -EINVAL"
job 3 loads
event done 0
END
core 2 load trace.o vmlinuz-6.1.0 --table --json all.json --html all.html
marks | has 'counts? reads? ' || fail "$(<core.out)"
[[ $(<core.out) == *$'later    M\nother    +\n'* ]] || fail "$(<core.out)"
says "whether counts loads: map 'm': failed to create: -ENOMEM"
says 'the guest has 2048 MiB of memory: give it more with --memory'
[[ $(<core.out) == *'M its map or BTF refused by the kernel'* ]] || fail "$(<core.out)"
says "give the kernel's configuration with --config"
[[ $(jq -r '.kernels[0].libbpf, (.programs[].load | .without_btf // false)' all.json | xargs) == '9.8 false false true false' ]] ||
  fail "$(<all.json)"
validates all.json "$schema"
printf 'CONFIG_%s=y\n' BPF_SYSCALL BLK_DEV_INITRD SERIAL_8250_CONSOLE >config
core 2 load trace.o vmlinuz-6.1.0 --table --config config
[[ $(<core.out) == *$'reads    L\n'* ]] || fail "$(<core.out)"
sed -i 's/failed 12/loads/; s/failed 22/loads/; s/loader 2/loader 22/' say
core 3 load trace.o vmlinuz-6.1.0 --config config

# Results of an object are kept when it is done, and an interrupt shows what is known.
llvm-objcopy-19 --add-section .other=image.py trace.o second.o
cat >say <<'END'
event opens 0
for program in 0 1 2 3; do job $program loads; done
event opens 1
job 4 loads
touch started
exec sleep 100
END
rm -rf cache started
python3 - "$BPFCORE" load trace.o second.o vmlinuz-6.1.0 --cache cache --table >core.out 2>core.log <<'END' || fail "$(<core.log)"
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
child = subprocess.Popen(sys.argv[1:])
for _ in range(100):
    if os.path.exists("started"): break
    time.sleep(0.1)
child.send_signal(signal.SIGINT)
assert child.wait(20) == -signal.SIGINT, child.returncode
END
says 'error: vmlinuz-6.1.0: was interrupted'
[[ $(marks) == 'counts+ reads+ later+ other+ counts+ reads? later? other? ' ]] || fail "$(<core.out)"
[[ $(ls cache | wc -l) == 2 ]] || fail "$(ls cache)"

# A signal ends qemu, too.
echo "echo \$\$ >$PWD/pid; exec sleep 100" >say
"$BPFCORE" load trace.o vmlinuz-6.1.0 &>/dev/null &
for ((i = 0; i < 100; ++i)); do if [[ -s pid ]]; then break; fi; sleep 0.1; done
kill -TERM $!
wait $! || true
for ((i = 0; i < 50; ++i)); do if ! kill -0 "$(<pid)" 2>/dev/null; then break; fi; sleep 0.1; done
if kill -0 "$(<pid)" 2>/dev/null; then fail 'qemu is left'; fi

# A directory of objects, one of them broken, and kernels of which one does not boot
mkdir objects
cp trace.o plain.o objects
head -c 500 trace.o >objects/broken.o
cat >say <<'END'
event opens 0
for program in 0 1 2 3; do job $program loads; done
event done 0
END
core 2 load objects vmlinuz-6.1.0 one.btf --table --json all.json
[[ $(<core.out) == *'counts   + ?'* ]] || fail "$(<core.out)"
grep -A 1 -Fx objects/broken.o core.out | has -F '  ?  cannot be read' || fail "$(<core.out)"
says 'error: one.btf: load needs a vmlinuz of x86_64 or arm64'
[[ $(jq -r '.unread[]' all.json) == objects/broken.o ]] || fail "$(<all.json)"
validates all.json "$schema"
rm objects/broken.o
core 0 load objects vmlinuz-6.1.0
head -c 20000 vmlinux >truncated
core 2 load objects vmlinuz-6.1.0 --kernel truncated --table
: >objects/empty.o
core 2 load objects vmlinuz-6.1.0
says 'error: objects/empty.o: is empty'

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
[[ $("$BPFCORE" --version) == *'load uses libbpf 9.8' ]] || fail "$("$BPFCORE" --version)"
unset BPFCORE_INIT
cp "$BPFCORE" alone
[[ $(./alone --version) == *'load cannot run: there is no bpfcore-init' ]] || fail "$(./alone --version)"
BPFCORE=$PWD/alone core 2 load trace.o vmlinuz-6.1.0
says 'error: load needs the program bpfcore-init, which is not in '
