#!/bin/bash
# --dependency-file: make, ninja and CMake read the names of output and inputs alike. The file omits
# a name that they would read differently, and the link warns.
. "$(dirname "$0")/common.sh"

for program in make ninja cmake; do command -v $program >/dev/null || skip "$program is not installed"; done

compile a <<<'int shared = 1;'
compile b <<<'extern int shared; SEC("socket") int prog(struct __sk_buff *ctx) { return shared; }'
mkdir build
cd build
cp ../b.o .

names=()
commands=
targets=0

# read_by_make, read_by_ninja OUTPUT INPUT...: the tool reads these names from out.d
read_by_make() {
  local name
  make -pnq -f out.d 2>make.errors >database || true
  [[ ! -s make.errors ]] || fail "make: $(<make.errors)"
  grep -F -- "$1: " database | head -n 1 >got.make
  expect "$1: ${*:2}" cat got.make
  for name in "${@:2}"; do
    mv -- "$name" ../away
    make -n -f out.d >/dev/null || fail "make stops where '$name' is gone"
    mv -- ../away "$name"
  done
}
read_by_ninja() {
  local output=$1
  output=${output//'$'/'$$'}
  rm -f .ninja_deps .ninja_log
  printf 'rule link\n  command = cp out.d d && cp b.o "$$OUTPUT"\n  depfile = d\n  deps = gcc\nbuild %s: link\n' \
    "${output// /'$ '}" >build.ninja
  OUTPUT=$1 ninja >ninja.log || fail "ninja: $(<ninja.log)"
  expect "$(printf '    %s\n' "${@:2}")" sed -n '/^    /p' <(ninja -t deps)
}

# read_alike NAME: all tools read NAME, of an input or of an output
read_alike() {
  cp ../a.o "$1"
  "$BPFLINK" b.o "$1" -o out.o --dependency-file out.d 2>errors
  [[ ! -s errors ]] || fail "'$1': $(<errors)"
  read_by_make out.o b.o "$1"
  read_by_ninja out.o b.o "$1"
  cp out.d ../d$targets
  commands+="add_custom_command(OUTPUT out$targets.o COMMAND cp \${CMAKE_SOURCE_DIR}/d$targets d$targets
    COMMAND touch out$targets.o DEPFILE d$targets)
  add_custom_target(t$targets ALL DEPENDS out$targets.o)
"
  names[targets]=$1
  targets=$((targets + 1))
  rm -- "$1"
  "$BPFLINK" b.o ../a.o -o "$1" --dependency-file out.d
  read_by_make "$1" b.o ../a.o
  read_by_ninja "$1" b.o ../a.o
  rm -f -- "$1"
}
for name in 'a b.o' ' a.o' 'a#b.o' '#a.o' 'a$b.o' '$(a).o' 'a  #$.o' 'a+b,c.o' 'a~b!.o' '(a){b}.o' 'a[b]c.o' a@b.o é.o; do
  read_alike "$name"
done
cat >../CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(dependencies NONE)
$commands
END
mkdir ../cmake
cd ../cmake
cp ../b.o .
for ((i = 0; i < targets; i++)); do
  cp ../a.o "${names[i]}"
  sed -i "s/^out.o:/out$i.o:/" ../d$i
done
cmake -G 'Unix Makefiles' .. >/dev/null
make >log 2>&1 || fail "$(<log)"
make >log 2>&1 || fail "$(<log)"
for ((i = 0; i < targets; i++)); do
  expect "$(printf ' %s\n' "$PWD/b.o" "$PWD/${names[i]}" | sort)" \
    sort <(grep '^ ' CMakeFiles/t$i.dir/compiler_depend.internal)
done

# read_apart NAME: the tools would read NAME differently
read_apart() {
  cp ../a.o "$1"
  "$BPFLINK" b.o "$1" -o out.o --dependency-file out.d 2>errors
  expect "bpflink: warning: --dependency-file: make, ninja and CMake do not read '$1' alike: it is omitted" cat errors
  expect $'out.o: \\\n  b.o\n\nb.o:' cat out.d
  make -n -f out.d >/dev/null
  rm -- "$1"
  "$BPFLINK" b.o ../a.o -o "$1" --dependency-file out.d 2>errors
  expect "bpflink: warning: --dependency-file: make, ninja and CMake do not read '$1' alike: there is no rule for the output" cat errors
  [[ ! -s out.d ]] || fail "'$1': $(<out.d)"
  rm -- "$1"
}
cd ../build
for name in 'a=b.o' 'a:b.o' 'a;b.o' 'a|b.o' 'a\#b.o' 'a\b.o' 'a.o\' 'a.o ' 'a%b.o' '~a.o' 'a*.o' 'a?.o' "a'b.o" 'a"b.o' 'a&b.o' 'a<b.o' 'a`b.o' 'a^b.o'; do
  read_apart "$name"
done
cp ../a.o 'a=b.o'
status=0
rm -f out.o
"$BPFLINK" b.o 'a=b.o' -o out.o --dependency-file out.d --fatal-warnings 2>errors || status=$?
[[ $status == 1 && ! -e out.o ]] || fail 'a warning is not fatal'
