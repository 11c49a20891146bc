// The peer in benchmarks: deduplicates a raw BTF file with libbpf's
// btf__dedup() and writes the result. Usage: libbpf_dedup IN OUT
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: libbpf_dedup IN OUT\n");
    return 2;
  }
  struct btf* btf = btf__parse_raw(argv[1]);
  if (!btf) {
    perror(argv[1]);
    return 1;
  }
  int error = btf__dedup(btf, NULL);
  if (error) {
    fprintf(stderr, "%s: btf__dedup: %s\n", argv[1], strerror(-error));
    return 1;
  }
  __u32 size = 0;
  const void* data = btf__raw_data(btf, &size);
  FILE* out = fopen(argv[2], "wb");
  if (!out || fwrite(data, 1, size, out) != size || fclose(out)) {
    perror(argv[2]);
    return 1;
  }
  btf__free(btf);
  return 0;
}
