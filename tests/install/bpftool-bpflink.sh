#!/bin/bash
# bpftool-bpflink takes bpftool's command line: it passes `gen object` to bpflink, `gen skeleton` and
# `gen subskeleton` to bpfskel if that is installed, and the rest to the real bpftool. A make variable
# switches two projects to it.
. "$(dirname "$0")/common.sh"
needs clang-19 bpftool make

# ---- Which program gets which command: stand-ins for the three print their arguments.

mkdir -p "$tmp/stand_in/bin" "$tmp/real"
cp "$PREFIX/bin/bpftool-bpflink" "$tmp/stand_in/bin"
stand_in() { # PATH
  printf '#!/bin/sh\nprintf "%s"; for a; do printf " [%%s]" "$a"; done; echo\n' "${1##*/}" >"$1"
  chmod +x "$1"
}
stand_in "$tmp/stand_in/bin/bpflink"
stand_in "$tmp/real/bpftool"
# says WANTED ARGUMENT...: bpftool-bpflink prints WANTED
says() {
  local got
  got=$(PATH=$tmp/real:$PATH "$tmp/stand_in/bin/bpftool-bpflink" "${@:2}")
  [[ $got == "$1" ]] || fail "bpftool-bpflink ${*:2}: '$got', not '$1'"
}
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o] [b b.o]' gen object out.o a.o 'b b.o'
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o]' g o out.o a.o
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o] [-v]' -d gen obj out.o a.o
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o] [-v]' gen obj out.o --de a.o
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o]' -B vmlinux -Lf gen object --base-btf vmlinux out.o --base=vmlinux a.o
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [./-o] [./@a.o]' gen object -- -o @a.o
says 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o] [--json-diagnostics]' -jp gen object out.o a.o
says 'bpftool [prog] [show]' prog show
says 'bpftool [-j] [gen] [skeleton] [a.o] [name] [x y]' -j gen skeleton a.o name 'x y'
says 'bpftool [gen] [subskeleton] [a.o]' gen subskeleton a.o
says 'bpftool [btf] [dump] [file] [gen] [format] [c]' btf dump file gen format c
says 'bpftool [--new-option] [gen] [object] [out.o] [a.o]' --new-option gen object out.o a.o
says 'bpftool [--version] [gen] [object]' --version gen object
says 'bpftool [-V]' -V
says 'bpftool'
stand_in "$tmp/stand_in/bin/bpfskel"
says 'bpfskel [--name] [x] [a.o]' gen skeleton a.o name x
says 'bpfskel [a.o]' -d g s a.o
says 'bpfskel [--subskeleton] [a.o]' gen subskeleton a.o
says 'bpfskel [--subskeleton] [--name] [x] [a.o]' gen sub a.o n x
says 'bpftool [-L] [gen] [skeleton] [a.o]' -L gen skeleton a.o
BPFLINK_BPFTOOL=$tmp/stand_in/bin/bpfskel says 'bpfskel [map] [list]' map list

# Installed as `bpftool`, as a link or a copy, it finds the other bpftool, or reports that there is
# none.
mkdir "$tmp/first"
ln -s "$PREFIX/bin/bpftool-bpflink" "$tmp/first/bpftool"
[[ $(PATH=$tmp/first:$tmp/real:$PATH bpftool map) == 'bpftool [map]' ]] || fail 'a link does not find bpftool'
cp --remove-destination "$PREFIX/bin/bpftool-bpflink" "$tmp/first/bpftool"
[[ $(PATH=$tmp/first:$tmp/real:$PATH bpftool map) == 'bpftool [map]' ]] || fail 'a copy does not find bpftool'
if BPFLINK_BPFTOOL=$tmp/none bpftool-bpflink map 2>log; then fail 'a bpftool that is not there'; fi

