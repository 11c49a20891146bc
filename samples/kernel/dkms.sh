#!/bin/sh
# Gives the modules in the current directory and below BTF, after DKMS has built them for a kernel whose vmlinux is
# not on this machine. A file /etc/dkms/MODULE.conf has DKMS call it after `make`, because DKMS drops DWARF when that
# is over:
#
#   MAKE[0]="${MAKE[0]:-make -C $kernel_source_dir M=$PWD} && /usr/local/lib/dkms-btf $kernelver"
#
# The kernel's types are those of its image in /boot, unless it is the one that is running. A module without DWARF
# stays as it is.
set -u

base=/boot/vmlinuz-$1
if [ "$1" = "$(uname -r)" ]; then base=/sys/kernel/btf/vmlinux; fi
if [ ! -e "$base" ]; then
  echo "no types for the modules of $1: there is no $base"
  exit
fi
# Kernels before 6.11 take ids of .BTF for those of vmlinux, and do not look for .BTF.base.
distill=--distill
if [ "$(printf '%s\n' 6.11 "$1" | sort -V | head -n 1)" != 6.11 ]; then distill=''; fi
# shellcheck disable=SC2086 # no word, or one
find . -name '*.ko' -exec btfdedup --dwarf $distill --base "$base" --update {} \;
