/* libbpflink for C: link BPF objects, look into them, read and deduplicate BTF.
 *
 * Handles are opaque. One thread at a time may use a handle; handles that share nothing are
 * independent of each other. No function throws, prints or exits.
 *
 * Results. A function that can fail returns an enum bpflink_status. Where its last parameter is
 * `char** error` and that is not null, `*error` gets the reason as text, which the caller frees
 * with bpflink_free(), or null. On failure, handles, text and images that a call would give are
 * null, and other outputs unchanged.
 *
 * Absent. A name that is absent is "", an id or a number 0, a pointer null. A look-up that finds
 * nothing returns BPFLINK_ERROR_NOT_FOUND.
 *
 * Growth. Structs grow at their end from version to version; no function or member is removed. A
 * program needs the version of the library that it was compiled with, or a later one, whose structs
 * may be longer: an array has their distance.
 *
 * Ownership. What a function named ..._new, ..._open or ..._parse makes is freed by the ..._free of
 * its handle, which allows null. Strings in descriptions belong to the handle that was asked, and
 * live as long. Strings are UTF-8 or whatever bytes the inputs hold, and end with NUL. */
#ifndef BPFLINK_BPFLINK_H
#define BPFLINK_BPFLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports what follows. */
#pragma GCC visibility push(default)

/** How a call ended. New values may be added; every failure is below 0. */
enum bpflink_status {
  BPFLINK_OK = 0,              /**< success */
  BPFLINK_ERROR_ARGUMENT = -1, /**< a null pointer, an index out of range, an unknown option */
  BPFLINK_ERROR_MEMORY = -2,   /**< out of memory */
  BPFLINK_ERROR_INPUT = -3,    /**< an input cannot be read or is malformed */
  BPFLINK_ERROR_LINK = -4,     /**< the link failed; its diagnostics have said why */
  BPFLINK_ERROR_NOT_FOUND = -5 /**< there is no such thing */
};

/** Byte orders. */
enum bpflink_byte_order {
  BPFLINK_LITTLE_ENDIAN = 0, /**< least significant byte first */
  BPFLINK_BIG_ENDIAN = 1     /**< most significant byte first */
};

/** The library's version, such as "1.0.0". Static. */
const char* bpflink_version(void);

/** A status in words, for messages. Static; never null. */
const char* bpflink_status_text(enum bpflink_status status);

/** An array of structs, that of a version of the library. It belongs to what it was got from. */
struct bpflink_array {
  const void* items; /**< the first of them */
  size_t count;      /**< how many */
  size_t stride;     /**< bytes from one to the next */
};

/** Item `index` of an array of `struct type`. */
#define BPFLINK_ITEM(type, array, index) \
  ((const struct type*)((const char*)(array).items + (index) * (array).stride))

/** Frees text and bytes that a function of this library gave to its caller. Null is allowed. */
void bpflink_free(void* memory);

/** @name Diagnostics
 * @{ */

/** How much a diagnostic matters. */
enum bpflink_severity {
  BPFLINK_SEVERITY_ERROR = 0,   /**< the link fails */
  BPFLINK_SEVERITY_WARNING = 1, /**< the link goes on; the user should look */
  BPFLINK_SEVERITY_NOTE = 2     /**< what the linker does: asked for by `--trace-symbol`,
                                   `--print-gc-sections` or `--verbose` */
};

/** What a diagnostic is about. New values may be added. */
enum bpflink_diagnostic_code {
  BPFLINK_DIAGNOSTIC_GENERAL = 0,           /**< none of the others */
  BPFLINK_DIAGNOSTIC_INVALID_INPUT = 1,     /**< an input is missing, unreadable or malformed */
  BPFLINK_DIAGNOSTIC_INPUT_MISMATCH = 2,    /**< valid inputs cannot be linked with each other */
  BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL = 3,  /**< no input defines an extern */
  BPFLINK_DIAGNOSTIC_DUPLICATE_SYMBOL = 4,  /**< two strong definitions of one name */
  BPFLINK_DIAGNOSTIC_CONFLICTING_TYPES = 5, /**< extern and definition, or two maps, differ */
  BPFLINK_DIAGNOSTIC_OUTPUT_FAILURE = 6,    /**< the output cannot be written */
  BPFLINK_DIAGNOSTIC_TRACE = 7,             /**< a note on a symbol that is traced */
  BPFLINK_DIAGNOSTIC_DROPPED = 8,           /**< a note on what garbage collection dropped */
  BPFLINK_DIAGNOSTIC_DIFFERENT_LAYOUTS = 9, /**< objects share a type and lay it out differently */
  BPFLINK_DIAGNOSTIC_NOT_LOADABLE = 10,     /**< links, but a loader refuses or ignores it */
  BPFLINK_DIAGNOSTIC_NOT_OPENABLE = 11      /**< links, but libbpf does not open the object */
};

