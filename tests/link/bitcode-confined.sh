#!/bin/bash
# Bitcode is an input like others: what is in it opens no file, runs no program of others, and takes no
# more time and memory than it may. bpflink-lto ends when the linker does.
. "$(dirname "$0")/common.sh"

lto=$(dirname "$BPFLINK")/bpflink-lto
# fails TEXT COMMAND...: the link fails with a message that ends so
fails() {
  if "${@:2}" 2>errors >printed; then fail "${*:2} links"; fi
  [[ $(head -n 1 errors) == *"$1" ]] || fail "says $(<errors), not $1"
}

bitcode main <<'END'
char LICENSE[] SEC("license") = "GPL";
int total;
SEC("xdp") int prog(struct xdp_md *ctx) { total += ctx->ingress_ifindex; return total; }
END
"$BPFLINK" main.bc -o out.o 2>errors || skip "$(<errors)"

# ---- files

# The output does not depend on whether the source is there, and has no line of it.
mv main.bpf.c away
"$BPFLINK" main.bc -o without.o
cmp out.o without.o || fail 'the source was read'
sed 's/total += /secret = /' away >main.bpf.c
"$BPFLINK" main.bc -o other.o
cmp out.o other.o || fail 'another source was read'
# Lines that are in the bitcode itself stay.
bitcode embedded -gdwarf-5 -gembed-source <away
rm embedded.bpf.c
"$BPFLINK" embedded.bc -o embedded.o
grep -qa 'total += ctx->ingress_ifindex' embedded.o || fail 'lines in the bitcode are lost'
# A source without an end
compile zero -flto -S -emit-llvm <away
sed 's#!DIFile([^)]*)#!DIFile(filename: "zero", directory: "/dev")#' zero.o >zero.ll
llvm-as-19 zero.ll -o zero.bc
timeout 60 "$BPFLINK" zero.bc -o zero.o

# Assembly
echo 'r0 = 42' >secret
bitcode incbin <<<'asm(".section .data.stolen,\"aw\"\n.incbin \"secret\"\n.text");
SEC("xdp") int prog(void *ctx) { return 1; }'
fails "incbin.bc: <inline asm>:2:9: Could not find incbin file 'secret': assembly in bitcode cannot read files" \
  "$BPFLINK" incbin.bc -o out.o
bitcode include <<<'SEC("xdp") int prog(void *ctx) { asm volatile(".include \"secret\""); return 1; }'
fails "Could not find include file 'secret': assembly in bitcode cannot read files" "$BPFLINK" include.bc -o out.o
# What assembly prints is no part of the answer.
bitcode print <<<'asm(".rept 2000\n.print \"0123456789\"\n.endr"); SEC("xdp") int prog(void *ctx) { return 1; }'
"$BPFLINK" print.bc -o out.o >printed || fail 'what assembly prints is taken for an answer'
[[ ! -s printed ]] || fail "prints $(head -c 100 printed)"

# ---- which program runs

