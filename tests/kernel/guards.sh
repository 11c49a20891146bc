#!/bin/bash
# Code that the reachability analysis calls unreachable, the verifier does not reach: random programs
# load with invalid instructions there. See guards.cpp.
. "$(dirname "$0")/common.sh"

status=0
"${BPF_GUARDS:?the program that asks the verifier}" "${GUARDS:-1000}" || status=$?
exit "$status"
