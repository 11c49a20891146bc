#!/bin/bash
# .kconfig externs of two files, one of them in both: libbpf gives each its value.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern int LINUX_KERNEL_VERSION __kconfig;
extern int CONFIG_NO_SUCH_OPTION __kconfig __weak;
SEC("socket") int a(void *ctx) { return (LINUX_KERNEL_VERSION >> 16) + CONFIG_NO_SUCH_OPTION; }
EOF
compile b <<'EOF'
extern int CONFIG_OTHER_ABSENT_OPTION __kconfig __weak;
extern int LINUX_KERNEL_VERSION __kconfig;
SEC("socket") int b(void *ctx) { return (LINUX_KERNEL_VERSION >> 8 & 255) + CONFIG_OTHER_ABSENT_OPTION; }
EOF
link a.o b.o
IFS=. read -r major minor _ < <(uname -r)
run "a()=$major" "b()=${minor%%[!0-9]*}"
