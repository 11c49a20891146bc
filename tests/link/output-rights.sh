#!/bin/bash
# An output that replaces a file gives nobody a right that he had not, and takes none: the access
# control list, the mode and the SELinux label stay, also where the directory has a list for new files.
# Set-id bits are not for other contents.
. "$(dirname "$0")/common.sh"

export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer fails under strace
compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
touch probe
setfacl -m u:65534:r probe 2>/dev/null || skip "there are no access control lists here, or no setfacl"

# rights FILE: without its name, and without comments
rights() { getfacl -cpE "$1" | sed '/^$/d'; }

# keeps FILE: linked again, it has the same rights
keeps() {
  local before
  before=$(rights "$1")
  "$BPFLINK" a.o -o "$1"
  expect "$before" rights "$1"
}

# The mask is shown as the rights of the group.
mkdir dir
touch dir/{plain,list,narrow,long}
chmod 640 dir/plain
chmod 600 dir/{list,narrow,long}
setfacl -m u:65534:r dir/list
setfacl -m u:65534:rw,g:65534:---,o::r dir/narrow
setfacl -m "$(seq -f 'u:%.0f:r' -s , 70000 70100)" dir/long
for default in '' 'd:u:65534:rwx,d:g::rwx,d:o::rwx'; do
  [[ ! $default ]] || setfacl -m "$default" dir
  for file in plain list narrow long; do keeps dir/$file; done
done
[[ $(rights dir/list) == *'group::---'*'mask::r--'* ]] || fail "$(rights dir/list)"

# No list, or no group, can be set: nobody gets more.
if strace -qq -e trace=none true 2>/dev/null; then
  # narrowed MODE INJECTION FILE: the output at FILE has only that mode
  narrowed() {
    cp --preserve=all "$3" copy
    strace -f -qq -o /dev/null -e trace=fsetxattr,fchown -e "inject=$2" "$BPFLINK" a.o -o copy
    expect "$1" stat -c %a copy
    [[ $(rights copy) != *65534* ]] || fail "$(rights copy)"
  }
  narrowed 600 fsetxattr:error=EOPNOTSUPP dir/list
  narrowed 600 fsetxattr:error=EOPNOTSUPP dir/narrow
  narrowed 600 fchown:error=EPERM dir/list
  chmod 660 dir/plain
  narrowed 600 fchown:error=EPERM dir/plain
  chmod 664 dir/plain
  narrowed 644 fchown:error=EPERM dir/plain
fi

chmod 6755 dir/plain
"$BPFLINK" a.o -o dir/plain
expect 755 stat -c %a dir/plain

# Never readable for others, not even empty.
chmod 600 dir/plain
if strace -qq -e trace=none true 2>/dev/null; then
  strace -f -qq -o trace -e trace=openat "$BPFLINK" a.o -o dir/plain
  [[ -z $(grep -E 'O_TMPFILE|O_EXCL' trace | grep -v ', 0600)') ]] || fail "$(<trace)"
fi

touch labelled
if setfattr -n security.selinux -v system_u:object_r:etc_t:s0 labelled 2>/dev/null; then
  "$BPFLINK" a.o -o labelled
  expect system_u:object_r:etc_t:s0 getfattr --only-values -n security.selinux labelled
fi
