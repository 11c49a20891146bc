// Gives each blob of BTF to the kernel, and prints a line for each: its name, a tab, and `taken` or
// the error with the last line of the kernel's log.
//
// Usage: load_btf BLOB...
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char blob[17 << 20], said[16 << 20];

// The bytes of a file that fits, or 0
static size_t read_blob(const char* path) {
  FILE* file = fopen(path, "rb");
  size_t size = file ? fread(blob, 1, sizeof(blob), file) : 0;
  if (file) fclose(file);
  return size;
}

static int load(size_t size, int has_log) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof(attributes));
  attributes.btf = (uintptr_t)blob;
  attributes.btf_size = size;
  if (has_log) {
    said[0] = '\0';
    attributes.btf_log_buf = (uintptr_t)said;
    attributes.btf_log_size = sizeof(said);
    attributes.btf_log_level = 1;
  }
  int fd = syscall(SYS_bpf, BPF_BTF_LOAD, &attributes, sizeof(attributes));
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

static const char* last_line(void) {
  const char* last = "";
  for (char* line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) last = line;
  return last;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    size_t size = read_blob(argv[i]);
    if (!size) return fprintf(stderr, "%s: cannot be read\n", argv[i]), 1;
    // Without a log first: a kernel fails if it does not fit.
    int error = load(size, 0);
    if (error) load(size, 1);
    if (error)
      printf("%s\t%s: %s\n", argv[i], strerror(error), last_line());
    else
      printf("%s\ttaken\n", argv[i]);
  }
  return 0;
}
