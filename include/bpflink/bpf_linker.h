/* The functions of libbpf's linker, as libbpflink-libbpf has them, for programs
 * that are built without libbpf's headers. With them, include <bpf/libbpf.h> and
 * not this file; the library fits both.
 *
 * What differs from libbpf: the output comes into being when the link succeeds,
 * not when the linker is made; what a link of all inputs finds (two strong
 * definitions aside) is an error of bpf_linker__finalize(), where libbpf refuses
 * the second of the inputs; a link of no inputs is an error; an output that cannot
 * be written is EIO; objects without BTF, if they have no externs, and objects of
 * the byte order that is not the host's are linked. */
#ifndef BPFLINK_BPF_LINKER_H
#define BPFLINK_BPF_LINKER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports what follows. */
#pragma GCC visibility push(default)

/** Links BPF objects. One thread at a time may use it. */
struct bpf_linker;

/** Options of a linker: none but the size of the struct. */
struct bpf_linker_opts {
  size_t sz; /**< sizeof(struct bpf_linker_opts) */
};

/** Options of an input: none but the size of the struct. */
struct bpf_linker_file_opts {
  size_t sz; /**< sizeof(struct bpf_linker_file_opts) */
};

/* The functions return 0, or a negative errno that errno is set to as well.
 * -EINVAL stands for arguments, options or inputs that are not valid, and for
 * calls after bpf_linker__finalize(); -EOPNOTSUPP for ELF files of another
 * machine, type or byte order than the link's. */

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are libbpf's */

/** Makes a linker whose output will be the file `filename`. Null on failure,
 * with errno set: EINVAL, ENOMEM, or why the file cannot be written. */
struct bpf_linker* bpf_linker__new(const char* filename, struct bpf_linker_opts* opts);

/** Makes a linker that writes to the file open as `fd`, which stays the caller's
 * and must stay open. Null on failure, with errno set. */
struct bpf_linker* bpf_linker__new_fd(int fd, struct bpf_linker_opts* opts);

/** Adds the object file `filename`. It has been read when this returns. */
int bpf_linker__add_file(struct bpf_linker* linker, const char* filename,
                         const struct bpf_linker_file_opts* opts);

/** Adds the object in the file open as `fd`, which stays the caller's. It has
 * been read when this returns. */
int bpf_linker__add_fd(struct bpf_linker* linker, int fd, const struct bpf_linker_file_opts* opts);

/** Adds the object in `buf_sz` bytes at `buf`, which are copied. */
int bpf_linker__add_buf(struct bpf_linker* linker, void* buf, size_t buf_sz,
                        const struct bpf_linker_file_opts* opts);

/** Links and writes the output, once. Externs that no input defines stay. */
int bpf_linker__finalize(struct bpf_linker* linker);

/** Frees a linker; null is allowed. */
void bpf_linker__free(struct bpf_linker* linker);

/* NOLINTEND(bugprone-reserved-identifier) */

/** Takes one line of a message, without a line break. */
typedef void (*bpflink_libbpf_message_fn)(void* context, const char* line);

/** An addition to libbpf's: sends the messages of `linker` to `on_message`; null
 * silences them. Without this call they go where libbpf's go in a program that has
 * libbpf, which libbpf_set_print() decides, and otherwise to stderr. */
void bpflink_libbpf_set_messages(struct bpf_linker* linker, bpflink_libbpf_message_fn on_message,
                                 void* context);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