/** A place in an input. */
struct bpflink_location {
  const char* object;  /**< the input's name, as it was added */
  const char* section; /**< the section's name */
  uint64_t offset;     /**< bytes into the section */
  const char* source;  /**< the source file that line_info or DWARF names; relative if below the
                            current directory */
  uint32_t line;       /**< from 1 */
  uint32_t column;     /**< from 1 */
  const char* text;    /**< the line of source, as line_info has it */
};

/** Something to report to the user. It and all that it points to live until the callback returns.
 */
struct bpflink_diagnostic {
  enum bpflink_severity severity;    /**< how much it matters */
  enum bpflink_diagnostic_code code; /**< what it is about */
  const char* message;               /**< one line without a final full stop */
  const char* const* details;        /**< further lines: where, and what would help */
  size_t detail_count;               /**< how many lines */
  const char* file;                  /**< the input or output that it is about, or "" */
  const char* symbol;                /**< the symbol that it is about, or "" */
  struct bpflink_array locations;    /**< of bpflink_location, the most important first */
  const void* source;                /**< what bpflink_diagnostic_render() reads */
};

/** A diagnostic as text for people, as bpflink prints it, each line with its line break; for
 * `program`, whose name is shown where no line of source is known. `color` is 1 for ANSI escapes,
 * else 0. To be freed with bpflink_free(); null for wrong arguments and out of memory. */
char* bpflink_diagnostic_render(const struct bpflink_diagnostic* diagnostic, const char* program,
                                uint32_t color);

/** Gets a diagnostic, in the thread that links. Must not call the linker. */
typedef void (*bpflink_diagnostic_fn)(void* context, const struct bpflink_diagnostic* diagnostic);

/** @}
 * @name Linker
 * @{ */

/** Links BPF objects: ELFCLASS64, ET_REL, EM_BPF, all of one byte order. Add the inputs in the
 * order of a command line, then link. Linking again gives the same bytes. */
typedef struct bpflink_linker bpflink_linker;

/** Makes a linker, in `*linker`, with `option_count` options as bpflink(1) spells them, such as
 * "--gc-sections" and "--keep-type=x", or with the value as the next string. They are copied. `-o`,
 * `-l`, `-v` and others that are for the program alone are refused. `--emit-stats` and `--cref`
 * fill in what bpflink_linker_report() describes. `on_diagnostic`, which may be null, gets
 * `context` and every diagnostic. Errors: ARGUMENT, where `*error` names the option that is
 * refused, and says why; MEMORY. */
enum bpflink_status bpflink_linker_new(const char* const* options, size_t option_count,
                                       bpflink_diagnostic_fn on_diagnostic, void* context,
                                       bpflink_linker** linker, char** error);

/** Frees a linker. Null is allowed. */
void bpflink_linker_free(bpflink_linker* linker);

/** Adds the object file or archive at `path`. The link reads it; it must not change until the link
 * ends. Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_file(bpflink_linker* linker, const char* path);

/** Adds an archive and links all of its members, needed or not (`--whole-archive`). Errors:
 * ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_whole_archive(bpflink_linker* linker, const char* path);

/** Adds the archive `lib<name>.a`, or with `:` before the name the file of that name, from the
 * first directory of `-L` that has it (`-l`). The link reports an archive that is not found.
 * Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_library(bpflink_linker* linker, const char* name);

/** Adds such an archive and links all of its members. Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_whole_library(bpflink_linker* linker, const char* name);

/** Adds the object in the file or pipe that is open for reading as `fd`, called `name` in messages;
 * null for "/proc/self/fd/N". The caller keeps the descriptor and may close it at once. A pipe is
 * read to its end. Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_fd(bpflink_linker* linker, int fd, const char* name);

/** Adds the object in `size` bytes at `image`, called `name` in messages. The bytes stay the
 * caller's and must outlive the link. Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_linker_add_memory(bpflink_linker* linker, const char* name,
                                              const void* image, size_t size);

/** Links into the file at `path`, which is replaced as a whole or left as it was. Errors: ARGUMENT,
 * MEMORY, LINK. */
