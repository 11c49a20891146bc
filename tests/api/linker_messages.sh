#!/bin/bash
# The stand-in for libbpf's linker prints a message where libbpf only returns a number.
#
#   linker_messages.sh PROGRAM ARGUMENT...
set -euo pipefail

"$@" 2>&1 | grep -xF 'bpflink: error: packets-nobtf.o: extern without a type in BTF: tally'
