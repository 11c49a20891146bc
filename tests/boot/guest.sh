# For /init in a guest of boot.sh to source.

# begin: mounts what programs need, and keeps the kernel's messages from between the results
begin() {
  mount -t proc proc /proc
  mount -t sysfs sys /sys
  mount -t devtmpfs dev /dev 2>/dev/null
  mount -t tmpfs tmp /tmp
  mount -t bpf bpf /sys/fs/bpf
  mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
  mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null
  ip link set lo up
  echo 1 >/proc/sys/kernel/printk
  uname -r | result kernel
}

# result NAME: passes its input to the host, a line for each
result() { sed "s|^|@ $1 |"; }

end() {
  echo 'the guest is done'
  reboot -f
}
