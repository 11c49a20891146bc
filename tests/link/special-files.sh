#!/bin/bash
# Files that nobody has named on the command line are regular ones, or they are not read: members of
# thin archives, what -l finds, what a hint looks into. A FIFO would hang, /proc/self/pagemap seems to
# be empty and has 256 GB.
. "$(dirname "$0")/common.sh"

compile a <<<'extern int absent; SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len + absent; }'
compile member <<<'int other(int x) { return x; }'
# The limits stop a program that reads on.
fails() { # COMMAND...
  local status=0
  (ulimit -v 2000000 && timeout 20 "$@") 2>errors || status=$?
  [[ $status == 1 ]] || fail "$*: exit status $status: $(<errors)"
}

pagemap=/proc/self/pagemap
llvm-ar-19 rcT thin.a member.o
mkfifo fifo
for special in fifo /dev/zero /proc/kcore $pagemap; do
  [[ -e $special ]] || continue
  ln -sf "$special" member.o
  fails "$BPFLINK" --whole-archive thin.a a.o -o out.o
  if [[ $special == $pagemap ]]; then expect_error 'thin.a: '; else expect_error 'thin.a(member.o): '; fi
  fails "$BPFLINK" --whole-archive thin.a a.o -o out.o --reproduce out.tar
  fails "$BTFDEDUP" thin.a -o out.btf
  ln -sf "$special" libspecial.a
  fails "$BPFLINK" a.o -L . -lspecial -o out.o
  fails "$BPFLINK" a.o -L . -lspecial -o out.o --reproduce out.tar
  fails "$BPFLINK" a.o -L . -o out.o # looks into it for a hint
  expect_error "undefined symbol: absent"
done
cp a.o other.o
llvm-ar-19 rc copied.a other.o
ln -sf $pagemap other.o
fails "$BPFLINK" a.o copied.a -o out.o
expect_error "undefined symbol: absent"

# A file that the kernel generates with a size cannot always be mapped. The size may be that of memory.
if strace -qq -e trace=none true 2>/dev/null; then
  truncate -s 2G large.o
  fails strace -f -qq -o /dev/null -P "$PWD/large.o" -e trace=mmap -e inject=mmap:error=ENODEV "$BPFLINK" large.o -o out.o
  expect_error 'large.o: cannot be mapped, and is too large to be read'
fi

# A library that cannot be looked at is not passed over for another one.
if ((EUID == 0)); then
  another_user "$BPFLINK"
  mkdir first second
  llvm-ar-19 rc first/libx.a a.o
  cp first/libx.a second
  chmod 700 first
  fails "${as_user[@]}" "$programs/${BPFLINK##*/}" a.o -L first -L second -lx -o /dev/null
  expect_error 'first/libx.a: cannot open: Permission denied'
fi
