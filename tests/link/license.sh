#!/bin/bash
# The output has the license once if all files agree, and so for the version section.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
int _version SEC("version") = 7;
SEC("socket") int a(void *ctx) { return 1; }
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
int _version SEC("version") = 7;
SEC("socket") int b(void *ctx) { return 2; }
EOF
compile c <<<'char _license[] SEC("license") = "GPL"; SEC("socket") int c(void *ctx) { return 3; }'

link a.o b.o c.o
expect '47 50 4c 00' bytes license
expect '07 00 00 00' bytes version
expect 'LICENSE 0 4' datasec license
expect '_version 0 4' datasec version
expect 'OBJECT GLOBAL DEFAULT license 0 4' symbol LICENSE
