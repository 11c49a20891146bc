/* A program for libbpf's linker: built once with libbpf and once with libbpflink-libbpf, it must
 * get the same results.
 *
 *   libbpf_linker_test DIRECTORY A.o B.o PLAIN.o
 *
 * A refers to B and B stands alone; PLAIN is A without BTF. linker_errors.sh has other errors. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static int failures;

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      failures++;                                                                       \
    }                                                                                   \
  } while (0)

static char path[4096];

static const char* in(const char* directory, const char* name) {
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static long size_of(const char* file) {
  struct stat info;

  return stat(file, &info) == 0 ? (long)info.st_size : -1;
}

static void links_two_objects(const char* directory, const char* a, const char* b) {
  DECLARE_LIBBPF_OPTS(bpf_linker_opts, opts);
  DECLARE_LIBBPF_OPTS(bpf_linker_file_opts, file_opts);
  struct bpf_linker* linker = bpf_linker__new(in(directory, "two.o"), &opts);
  struct bpf_object* object;

  CHECK(linker);
  CHECK(bpf_linker__add_file(linker, a, &file_opts) == 0);
  CHECK(bpf_linker__add_file(linker, b, NULL) == 0);
  CHECK(bpf_linker__finalize(linker) == 0);
  bpf_linker__free(linker);

  object = bpf_object__open_file(in(directory, "two.o"), NULL);
  CHECK(object);
  CHECK(object && bpf_object__find_program_by_name(object, "count_packet"));
  CHECK(object && bpf_object__find_map_by_name(object, "tallies"));
  bpf_object__close(object);
}

/* An extern without a definition is left for a later link. */
static void leaves_externs(const char* directory, const char* a) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "one.o"), NULL);

  CHECK(linker);
  CHECK(bpf_linker__add_file(linker, a, NULL) == 0);
  CHECK(bpf_linker__finalize(linker) == 0);
  bpf_linker__free(linker);
  CHECK(size_of(in(directory, "one.o")) > 0);
}

static void refuses_options(const char* directory) {
  struct {
    struct bpf_linker_opts known;
    long unknown;
  } opts = {{sizeof opts}, 0};
  struct bpf_linker* linker;

  linker = bpf_linker__new(in(directory, "opts.o"), &opts.known);
  CHECK(linker); /* longer, but unknown fields are 0 */
  bpf_linker__free(linker);
  opts.unknown = 1;
  errno = 0;
  CHECK(!bpf_linker__new(in(directory, "opts.o"), &opts.known));
  CHECK(errno == EINVAL);
  opts.known.sz = sizeof(size_t) - 1;
  errno = 0;
  CHECK(!bpf_linker__new(in(directory, "opts.o"), &opts.known));
  CHECK(errno == EINVAL);
}

/* An extern that BTF does not declare is an error: its type is unknown. */
static void refuses_untyped_externs(const char* directory, const char* plain) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "untyped.o"), NULL);

  CHECK(linker);
  errno = 0;
  CHECK(bpf_linker__add_file(linker, plain, NULL) == -EINVAL);
  CHECK(errno == EINVAL);
  bpf_linker__free(linker);
}

static int print_warning(enum libbpf_print_level level, const char* format, va_list arguments) {
  return level == LIBBPF_WARN ? vprintf(format, arguments) : 0;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  libbpf_set_print(print_warning);
  links_two_objects(argv[1], argv[2], argv[3]);
  leaves_externs(argv[1], argv[2]);
  refuses_options(argv[1]);
  refuses_untyped_externs(argv[1], argv[4]);
  bpf_linker__free(NULL);
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}
