/* Functions of libbpf's linker since version 1.6, and improvements of ours, declared by our own
 * header as for a program without libbpf.
 *
 *   libbpf_newer_test DIRECTORY A.o B.o BIG.o
 *
 * A refers to B, which stands alone; BIG is big-endian. */
#include <bpflink/bpf_linker.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char path[4096];

static const char* in(const char* directory, const char* name) {
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

struct bytes {
  void* data;
  size_t size;
};

static struct bytes read_whole(const char* file) {
  struct bytes bytes = {NULL, 0};
  struct stat info;
  int fd = open(file, O_RDONLY);

  if (fd < 0 || fstat(fd, &info) != 0) return bytes;
  bytes.data = malloc(info.st_size + 1);
  if (bytes.data && read(fd, bytes.data, info.st_size) == info.st_size) bytes.size = info.st_size;
  close(fd);
  return bytes;
}

static void links_by_file(const char* directory, const char* a, const char* b) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "by-file.o"), NULL);

  CHECK(bpf_linker__add_file(linker, a, NULL) == 0);
  CHECK(bpf_linker__add_file(linker, b, NULL) == 0);
  CHECK(bpf_linker__finalize(linker) == 0);
  bpf_linker__free(linker);
}

/* Descriptors may be closed and buffers overwritten before the link. */
static void links_by_descriptor(const char* directory, const char* a, const char* b) {
  struct bpf_linker_opts opts = {sizeof opts};
  struct bpf_linker_file_opts file_opts = {sizeof file_opts};
  struct bytes buffer = read_whole(b), expected, got;
  int out = open(in(directory, "by-fd.o"), O_RDWR | O_CREAT | O_TRUNC, 0644);
  int input = open(a, O_RDONLY);
  struct bpf_linker* linker = bpf_linker__new_fd(out, &opts);

  CHECK(linker);
  CHECK(bpf_linker__add_fd(linker, input, &file_opts) == 0);
  CHECK(bpf_linker__add_buf(linker, buffer.data, buffer.size, &file_opts) == 0);
  close(input);
  memset(buffer.data, 0xff, buffer.size);
  CHECK(bpf_linker__finalize(linker) == 0);
  bpf_linker__free(linker);
  CHECK(fcntl(out, F_GETFD) >= 0); /* still the caller's */
  close(out);

  expected = read_whole(in(directory, "by-file.o"));
  got = read_whole(in(directory, "by-fd.o"));
  CHECK(got.size > 0);
  CHECK(got.size == expected.size && memcmp(got.data, expected.data, got.size) == 0);
  free(buffer.data);
  free(expected.data);
  free(got.data);
}

static void refuses_arguments(const char* directory) {
  struct bpf_linker* linker;
  char text[] = "no object";

  errno = 0;
  CHECK(!bpf_linker__new(NULL, NULL) && errno == EINVAL);
  errno = 0;
  CHECK(!bpf_linker__new("", NULL) && errno == ENOENT);
  errno = 0;
  CHECK(!bpf_linker__new_fd(-1, NULL) && errno == EINVAL);
  linker = bpf_linker__new(in(directory, "bad.o"), NULL);
  bpflink_libbpf_set_messages(linker, NULL, NULL);
  errno = 0;
  CHECK(bpf_linker__add_fd(linker, -1, NULL) == -EINVAL && errno == EINVAL);
  errno = 0;
  CHECK(bpf_linker__add_fd(linker, 9999, NULL) == -EBADF && errno == EBADF);
  errno = 0;
  CHECK(bpf_linker__add_buf(linker, text, sizeof text, NULL) == -EINVAL && errno == EINVAL);
  CHECK(bpf_linker__add_buf(linker, NULL, 0, NULL) == -EINVAL);
  CHECK(bpf_linker__finalize(NULL) == -EINVAL);
  errno = 0;
  CHECK(bpf_linker__finalize(linker) == -EINVAL && errno == EINVAL); /* no inputs */
  bpf_linker__free(linker);
}

/* Appends a line to the text in `context`, without its start and the directories of files. */
static void collect(void* context, const char* line) {
  const char start[] = "bpflink: error: ";
  char* text = context;
  const char* slash;
  size_t length = strlen(text);

  if (strncmp(line, start, strlen(start)) == 0) line += strlen(start);
  slash = strrchr(line, '/');
  if (slash && strncmp(line, ">>> defined at ", 15) == 0)
    snprintf(text + length, 1000 - length, ">>> defined at %s\n", slash + 1);
  else
    snprintf(text + length, 1000 - length, "%s\n", slash ? slash + 1 : line);
}

static const char* name_of(const char* file) {
  const char* slash = strrchr(file, '/');

  return slash ? slash + 1 : file;
}

/* An input's error is reported when it is added. */
static void tells_what_is_wrong(const char* directory, const char* big_endian, const char* a) {
  struct bpf_linker* linker = bpf_linker__new(in(directory, "told.o"), NULL);
  char text[1000] = "", want[1000], junk[] = "no object";

  bpflink_libbpf_set_messages(linker, collect, text);
  CHECK(bpf_linker__add_file(linker, in(directory, "absent.o"), NULL) == -ENOENT);
  CHECK(bpf_linker__add_buf(linker, junk, strlen(junk), NULL) == -EINVAL);
  CHECK(bpf_linker__add_file(linker, a, NULL) == 0);
  CHECK(bpf_linker__add_file(linker, big_endian, NULL) == -EOPNOTSUPP);
  bpf_linker__free(linker);
  snprintf(want, sizeof want,
           "absent.o: No such file or directory\n"
           "buffer 1: is not a BPF object but: text file (compile it first)\n"
           "%s: has another byte order than earlier inputs\n",
           name_of(big_endian));
  CHECK(strcmp(text, want) == 0);
}

/* A failed link leaves no output, and the callback gets the reason. */
static void failed_link_leaves_nothing(const char* directory, const char* b) {
  struct bpf_linker* linker;
  struct stat info;
  char text[1000] = "", want[1000];

  unlink(in(directory, "failed.o"));
  linker = bpf_linker__new(in(directory, "failed.o"), NULL);
  bpflink_libbpf_set_messages(linker, collect, text);
  CHECK(bpf_linker__add_file(linker, b, NULL) == 0);
  CHECK(bpf_linker__add_file(linker, b, NULL) == -EINVAL);
  snprintf(want, sizeof want, "duplicate symbol: tally\n>>> defined at %s\n>>> defined at %s\n",
           name_of(b), name_of(b));
  CHECK(strstr(text, want));
  bpf_linker__free(linker);
  CHECK(stat(in(directory, "failed.o"), &info) != 0 && errno == ENOENT);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  links_by_file(argv[1], argv[2], argv[3]);
  links_by_descriptor(argv[1], argv[2], argv[3]);
  refuses_arguments(argv[1]);
  tells_what_is_wrong(argv[1], argv[4], argv[2]);
  failed_link_leaves_nothing(argv[1], argv[3]);
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}