enum bpflink_status bpflink_linker_link_to_file(bpflink_linker* linker, const char* path);

/** Links into the file that is open for writing as `fd`, which stays the caller's. A regular file
 * is overwritten from its beginning; a pipe gets the output at its end. If the link fails, nothing
 * is written. Errors: ARGUMENT, MEMORY, LINK. */
enum bpflink_status bpflink_linker_link_to_fd(bpflink_linker* linker, int fd);

/** Links into memory: `*image` gets `*size` bytes, which the caller frees with bpflink_free().
 * Errors: ARGUMENT, MEMORY, LINK. */
enum bpflink_status bpflink_linker_link_to_memory(bpflink_linker* linker, void** image,
                                                  size_t* size);

/** A pass of a link. */
struct bpflink_pass {
  const char* name; /**< its name */
  double seconds;   /**< the time that it took */
};

/** What a link did. */
struct bpflink_link_report {
  uint64_t objects;             /**< objects linked, members of archives among them */
  uint64_t input_types;         /**< BTF types of all objects */
  uint64_t output_types;        /**< BTF types of the output */
  uint64_t input_bytes;         /**< bytes of the linked sections, without BTF and symbols */
  uint64_t output_bytes;        /**< bytes of the output's sections, without BTF and symbols */
  uint64_t relocations;         /**< relocations in the output */
  uint64_t symbols;             /**< symbols in the output, local ones among them */
  const char* map;              /**< where each fragment of each input went (`--Map`) */
  const char* cross_references; /**< who defines and who uses each symbol */
  const char* explanations;     /**< on what the options asked to explain (`--explain`) */
  const char* sizes;            /**< lists of what is large (`--print-sizes`) */
  const char* const* files;     /**< paths of all that was read: objects, archives, members of thin
                                     archives */
  size_t file_count;            /**< how many */
  struct bpflink_array passes;  /**< of bpflink_pass */
};

/** What the last link did, which lives until the next one; null if no option asked for a report, or
 * nothing was linked. */
const struct bpflink_link_report* bpflink_linker_report(const bpflink_linker* linker);

/** @}
 * @name Objects
 * @{ */

/** A read-only view of a BPF object. */
typedef struct bpflink_object bpflink_object;

/** A blob of BTF, checked as a whole. */
typedef struct bpflink_btf bpflink_btf;

/** Reads the object file at `path`, which must not change while the handle lives, into `*object`.
 * Errors: ARGUMENT, MEMORY, INPUT. */
enum bpflink_status bpflink_object_open(const char* path, bpflink_object** object, char** error);

/** Reads the object in `size` bytes at `image`, which stay the caller's and must outlive the
 * handle. Errors: ARGUMENT, MEMORY, INPUT. */
enum bpflink_status bpflink_object_parse(const void* image, size_t size, bpflink_object** object,
                                         char** error);

/** Frees an object and all that was got from it. Null is allowed. */
void bpflink_object_free(bpflink_object* object);

/** A value of enum bpf_prog_type as bpftool spells it: "xdp"; "unspec" if unknown. Static. */
const char* bpflink_program_type_name(uint32_t type);

/** A value of enum bpf_attach_type as libbpf spells it: "trace_fentry"; "unknown" if unknown.
 * Static. */
const char* bpflink_attach_type_name(uint32_t type);

/** A value of enum bpf_map_type as bpftool spells it: "hash"; "unknown" if unknown. Static. */
const char* bpflink_map_type_name(uint32_t type);

