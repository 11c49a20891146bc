// The peer in benchmarks: links objects with libbpf's linker and does nothing else.
// Usage: libbpf_link OUT IN...
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: libbpf_link OUT IN...\n");
    return 2;
  }
  struct bpf_linker* linker = bpf_linker__new(argv[1], NULL);
  if (!linker) {
    perror(argv[1]);
    return 1;
  }
  for (int i = 2; i < argc; i++) {
    int error = bpf_linker__add_file(linker, argv[i], NULL);
    if (error) {
      fprintf(stderr, "%s: %s\n", argv[i], strerror(-error));
      return 1;
    }
  }
  int error = bpf_linker__finalize(linker);
  if (error) {
    fprintf(stderr, "%s: %s\n", argv[1], strerror(-error));
    return 1;
  }
  bpf_linker__free(linker);
  return 0;
}