# program FILE: a bpflink-lto that says so when it runs
program() {
  mkdir -p "$(dirname "$1")"
  printf '#!/bin/sh\n: >%q/ran\n' "$tmp" >"$1"
  chmod 755 "$1"
}
# runs yes|no COMMAND...: whether the command runs that program
runs() {
  local ran=no
  rm -f ran
  "${@:2}" >errors 2>&1 || true
  [[ ! -e ran ]] || ran=yes
  [[ $1 == "$ran" ]] || fail "${*:2} runs another program: $ran: $(<errors)"
}
umask 022
((EUID == 0)) || echo 'skipped without root: files, links and rights of another user'
mkdir -p prefix/bin
cp "$BPFLINK" prefix/bin
for place in prefix/bin/bpflink-lto prefix/libexec/bpflink/bpflink-lto; do
  program "$place"
  runs yes prefix/bin/bpflink main.bc -o out.o
  # Others may write to the program, its directory or one above.
  for part in "$place" "$(dirname "$place")" prefix; do
    mode=$(stat -c %a "$part")
    chmod o+w "$part"
    runs no prefix/bin/bpflink main.bc -o out.o
    grep -qE "^>>> .*/$place is not run because others may write to .*/$part; BPFLINK_LTO may name it" errors ||
      fail "says $(<errors)"
    # Those who may add to a sticky directory cannot replace a directory in it.
    chmod 1777 "$part"
    may=no
    [[ $part != prefix ]] || may=yes
    runs $may prefix/bin/bpflink main.bc -o out.o
    chmod "$mode" "$part"
  done
  BPFLINK_LTO=/bin/true runs no prefix/bin/bpflink main.bc -o out.o
  if [[ $(id -u) == 0 ]]; then
    directory=$(dirname "$place")
    chown 65534 "$directory"
    runs no prefix/bin/bpflink main.bc -o out.o
    chown 0:65534 "$directory"
    chmod 775 "$directory"
    runs no prefix/bin/bpflink main.bc -o out.o
    chown 0:0 "$directory"
    setfacl -m u:65534:rwx "$place"
    runs no prefix/bin/bpflink main.bc -o out.o
    setfacl -m u:65534:rwx,m::rx "$place"
    runs yes prefix/bin/bpflink main.bc -o out.o
    # Another user's link, to the program, or to its directory in one that is shared
    mv "$place" prefix/program
    ln -s "$tmp/prefix/program" "$place"
    runs yes prefix/bin/bpflink main.bc -o out.o
    chown -h 65534 "$place"
    runs no prefix/bin/bpflink main.bc -o out.o
    mv -f prefix/program "$place"
    mv "$directory" away.d
    ln -s "$tmp/away.d" "$directory"
    [[ $place == */bin/* ]] || runs yes prefix/bin/bpflink main.bc -o out.o
    chown -h 65534 "$directory"
    [[ $place == */bin/* ]] || runs no prefix/bin/bpflink main.bc -o out.o
    rm "$directory"
    mv away.d "$directory"
  fi
  rm "$place"
done
# Beside a link to the program is not beside the program.
mkdir links
ln -s ../prefix/bin/bpflink links/bpflink
program links/bpflink-lto
runs no links/bpflink main.bc -o out.o
# Nor is the working directory, where /proc does not tell which program runs.
program bpflink-lto
if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
  runs no unshare -m bash -c "mount -t tmpfs none /proc; '$BPFLINK' main.bc -o out.o"
fi
rm bpflink-lto

# ---- which library

find_llvm
if [[ $library ]]; then
  ln -s "$library" my.so
  "$BPFLINK" --lto-library my.so main.bc -o out.o || fail 'my.so is not looked for here'
fi
cat >library.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void run(void) { creat(RAN, 0600); }
END
mkdir libraries
cc -shared -fPIC "-DRAN=\"$tmp/ran\"" library.c -o libraries/libLLVM.so.60.1
for path in libraries "$tmp/libraries"; do
  LD_LIBRARY_PATH=$path runs no "$BPFLINK" main.bc -o out.o
done
(cd libraries && LD_LIBRARY_PATH=: "$BPFLINK" ../main.bc -o ../out.o)
[[ ! -e ran ]] || fail 'a library of the working directory runs'

# ---- time and memory

# Each function calls the one before it twice, and all are inlined.
inline='__attribute__((always_inline)) static int'
{
  echo "$inline f0(int x) { return x * 3 + 1; }"
  for i in {1..40}; do echo "$inline f$i(int x) { return f$((i - 1))(x + $i) ^ f$((i - 1))(x * $i); }"; done
  echo 'SEC("xdp") int prog(struct xdp_md *ctx) { return f40(ctx->data); }'
} >bomb.c
bitcode bomb -Xclang -disable-llvm-passes <bomb.c
fails 'bomb.bc: LLVM has not finished after 1 second of processor time: --lto-timeout allows more' \
  timeout 60 "$BPFLINK" --lto-timeout 1 bomb.bc -o out.o
fails 'bomb.bc: LLVM needs more than 300 MiB of memory: --lto-memory allows more' \
  timeout 60 "$BPFLINK" --lto-memory 300 bomb.bc -o out.o
fails 'main.bc: LLVM needs more than 1 MiB of memory: --lto-memory allows more' "$BPFLINK" --lto-memory 1 main.bc -o out.o
"$BPFLINK" --lto-memory 0 --lto-timeout 0 main.bc -o out.o
# A limit that is there already is not the option's.
(ulimit -S -t 1 && fails ' crashed: CPU time limit exceeded' timeout 60 "$BPFLINK" bomb.bc -o out.o)

# ---- the end

# is_left PID: whether the bpflink-lto with this number still runs
is_left() { [[ $(readlink "/proc/$1/exe" 2>/dev/null || true) == "$(realpath "$lto")" ]]; }
for signal in TERM KILL INT; do
  env --default-signal=INT "$BPFLINK" bomb.bc -o out.o 2>/dev/null &
  pid=$!
  for _ in {1..100}; do
    child=$(pgrep -P $pid -x bpflink-lto) && break
    sleep 0.05
  done
  [[ $child ]] || fail 'bpflink-lto has not started'
  kill "-$signal" $pid
  wait $pid 2>/dev/null || true
  for _ in {1..100}; do
    is_left "$child" || break
    sleep 0.05
  done
  if is_left "$child"; then
    kill -9 "$child"
    fail "bpflink-lto outlives a bpflink that SIG$signal ends"
  fi
done
