// The peer in benchmarks: deduplicates the BTF of raw files or objects with libbpf's btf__dedup()
// and writes the result as a raw file. Usage: libbpf_dedup OUT IN..., or, for modules, each split
// from BASE and deduplicated alone: libbpf_dedup --base BASE OUT IN... (OUT gets the last).
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

/// Returns one input as it is, several appended to each other; prints why and returns null on
/// failure.
static struct btf* read_all(char** paths, int count) {
  struct btf* all = NULL;
  for (int i = 0; i < count; i++) {
    struct btf* btf = btf__parse(paths[i], NULL);
    if (!btf) {
      perror(paths[i]);
      return NULL;
    }
    if (count == 1) return btf;
    if (!all) all = btf__new_empty();
    int id = all ? btf__add_btf(all, btf) : -1;
    btf__free(btf);
    if (id < 0) {
      fprintf(stderr, "%s: cannot be added\n", paths[i]);
      return NULL;
    }
  }
  return all;
}

/// Deduplicates, writes to `path` and frees. Returns the exit status.
static int dedup(struct btf* btf, const char* path) {
  if (!btf) return 1;
  int error = btf__dedup(btf, NULL);
  if (error) {
    fprintf(stderr, "btf__dedup: %s\n", strerror(-error));
    return 1;
  }
  __u32 size = 0;
  const void* data = btf__raw_data(btf, &size);
  FILE* out = fopen(path, "wb");
  if (!out || fwrite(data, 1, size, out) != size || fclose(out)) {
    perror(path);
    return 1;
  }
  btf__free(btf);
  return 0;
}

int main(int argc, char** argv) {
  const int has_base = argc > 2 && !strcmp(argv[1], "--base");
  if (argc < (has_base ? 5 : 3)) {
    fprintf(stderr, "usage: libbpf_dedup [--base BASE] OUT IN...\n");
    return 2;
  }
  if (!has_base) return dedup(read_all(argv + 2, argc - 2), argv[1]);
  struct btf* base = btf__parse(argv[2], NULL);
  int status = base ? 0 : 1;
  for (int i = 4; i < argc && !status; i++)
    status = dedup(btf__parse_split(argv[i], base), argv[3]);
  return status;
}
