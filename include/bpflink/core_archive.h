/* Finds the running kernel's BTF in an archive that `bpfcore minimize --archive` has written.
 *
 *   char path[BPFCORE_PATH_SIZE];
 *   int fd = bpfcore_open("programs.btfs", "trace.bpf.o", path);
 *   LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = fd < 0 ? NULL : path);
 *   ... open and load the object ...
 *   close(fd);
 *
 * This file is complete, for C and C++ on Linux: there is nothing to link with.
 *
 * The format, with little-endian numbers: a header; the entries, each for a program and a kernel;
 * strings, "" at offset 0; BTF, at multiples of 8. */
#ifndef BPFLINK_CORE_ARCHIVE_H
#define BPFLINK_CORE_ARCHIVE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/** What an archive begins with. */
#define BPFCORE_ARCHIVE_MAGIC "BPFCORE1"
/** Bytes for the path that bpfcore_open() writes. */
#define BPFCORE_PATH_SIZE 32

/** The beginning of an archive. */
struct bpfcore_archive_header {
  char magic[8];         /**< BPFCORE_ARCHIVE_MAGIC without its NUL */
  uint32_t entries;      /**< how many */
  uint32_t strings_size; /**< bytes */
};

/** The BTF for a program and a kernel. */
struct bpfcore_archive_entry {
  uint32_t program;      /**< string: the object's name, "" for all programs */
  uint32_t release;      /**< string: as uname -r shows it, "" if unknown */
  uint32_t architecture; /**< string: "x86_64", "arm64", "" if unknown */
  uint32_t build_id;     /**< string: in hexadecimal, "" if unknown */
  uint64_t offset;       /**< of the BTF, bytes into the archive */
  uint64_t size;         /**< of the BTF, bytes */
};

/** @cond */
#ifdef O_CLOEXEC
#define BPFCORE_CLOEXEC_ O_CLOEXEC
#else
#define BPFCORE_CLOEXEC_ 0
#endif
#ifndef __cplusplus
long syscall(long number, ...); /* which <unistd.h> has only beside C's own names */
#endif

/* A little-endian number of `size` bytes. */
static inline uint64_t bpfcore_load_(const char* at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | (unsigned char)at[i - 1];
  return value;
}
/** @endcond */

/** @cond */
/* The running kernel's build id in hexadecimal, or "". */
static inline void bpfcore_build_id_(char text[129]) {
  unsigned char notes[4096];
  ssize_t count = -1;
  int fd = open("/sys/kernel/notes", O_RDONLY | BPFCORE_CLOEXEC_);
  text[0] = '\0';
  if (fd >= 0) {
    count = read(fd, notes, sizeof notes);
    close(fd);
  }
  for (ssize_t at = 0; at + 12 <= count;) {
    uint32_t sizes[3]; /* of the name, of the contents; the type */
    memcpy(sizes, notes + at, sizeof sizes);
    size_t name = ((size_t)sizes[0] + 3) & ~(size_t)3,
           contents = ((size_t)sizes[1] + 3) & ~(size_t)3;
    if (name > sizeof notes || contents > sizeof notes || at + 12 + name + contents > (size_t)count)
      return;
    if (sizes[2] == 3 && sizes[0] == 4 && !memcmp(notes + at + 12, "GNU", 4) && sizes[1] <= 64) {
      for (uint32_t i = 0; i < sizes[1]; ++i)
        snprintf(text + 2 * i, 3, "%02x", notes[at + 12 + name + i]);
      return;
    }
    at += (ssize_t)(12 + name + contents);
  }
}

