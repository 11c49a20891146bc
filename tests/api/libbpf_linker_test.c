/* A program for libbpf's linker: built once with libbpf and once with libbpflink-libbpf, it must
 * get the same results.
 *
 *   libbpf_linker_test DIRECTORY A.o B.o PLAIN.o EISDIR|EINVAL
 *
 * A refers to B and B stands alone; PLAIN is A without BTF. The last argument is the error for an
 * input that is a directory. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  errno = 0;
  CHECK(bpf_linker__finalize(linker) == -EINVAL);
  CHECK(errno == EINVAL);
  errno = 0;
  CHECK(bpf_linker__add_file(linker, b, NULL) == -EINVAL);
  CHECK(errno == EINVAL);
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

static void refuses_targets(const char* directory) {
  errno = 0;
  CHECK(!bpf_linker__new(in(directory, "none/out.o"), NULL));
  CHECK(errno == ENOENT);
  errno = 0;
  CHECK(!bpf_linker__new(directory, NULL));
  CHECK(errno == EISDIR);
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

static void refuses_inputs(const char* directory, const char* b, int directory_errno) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "bad.o"), NULL);

  CHECK(linker);
  CHECK(bpf_linker__add_file(linker, b, NULL) == 0);
  errno = 0;
  CHECK(bpf_linker__add_file(linker, in(directory, "missing.o"), NULL) == -ENOENT);
  CHECK(errno == ENOENT);
  errno = 0;
  CHECK(bpf_linker__add_file(linker, directory, NULL) == -directory_errno);
  CHECK(errno == directory_errno);
  bpf_linker__free(linker);
}

static void refuses_duplicates(const char* directory, const char* b) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "twice.o"), NULL);

  CHECK(linker);
  CHECK(bpf_linker__add_file(linker, b, NULL) == 0);
  errno = 0;
  CHECK(bpf_linker__add_file(linker, b, NULL) == -EINVAL);
  CHECK(errno == EINVAL);
  bpf_linker__free(linker);
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
  if (argc != 6) return 2;
  libbpf_set_print(print_warning);
  links_two_objects(argv[1], argv[2], argv[3]);
  leaves_externs(argv[1], argv[2]);
  refuses_targets(argv[1]);
  refuses_options(argv[1]);
  refuses_inputs(argv[1], argv[3], strcmp(argv[5], "EISDIR") == 0 ? EISDIR : EINVAL);
  refuses_duplicates(argv[1], argv[3]);
  refuses_untyped_externs(argv[1], argv[4]);
  bpf_linker__free(NULL);
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}
