#!/bin/bash
# The skeleton generator, built from the installed copy by itself.
. "$(dirname "$0")/common.sh"
cd make && make >log && cd ..

cmake -S ../skeleton -B skeleton -DCMAKE_PREFIX_PATH="$PREFIX" >log
cmake --build skeleton >log
skeleton/bpfskel make/main.bpf.o make/lib/librecord.a >main.skel.h
contains main.skel.h 'struct main_bpf__rodata {'
contains main.skel.h 'struct bpf_map *sizes;'

skeleton/bpfskel --name filter make/main.bpf.o make/record.bpf.o >filter.skel.h
cat >user.c <<'EOF'
int main(void) {
  struct filter *skel = filter__open();
  int largest = skel ? skel->rodata->largest_class : 0;
  filter__destroy(skel);
  return largest == 4 ? 0 : 1;
}
EOF
"$CC" -Wall -Werror -include linux/types.h -include ./filter.skel.h user.c -o user -lbpf
./user
