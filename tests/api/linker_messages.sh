#!/bin/bash
# What the stand-in for libbpf's linker says on standard error, where libbpf returns a number only.
#
#   linker_messages.sh PROGRAM ARGUMENT...
set -euo pipefail

"$@" 2>&1 | grep -xF 'bpflink: error: packets-nobtf.o: extern without a type in BTF: tally'
