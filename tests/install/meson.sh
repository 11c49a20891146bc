#!/bin/bash
# The Meson sample by the installed pkg-config file: builds, has nothing to do
# then, and rebuilds what depends on a changed header.
. "$(dirname "$0")/common.sh"
needs meson ninja
cd meson

meson setup build >log
ninja -C build >log
is_filter build/filter.o
[[ $(build/check) == 'program filter of section socket, classes up to 4' ]] || fail 'no skeleton'
build/report build/filter.o >report
contains report 'socket_filter program filter'
ninja -C build >log
contains log 'no work to do'
age
touch ../program/record.h
ninja -C build >log
contains log 'Generating filter.o'