/** A program: a global function in a section of code other than `.text`. */
struct bpflink_program {
  const char* name;     /**< the function's name */
  const char* section;  /**< as in the object, "?" included */
  const char* target;   /**< what follows the '/' in the section's name, or "" */
  uint32_t type;        /**< enum bpf_prog_type as libbpf derives it from the section's name */
  uint32_t attach_type; /**< enum bpf_attach_type that loading expects; 0 also if it expects none */
  uint32_t sleepable;   /**< 1: may sleep */
  uint32_t autoload;    /**< 0 for a "?" section: loaded only if asked for */
  uint64_t offset;      /**< bytes into the section */
  uint64_t size;        /**< bytes; 8 for each instruction slot */
  uint32_t btf_id;      /**< its FUNC, 0 without BTF */
  uint32_t type_id;     /**< the FUNC's prototype, 0 without BTF */
  uint32_t xdp_frags;   /**< 1: XDP with fragments */
};

/** A map that is defined in `.maps`. Numbers that the definition does not give are 0. */
struct bpflink_map {
  const char* name;                      /**< the variable's name */
  uint64_t offset;                       /**< bytes into `.maps` */
  uint64_t extra;                        /**< map_extra */
  uint32_t type;                         /**< enum bpf_map_type */
  uint32_t key_size;                     /**< bytes */
  uint32_t value_size;                   /**< bytes */
  uint32_t max_entries;                  /**< elements */
  uint32_t flags;                        /**< map_flags, BPF_F_* */
  uint32_t numa_node;                    /**< numa_node */
  uint32_t pinning;                      /**< LIBBPF_PIN_* */
  uint32_t key_type_id;                  /**< the type of keys */
  uint32_t value_type_id;                /**< the type of values */
  uint32_t var_id;                       /**< its VAR */
  uint32_t is_static;                    /**< 1: a local symbol */
  uint32_t is_weak;                      /**< 1: a weak definition */
  struct bpflink_array attributes;       /**< of bpflink_map_attribute */
  struct bpflink_array inner_attributes; /**< the same of the maps within, of a map of maps */
  struct bpflink_array slots; /**< of bpflink_map_slot, those that the definition fills */
};

/** How a map's attribute is written in C. */
enum bpflink_attribute_form {
  BPFLINK_ATTRIBUTE_NUMBER = 0, /**< `__uint(name, value)` */
  BPFLINK_ATTRIBUTE_TYPE = 1,   /**< `__type(name, type)` */
  BPFLINK_ATTRIBUTE_VALUES = 2, /**< `__array(name, type)` */
  BPFLINK_ATTRIBUTE_OTHER = 3   /**< anything else */
};

/** A member of a map's definition, known to libbpf or not. */
struct bpflink_map_attribute {
  const char* name;                 /**< the member's name */
  uint64_t number;                  /**< of BPFLINK_ATTRIBUTE_NUMBER: its value */
  enum bpflink_attribute_form form; /**< how it is written */
  uint32_t type_id;                 /**< of the other forms: its type */
};

/** An element of a map of maps or programs that the map's definition fills. */
struct bpflink_map_slot {
  const char* symbol; /**< the map or function put there */
  uint32_t index;     /**< the element's key */
};

/** What a section of data is for. New values may be added. */
enum bpflink_data_section_kind {
  BPFLINK_DATA_SECTION_DATA = 0,    /**< `.data`, `.data.*` */
  BPFLINK_DATA_SECTION_RODATA = 1,  /**< `.rodata`, `.rodata.*` */
  BPFLINK_DATA_SECTION_BSS = 2,     /**< `.bss`, `.bss.*` */
  BPFLINK_DATA_SECTION_KCONFIG = 3, /**< `.kconfig`: the loader fills it in */
  BPFLINK_DATA_SECTION_ARENA = 4,   /**< `.addr_space.1`: the variables of an arena */
  BPFLINK_DATA_SECTION_PERCPU = 5   /**< `.percpu`, `.percpu.*`: a copy for each CPU */
};

/** A section of data that the loader makes a map of, or puts into an arena. */
struct bpflink_data_section {
  const char* name;                    /**< ".rodata" */
  uint64_t size;                       /**< bytes */
  const void* contents;                /**< `size` initial bytes; null if all are zero */
  uint32_t datasec_id;                 /**< its DATASEC, 0 without BTF */
  uint64_t alignment;                  /**< bytes */
  enum bpflink_data_section_kind kind; /**< what it is for */
  struct bpflink_array variables;      /**< of bpflink_variable */
};

