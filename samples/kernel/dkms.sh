#!/bin/sh
# Gives the modules in the current directory and below BTF, after DKMS has built them for a kernel whose vmlinux is
# not on this machine. The end of MAKE[0] in dkms.conf calls it, because DKMS drops DWARF when that is over:
#
#   MAKE[0]="make -C $kernel_source_dir M=$PWD modules && /usr/local/lib/dkms-btf $kernelver"
#
# A module without DWARF stays as it is, and so do all if another kernel is running.
set -u

if [ "$1" != "$(uname -r)" ] || [ ! -e /sys/kernel/btf/vmlinux ]; then
  echo "no types for the modules of $1: they are made of those of the running kernel"
  exit
fi
find . -name '*.ko' -exec btfdedup --dwarf --distill --base /sys/kernel/btf/vmlinux --update {} \;