/* The archive's name for a machine, as uname() shows it. */
static inline const char* bpfcore_architecture_(const char* machine) {
  static const char* const names[][2] = {{"aarch64", "arm64"},   {"i686", "x86"},
                                         {"i586", "x86"},        {"riscv64", "riscv"},
                                         {"ppc64le", "powerpc"}, {"ppc64", "powerpc"},
                                         {"s390x", "s390"},      {"mips64", "mips"},
                                         {"armv7l", "arm"},      {"loongarch64", "loongarch"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(machine, names[i][0]) == 0) return names[i][1];
  return machine;
}
/** @endcond */

/** Finds the BTF for `program` and the running kernel: by its build id, or else by release and
 * architecture. `archive` has `size` bytes. Returns 0 and sets `btf` and `btf_size`; or a negative
 * errno: -EINVAL, it is no such archive; -ENOENT, it has none for this kernel. */
static inline int bpfcore_find(const void* archive, size_t size, const char* program,
                               const void** btf, size_t* btf_size) {
  const char* bytes = (const char*)archive;
  struct utsname kernel;
  char build_id[129];
  int by_release = -ENOENT;
  const size_t entry_size = sizeof(struct bpfcore_archive_entry);
  if (size < sizeof(struct bpfcore_archive_header) ||
      memcmp(bytes, BPFCORE_ARCHIVE_MAGIC, 8) != 0 || uname(&kernel) != 0)
    return -EINVAL;
  uint64_t entries =
      bpfcore_load_(bytes + offsetof(struct bpfcore_archive_header, entries), sizeof(uint32_t));
  uint64_t strings_size = bpfcore_load_(
      bytes + offsetof(struct bpfcore_archive_header, strings_size), sizeof(uint32_t));
  uint64_t strings_at = sizeof(struct bpfcore_archive_header) + entries * entry_size;
  if (strings_size == 0 || strings_at + strings_size > size ||
      bytes[strings_at + strings_size - 1] != '\0')
    return -EINVAL;
  const char* architecture = bpfcore_architecture_(kernel.machine);
  bpfcore_build_id_(build_id);
  for (uint64_t i = 0; i < entries; ++i) {
    const char* entry = bytes + sizeof(struct bpfcore_archive_header) + i * entry_size;
    uint64_t names[4];
    for (int n = 0; n < 4; ++n) names[n] = bpfcore_load_(entry + 4 * n, sizeof(uint32_t));
    uint64_t offset =
        bpfcore_load_(entry + offsetof(struct bpfcore_archive_entry, offset), sizeof(uint64_t));
    uint64_t length =
        bpfcore_load_(entry + offsetof(struct bpfcore_archive_entry, size), sizeof(uint64_t));
    for (int n = 0; n < 4; ++n)
      if (names[n] >= strings_size) return -EINVAL;
    if (offset > size || length > size - offset) return -EINVAL;
    const char* strings = bytes + strings_at;
    if (names[0] != 0 && (!program || strcmp(strings + names[0], program) != 0)) continue;
    int same_build = names[3] != 0 && strcmp(strings + names[3], build_id) == 0;
    int same_release = names[1] != 0 && strcmp(strings + names[1], kernel.release) == 0 &&
                       (names[2] == 0 || strcmp(strings + names[2], architecture) == 0) &&
                       (names[3] == 0 || build_id[0] == '\0');
    if (!same_build && !same_release) continue;
    *btf = bytes + offset;
    *btf_size = (size_t)length;
    if (same_build) return 0;
    by_release = 0;
  }
  return by_release;
}

/** Copies the BTF for `program` and the running kernel out of the archive at `path` into a file in
 * memory, and writes a path to it to `btf_path`, for btf_custom_path; the path is valid as long as
 * the descriptor is open. Returns the descriptor, which the caller closes; or a negative errno:
 * those of bpfcore_find(), of open() and of memfd_create(). */
static inline int bpfcore_open(const char* path, const char* program,
                               char btf_path[BPFCORE_PATH_SIZE]) {
  struct stat status;
  size_t size = 0;
  int result, copy = -1;
  int fd = open(path, O_RDONLY | BPFCORE_CLOEXEC_);
  if (fd < 0) return -errno;
  if (fstat(fd, &status) != 0 || status.st_size <= 0) {
    close(fd);
    return -EINVAL;
  }
  /* NOLINTNEXTLINE(modernize-use-nullptr): before C23, C has none */
  void* archive = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  result = archive == MAP_FAILED ? -errno : 0;
  close(fd);
  if (result != 0) return result;
  const void* btf = archive;
  result = bpfcore_find(archive, (size_t)status.st_size, program, &btf, &size);
  if (result == 0) {
    copy = (int)syscall(SYS_memfd_create, "btf", 1u /* close on exec */);
    if (copy < 0) result = -errno;
  }
  for (size_t done = 0; result == 0 && done < size;) {
    ssize_t count = write(copy, (const char*)btf + done, size - done);
    if (count < 0 && errno != EINTR) result = -errno;
    if (count > 0) done += (size_t)count;
  }
  munmap(archive, (size_t)status.st_size);
  if (result != 0) {
    if (copy >= 0) close(copy);
    return result;
  }
  snprintf(btf_path, BPFCORE_PATH_SIZE, "/proc/self/fd/%d", copy);
  return copy;
}

#endif