/** A variable of a section of data. */
struct bpflink_variable {
  const char* name;   /**< the variable's name */
  uint64_t offset;    /**< bytes into the section */
  uint64_t size;      /**< bytes */
  uint32_t var_id;    /**< its VAR, 0 without BTF */
  uint32_t type_id;   /**< its type, 0 without BTF */
  uint32_t is_static; /**< 1: a local symbol */
  uint32_t is_weak;   /**< 1: a weak definition */
  uint32_t is_hidden; /**< 1: of hidden visibility, for the object's own code only */
};

/** A function or variable that the object uses and does not define. Variables of `.kconfig` are
 * also variables of the section of data `.kconfig`. */
struct bpflink_extern {
  const char* name;     /**< its name */
  const char* section;  /**< ".ksyms" or ".kconfig" if the loader provides it, else "" */
  uint32_t btf_id;      /**< its FUNC or VAR, 0 without BTF */
  uint32_t type_id;     /**< the prototype or type, 0 without BTF */
  uint32_t is_function; /**< 1: a function */
  uint32_t is_weak;     /**< 1: may stay undefined */
};

/** A variable in a `.struct_ops*` section: a map of type struct_ops. */
struct bpflink_struct_ops {
  const char* name;             /**< the variable's name */
  const char* section;          /**< ".struct_ops", ".struct_ops.link", "?" before it included */
  const char* type_name;        /**< the struct's name, such as "tcp_congestion_ops" */
  uint32_t type_id;             /**< the struct */
  uint32_t is_link;             /**< 1: attached by a link */
  uint64_t offset;              /**< bytes into the section */
  uint64_t size;                /**< bytes */
  uint32_t autoload;            /**< 0 for a "?" section: registered only if asked for */
  const void* contents;         /**< `size` initial bytes; null if all are zero */
  struct bpflink_array members; /**< of bpflink_struct_ops_member */
};

/** A member of a struct_ops variable that a program implements. */
struct bpflink_struct_ops_member {
  const char* name;    /**< "init" or, within a member struct, "ops.init" */
  const char* program; /**< the function that it is set to */
  uint64_t offset;     /**< bytes into the variable */
};

/** What an object has. */
struct bpflink_contents {
  enum bpflink_byte_order byte_order; /**< its byte order */
  const char* license;                /**< the text of the `license` section, or "" */
  const bpflink_btf* btf;             /**< its BTF, or null; do not free it */
  struct bpflink_array programs;      /**< of bpflink_program */
  struct bpflink_array maps;          /**< of bpflink_map, those in `.maps` */
  struct bpflink_array data_sections; /**< of bpflink_data_section */
  struct bpflink_array externs;       /**< of bpflink_extern */
  struct bpflink_array struct_ops;    /**< of bpflink_struct_ops */
};

/** What an object has, which lives as long as the handle; null for null. */
const struct bpflink_contents* bpflink_object_contents(const bpflink_object* object);

/** The kinds of skeletons, as options of bpfskel. */
enum bpflink_skeleton_kind {
  BPFLINK_SKELETON_C = 0,          /**< a header for C and C++, `--c` */
  BPFLINK_SKELETON_CPP = 1,        /**< that header and a class that owns it, `--cpp` */
  BPFLINK_SKELETON_RUST = 2,       /**< a module for Rust, `--rust` */
  BPFLINK_SKELETON_LIBBPF_RS = 3,  /**< a module for Rust and the crate libbpf-rs, `--libbpf-rs` */
  BPFLINK_SKELETON_SUBSKELETON = 4 /**< a header for a library, `--subskeleton` */
};

/** Makes a skeleton of the object in `size` bytes at `image`, as `bpfskel --name` does after its
 * link, in `*text`, which the caller frees with bpflink_free(). Errors: ARGUMENT, MEMORY, INPUT. */
enum bpflink_status bpflink_skeleton(const void* image, size_t size, const char* name,
                                     enum bpflink_skeleton_kind kind, char** text, char** error);

/** Makes a module for Rust of the object in `size` bytes at `image`, as `bpfskel --rust --name`
 * does, in `*text`, which the caller frees with bpflink_free(). Errors: ARGUMENT, MEMORY, INPUT. */
