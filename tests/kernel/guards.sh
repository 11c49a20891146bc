#!/bin/bash
# What the analysis of reachability calls unreached, the verifier does not reach: random programs
# with poisoned instructions there load. See guards.cpp.
. "$(dirname "$0")/common.sh"

status=0
"${BPF_GUARDS:?the program that asks the verifier}" "${GUARDS:-1000}" || status=$?
exit "$status"