# A copy elsewhere calls the installed programs, or those in the directory that a variable names; none
# where everybody may put one, nor of a build in a folder above.
copy=$tmp/tree/linker/programs/bpftool
mkdir -p "$copy" "$tmp/tree/build/bin"
cp "$PREFIX/bin/bpftool-bpflink" "$copy"
of_copy() { # WANTED
  [[ $("$copy/bpftool-bpflink" gen object out.o a.o 2>&1) == "$1" ]] || fail "not of a copy: $1"
}
stand_in "$tmp/tree/build/bin/bpflink"
installed=$(sed -n "s/.*; then programs='\(.*\)'; fi/\1/p" "$copy/bpftool-bpflink")
absent="bpftool-bpflink: error: no bpflink in $copy, nor in $installed: install it, or name its directory with BPFLINK_PROGRAMS"
if [[ ! -e $installed/bpflink ]]; then of_copy "$absent"; fi
BPFLINK_PROGRAMS=$tmp/tree/build/bin of_copy 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o]'
stand_in "$copy/bpflink"
of_copy 'bpflink [-r] [--warn-unresolved-symbols] [-o] [out.o] [a.o]'
chmod 1777 "$copy"
if [[ ! -e $installed/bpflink ]]; then of_copy "$absent"; fi
if [[ $("$BUILD/bin/bpftool-bpflink" gen object 2>&1) != "bpftool-bpflink: error: 'gen object' needs"* ]]; then
  fail 'the build folder has no bpftool-bpflink'
fi

# ---- The real programs

cat >main.bpf.c <<'END'
extern int elsewhere;
int count(void) { return elsewhere; }
END
clang-19 -g -O2 --target=bpf -c main.bpf.c -o main.o
bpftool-bpflink gen object part.o main.o 2>log
contains log 'main.bpf.c:2:26: warning: undefined symbol: elsewhere'
contains log '>>> loaders refuse the object unless a later link defines it'
readelf -sW part.o >symbols
grep -q 'NOTYPE  *GLOBAL .* UND elsewhere' symbols || fail "an undefined extern does not stay: $(<symbols)"
bpftool-bpflink btf dump file part.o >log
contains log "FUNC 'count'"
if bpftool-bpflink gen object none.o main.o main.o 2>log; then fail 'two definitions are not an error'; fi
contains log 'error: duplicate symbol: count'
if bpftool-bpflink -j gen object none.o main.o main.o >log 2>errors; then fail 'two definitions are not an error'; fi
contains log '{"error":'
contains errors '"code":"duplicate-symbol"'
if bpftool-bpflink gen object none.o 2>log; then fail 'no input is not an error'; fi
contains log "bpftool-bpflink: error: 'gen object' needs an output and at least one input"

# ---- Projects

cp -r "$repository/tests/install/projects" "$tmp/projects"

# by_bpflink OBJECT: bpflink linked it: local symbols come first, unlike in libbpf's output
by_bpflink() {
  readelf -sW "$1" >symbols 2>errors
  if [[ -s errors ]] || ! grep -q FUNC symbols; then fail "$1 is not bpflink's: $(<errors)"; fi
}

# A bpftool that the project builds, and an installed one
cd "$tmp/projects/bootstrap"
for name in bpftool-bpflink "$(command -v bpftool-bpflink)"; do
  make clean
  make BPFTOOL="$name" >log 2>&1 || fail "make BPFTOOL=$name: $(<log)"
  for application in minimal counter; do
    by_bpflink .output/$application.bpf.o
    ./$application || fail "$application: exit status $?"
  done
done
if grep -q BPFTOOL log; then fail "bpftool is made, though it is there: $(<log)"; fi

cd "$tmp/projects/agent"
make -j2 BPFTOOL=bpftool-bpflink >log 2>&1 || fail "agent: $(tail log)"
objects=(bpf/objs/*.o)
((${#objects[@]} == 200)) || fail "${#objects[@]} objects, not 200"
for object in "${objects[@]}"; do by_bpflink "$object"; done
./agent || fail "agent: exit status $?"
[[ -s agent.light.skel.h ]] || fail 'no light skeleton'