enum bpflink_status bpflink_rust_module(const void* image, size_t size, const char* name,
                                        char** text, char** error);
/** Makes the module that `bpfskel --libbpf-rs --name` makes, as above. */
enum bpflink_status bpflink_libbpf_rs_module(const void* image, size_t size, const char* name,
                                             char** text, char** error);

/** @}
 * @name BTF
 * @{ */

/** The kinds of types, as the kernel's Documentation/bpf/btf.rst has them. */
enum bpflink_kind {
  BPFLINK_BTF_VOID = 0,        /**< void, the type with id 0 */
  BPFLINK_BTF_INT = 1,         /**< an integer */
  BPFLINK_BTF_PTR = 2,         /**< a pointer */
  BPFLINK_BTF_ARRAY = 3,       /**< an array */
  BPFLINK_BTF_STRUCT = 4,      /**< a struct */
  BPFLINK_BTF_UNION = 5,       /**< a union */
  BPFLINK_BTF_ENUM = 6,        /**< an enum of up to 32 bits */
  BPFLINK_BTF_FWD = 7,         /**< a forward declaration */
  BPFLINK_BTF_TYPEDEF = 8,     /**< a typedef */
  BPFLINK_BTF_VOLATILE = 9,    /**< volatile */
  BPFLINK_BTF_CONST = 10,      /**< const */
  BPFLINK_BTF_RESTRICT = 11,   /**< restrict */
  BPFLINK_BTF_FUNC = 12,       /**< a function */
  BPFLINK_BTF_FUNC_PROTO = 13, /**< a function's prototype */
  BPFLINK_BTF_VAR = 14,        /**< a variable */
  BPFLINK_BTF_DATASEC = 15,    /**< the variables of a section */
  BPFLINK_BTF_FLOAT = 16,      /**< a floating-point number */
  BPFLINK_BTF_DECL_TAG = 17,   /**< a tag of a declaration */
  BPFLINK_BTF_TYPE_TAG = 18,   /**< a tag of a type */
  BPFLINK_BTF_ENUM64 = 19      /**< an enum of 64 bits */
};

/** How an integer is encoded: bits of bpflink_type's `encoding`. */
enum bpflink_int_encoding {
  BPFLINK_INT_SIGNED = 1, /**< signed */
  BPFLINK_INT_CHAR = 2,   /**< a character */
  BPFLINK_INT_BOOL = 4    /**< a bool */
};

/** The linkage of a FUNC or VAR. */
enum bpflink_linkage {
  BPFLINK_LINKAGE_STATIC = 0, /**< known in its unit only */
  BPFLINK_LINKAGE_GLOBAL = 1, /**< defined for all units */
  BPFLINK_LINKAGE_EXTERN = 2  /**< defined elsewhere */
};

/** Checks `size` bytes of BTF at `blob`, the contents of a `.BTF` section, which stay the caller's
 * and must outlive the handle. Errors: ARGUMENT, MEMORY, INPUT. */
enum bpflink_status bpflink_btf_parse(const void* blob, size_t size, bpflink_btf** btf,
                                      char** error);

/** Reads the BTF in the file at `path`: raw BTF, or an ELF file of any machine with a section .BTF,
 * such as vmlinux, a module, a program or a BPF object. `base`, or null, is what a module's BTF is
 * split from: its ids and strings continue those of the base, which must outlive the handle.
 * Errors: ARGUMENT, MEMORY; INPUT, also for a file without BTF, for a section .BTF.base, which
 * `btfdedup --base` resolves, and for compressed files. */
enum bpflink_status bpflink_btf_open(const char* path, const bpflink_btf* base, bpflink_btf** btf,
                                     char** error);

/** Frees what bpflink_btf_parse() or _open() made. Null is allowed. */
void bpflink_btf_free(bpflink_btf* btf);

/** One past the last type id; ids begin with 1. */
uint32_t bpflink_btf_end_id(const bpflink_btf* btf);

/** The first type of that kind and name, in `*id`. Constant time after the first call. Errors:
 * ARGUMENT, MEMORY, NOT_FOUND. */
enum bpflink_status bpflink_btf_find(const bpflink_btf* btf, uint32_t kind, const char* name,
                                     uint32_t* id);

/** A type. Members that its kind does not have are 0. */
struct bpflink_type {
  const char* name;      /**< its name, or "" */
  uint64_t size;         /**< bytes that an object of the type takes */
  uint64_t array_length; /**< of an ARRAY: elements, which have the type `type_id` */
  uint32_t kind;         /**< enum bpflink_kind */
  uint32_t kind_flag;    /**< 1: a signed enum, a FWD of a union, and more: see btf.rst */
  uint32_t alignment;    /**< bytes, as C has it for BPF; 1 for a packed struct */
  uint32_t type_id;  /**< the type that it refers to: of a pointer, modifier, VAR, FUNC or DECL_TAG;
                        element of an ARRAY, return type of a FUNC_PROTO */
  uint32_t vlen;     /**< members, enumerators, parameters, or variables of a DATASEC */
  uint32_t encoding; /**< of an INT: enum bpflink_int_encoding, or'ed */
  uint32_t linkage;  /**< of a FUNC or VAR: enum bpflink_linkage */
  int32_t component_idx;            /**< of a DECL_TAG: the member or parameter, or -1 */
  uint32_t index_type_id;           /**< of an ARRAY: the type of its indices */
  uint32_t bits;                    /**< of an INT: how many bits of it are used */
  struct bpflink_array members;     /**< of a STRUCT or UNION: of bpflink_member */
  struct bpflink_array enumerators; /**< of an ENUM or ENUM64: of bpflink_enumerator */
};

/** A member of a struct or union. */
struct bpflink_member {
  const char* name;    /**< its name, or "" */
  uint32_t type_id;    /**< its type */
  uint32_t bit_offset; /**< bits from the beginning of the struct; in big-endian BTF, a bit-field's
                          from the most significant bit */
  uint32_t bitfield_size; /**< of a bit-field: bits; else 0 */
};

/** An enumerator of an enum. */
struct bpflink_enumerator {
  const char* name; /**< its name */
  uint64_t value;   /**< extended to 64 bits by the enum's sign, in two's complement */
};

/** Describes a type, void among them, in `*type`, which lives as long as the handle. Errors:
 * ARGUMENT, MEMORY. */
enum bpflink_status bpflink_btf_type(const bpflink_btf* btf, uint32_t id,
                                     const struct bpflink_type** type);

/* Each of the following gives text that the caller frees with bpflink_free(), or null for an id
 * that does not exist and when out of memory. */

/** The C declaration of `name` with that type, without a final semicolon; with "" for the name, the
 * type alone: "void" for id 0. Anonymous structs are written out, over several lines. */
char* bpflink_btf_declaration(const bpflink_btf* btf, uint32_t id, const char* name);

/** The C definition of a struct, union, enum, typedef, VAR or FUNC, with its semicolon; of other
 * kinds the declaration without a name. Null for void. */
char* bpflink_btf_definition(const bpflink_btf* btf, uint32_t id);

/** @}
 * @name Deduplication
 * @{ */

/** Merges equal types of any number of inputs. */
typedef struct bpflink_dedup bpflink_dedup;

/** Makes a deduplicator, in `*dedup`, whose output has the byte order `byte_order` of enum
 * bpflink_byte_order. Errors: ARGUMENT, MEMORY. */
enum bpflink_status bpflink_dedup_new(uint32_t byte_order, bpflink_dedup** dedup);

/** Frees a deduplicator. Null is allowed. */
void bpflink_dedup_free(bpflink_dedup* dedup);

/** Adds an input, called `name` in messages. It is copied and may be freed at once. Errors:
 * ARGUMENT, also after bpflink_dedup_run(); MEMORY. */
enum bpflink_status bpflink_dedup_add(bpflink_dedup* dedup, const char* name,
                                      const bpflink_btf* btf);

/** Deduplicates, once: `*blob` gets `*size` bytes of BTF, which the caller frees with
 * bpflink_free(). Errors: ARGUMENT, MEMORY; INPUT if inputs contradict each other or the output
 * exceeds a limit of the kernel. */
enum bpflink_status bpflink_dedup_run(bpflink_dedup* dedup, void** blob, size_t* size,
                                      char** error);

/** @} */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
