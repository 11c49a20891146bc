/* libbpflink for C: link BPF objects, look into them, read and deduplicate BTF.
 *
 * Handles are opaque. A handle may be used by one thread at a time; handles
 * that do not share anything are independent of each other. No function throws,
 * prints or exits.
 *
 * Options and descriptions are structs that grow at their end from version to
 * version. Options begin with their size: use the BPFLINK_..._INIT macros. What
 * an older program does not know is as if 0; where a newer program sets what an
 * older library does not know, the call is refused with BPFLINK_ERROR_ARGUMENT.
 * Descriptions are filled up to the size that the caller gives.
 *
 * Strings are UTF-8 or whatever the inputs hold, and end with NUL. */
#ifndef BPFLINK_BPFLINK_H
#define BPFLINK_BPFLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the shared library offers. */
#define BPFLINK_C_API __attribute__((visibility("default")))

/** How a call ended. New values may be added: every one but BPFLINK_OK is a
 * failure and below 0. */
enum bpflink_status {
  BPFLINK_OK = 0,              /**< done */
  BPFLINK_ERROR_ARGUMENT = -1, /**< a null pointer, an index too large, an option unknown */
  BPFLINK_ERROR_MEMORY = -2,   /**< out of memory */
  BPFLINK_ERROR_INPUT = -3,    /**< an input cannot be read or is malformed */
  BPFLINK_ERROR_LINK = -4,     /**< the link failed; diagnostics say why */
  BPFLINK_ERROR_NOT_FOUND = -5 /**< nothing of that name */
};

/** The library's version, "0.1.0". Static. */
BPFLINK_C_API const char* bpflink_version(void);

/** A status in words, for messages. Static; never null. */
BPFLINK_C_API const char* bpflink_status_text(enum bpflink_status status);

/** Frees what a function of this library gave to its caller. Null is allowed. */
BPFLINK_C_API void bpflink_free(void* memory);

/** @name Diagnostics
 * @{ */

/** How much a diagnostic matters. */
enum bpflink_severity {
  BPFLINK_SEVERITY_ERROR = 0,   /**< the link fails */
  BPFLINK_SEVERITY_WARNING = 1, /**< the link goes on; the user should look */
  BPFLINK_SEVERITY_NOTE = 2     /**< what the linker does */
};

/** What a diagnostic is about. New values may be added. */
enum bpflink_diagnostic_code {
  BPFLINK_DIAGNOSTIC_GENERAL = 0,           /**< none of the others */
  BPFLINK_DIAGNOSTIC_INVALID_INPUT = 1,     /**< missing, unreadable, malformed, not for BPF */
  BPFLINK_DIAGNOSTIC_INPUT_MISMATCH = 2,    /**< inputs cannot be linked with each other */
  BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL = 3,  /**< an extern that no input defines */
  BPFLINK_DIAGNOSTIC_DUPLICATE_SYMBOL = 4,  /**< two strong definitions */
  BPFLINK_DIAGNOSTIC_CONFLICTING_TYPES = 5, /**< extern and definition, or two maps, differ */
  BPFLINK_DIAGNOSTIC_OUTPUT_FAILURE = 6,    /**< the output cannot be written */
  BPFLINK_DIAGNOSTIC_TRACE = 7,             /**< a note on a symbol that is traced */
  BPFLINK_DIAGNOSTIC_DROPPED = 8,           /**< a note on what garbage collection left out */
  BPFLINK_DIAGNOSTIC_DIFFERENT_LAYOUTS = 9  /**< of what objects exchange, one struct or enum */
};

/** A place in an input. What is not known is "" or 0. */
struct bpflink_location {
  const char* object;  /**< the input's name, as it was added */
  const char* section; /**< the section's name */
  uint64_t offset;     /**< bytes into the section */
  const char* source;  /**< the source file that line_info or DWARF name; relative if below the
                            current directory */
  uint32_t line;       /**< 1 for the first */
  uint32_t column;     /**< 1 for the first */
};

/** Something to tell the user. Valid during the callback. */
struct bpflink_diagnostic {
  size_t size;                              /**< bytes of this struct */
  enum bpflink_severity severity;           /**< how much it matters */
  enum bpflink_diagnostic_code code;        /**< what it is about */
  const char* message;                      /**< one line without a final full stop */
  const char* const* details;               /**< further lines: where, and what would help */
  size_t detail_count;                      /**< how many */
  const char* file;                         /**< the input or output that it is about, or "" */
  const char* symbol;                       /**< the symbol that it is about, or "" */
  const struct bpflink_location* locations; /**< the places, the most important first */
  size_t location_count;                    /**< how many */
  /** For each of `locations`, its line of source as the input has it; "" where that is not known.
   */
  const char* const* location_texts;
};

/** Takes a diagnostic. Called in the thread that links; must not call the
 * linker. */
typedef void (*bpflink_diagnostic_fn)(void* context, const struct bpflink_diagnostic* diagnostic);

/** @}
 * @name Linker
 * @{ */

/** Flags of a link. */
enum bpflink_link_flags {
  BPFLINK_LINK_PARTIAL = 1 << 0,         /**< externs that nobody defines stay (`-r`) */
  BPFLINK_LINK_GC_SECTIONS = 1 << 1,     /**< drop what nothing reaches (`--gc-sections`) */
  BPFLINK_LINK_LOCALIZE_HIDDEN = 1 << 2, /**< hidden becomes local (`--localize-hidden`) */
  BPFLINK_LINK_KEEP_DEBUG = 1 << 3,      /**< keep and merge DWARF (`--keep-debug`) */
  BPFLINK_LINK_DISCARD_LOCALS = 1 << 4,  /**< leave out symbols that nothing needs (`-x`) */
  BPFLINK_LINK_NO_CHECK_TYPES = 1 << 5,  /**< only warn of conflicts (`--no-check-types`) */
  BPFLINK_LINK_FATAL_WARNINGS = 1 << 6,  /**< warnings are errors (`--fatal-warnings`) */
  BPFLINK_LINK_VERIFY = 1 << 7,          /**< read the output back and check it (`--verify`) */
  BPFLINK_LINK_NO_WARN_ODR = 1 << 8,     /**< silent of two layouts (`--no-warn-odr`) */
  BPFLINK_LINK_STRIP_LINE_INFO = 1 << 9, /**< leave out line_info (`--strip-line-info`) */
  BPFLINK_LINK_PRUNE_TYPES = 1 << 10     /**< only declare unused structs (`--prune-types`) */
};

/** How to link. Its lists are copied. Initialize with BPFLINK_LINK_OPTIONS_INIT. */
struct bpflink_link_options {
  size_t size;                          /**< bytes of this struct */
  bpflink_diagnostic_fn on_diagnostic;  /**< gets every diagnostic; may be null */
  void* context;                        /**< handed to on_diagnostic */
  uint64_t flags;                       /**< of enum bpflink_link_flags, or'ed */
  const char* license;                  /**< text of section `license`, or null (`--license`) */
  const char* const* undefined;         /**< symbols to keep, look for in archives (`-u`) */
  size_t undefined_count;               /**< how many */
  const char* const* keep_sections;     /**< patterns of sections to keep (`--keep-section`) */
  size_t keep_section_count;            /**< how many */
  const char* const* trace_symbols;     /**< symbols to report the places of (`-y`) */
  size_t trace_symbol_count;            /**< how many */
  size_t threads;                       /**< 0: as the inputs are worth (`--threads`) */
  const char* const* library_paths;     /**< for bpflink_linker_add_library() (`-L`) */
  size_t library_path_count;            /**< how many */
  const char* prefix_symbols;           /**< before all names, or null (`--prefix-symbols`) */
  const char* const* redefine_symbols;  /**< "OLD=NEW" each (`--redefine-sym`) */
  size_t redefine_symbol_count;         /**< how many */
  const char* const* prefix_symbols_of; /**< "INPUT=PREFIX" each (`--prefix-symbols-of`) */
  size_t prefix_symbols_of_count;       /**< how many */
};

/** Initializer of struct bpflink_link_options: the defaults. */
#define BPFLINK_LINK_OPTIONS_INIT                                                                 \
  {                                                                                               \
    sizeof(struct bpflink_link_options), NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, 0, 0, NULL, \
        0, NULL, NULL, 0, NULL, 0                                                                 \
  }

/** Links BPF objects: ELFCLASS64, ET_REL, EM_BPF, all of one byte order. */
typedef struct bpflink_linker bpflink_linker;

/** Makes a linker, in `*linker`; null on failure. `options` may be null for the
 * defaults. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_new(const struct bpflink_link_options* options,
                                                     bpflink_linker** linker);

/** Frees a linker; null is allowed. */
BPFLINK_C_API void bpflink_linker_free(bpflink_linker* linker);

/** Adds the object file or archive at `path`, which is read when the link runs and must
 * not change until that is over. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_add_file(bpflink_linker* linker, const char* path);

/** The same for an archive of which all members are to be linked, needed or
 * not (`--whole-archive`). Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_add_whole_archive(bpflink_linker* linker,
                                                                   const char* path);

/** Adds the archive `lib<name>.a`, or with `:` before the name the file of that name, of the
 * first of the library_paths that has it (`-l`). That none has is told when the link runs.
 * Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_add_library(bpflink_linker* linker,
                                                             const char* name);

/** Adds the object in the file or pipe open for reading as `fd`. The descriptor
 * stays the caller's, who may close it at once; a pipe is read to its end. `name`
 * is used in messages; null for "/proc/self/fd/N". Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_add_fd(bpflink_linker* linker, int fd,
                                                        const char* name);

/** Adds the object in `size` bytes at `image`, called `name` in messages. The
 * bytes stay the caller's and must outlive the link. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linker_add_memory(bpflink_linker* linker,
                                                            const char* name, const void* image,
                                                            size_t size);

/** Links into the file at `path`, whole or not at all. Errors: ARGUMENT, LINK. */
BPFLINK_C_API enum bpflink_status bpflink_linker_link_to_file(bpflink_linker* linker,
                                                              const char* path);

/** Links into the file open for writing as `fd`, which stays the caller's: over
 * the whole of a file that can be sought, else at its end. Nothing is written
 * where the link fails. Errors: ARGUMENT, LINK. */
BPFLINK_C_API enum bpflink_status bpflink_linker_link_to_fd(bpflink_linker* linker, int fd);

/** Links into memory: `*image` gets `*size` bytes, which the caller frees with
 * bpflink_free(); null and 0 on failure. Errors: ARGUMENT, MEMORY, LINK. */
BPFLINK_C_API enum bpflink_status bpflink_linker_link_to_memory(bpflink_linker* linker,
                                                                void** image, size_t* size);

/** @}
 * @name Objects
 * @{ */

/** A read-only view of a BPF object. */
typedef struct bpflink_object bpflink_object;

/** A blob of BTF that has been checked whole. */
typedef struct bpflink_btf bpflink_btf;

/** Reads the object file at `path`, which must not change while the handle
 * lives, into `*object`; null on failure. Where `error` is not null, `*error`
 * gets the reason of a failure as text, to be freed with bpflink_free(), else
 * null. Errors: ARGUMENT, MEMORY, INPUT. */
BPFLINK_C_API enum bpflink_status bpflink_object_open(const char* path, bpflink_object** object,
                                                      char** error);

/** The same for an object in memory, which stays the caller's and must outlive
 * the handle. */
BPFLINK_C_API enum bpflink_status bpflink_object_parse(const void* image, size_t size,
                                                       bpflink_object** object, char** error);

/** Frees an object and all that was got from it; null is allowed. */
BPFLINK_C_API void bpflink_object_free(bpflink_object* object);

/** The text of the `license` section, "" without one. The object's. */
BPFLINK_C_API const char* bpflink_object_license(const bpflink_object* object);

/** The object's BTF, or null where it has none. The object's: not to be freed. */
BPFLINK_C_API const bpflink_btf* bpflink_object_btf(const bpflink_object* object);

/** A program: a global function in a section of code other than `.text`. */
struct bpflink_program {
  const char* name;      /**< the function's name */
  const char* section;   /**< as in the object, "?" included */
  const char* target;    /**< behind the '/' in the section's name, or "" */
  uint32_t type;         /**< enum bpf_prog_type as libbpf derives it from the section's name */
  uint32_t attach_type;  /**< enum bpf_attach_type that loading expects, or 0 */
  uint32_t sleepable;    /**< 1: may sleep */
  uint32_t autoload;     /**< 0 for a "?" section */
  uint64_t offset;       /**< bytes into the section */
  uint64_t program_size; /**< bytes; 8 for each instruction slot */
  uint32_t btf_id;       /**< its FUNC, 0 without BTF */
  uint32_t type_id;      /**< the FUNC's prototype, 0 without BTF */
};

/** A map that is defined in `.maps`. 0 for what the definition leaves out. */
struct bpflink_map {
  const char* name;         /**< the variable's name */
  uint64_t offset;          /**< bytes into `.maps` */
  uint64_t extra;           /**< map_extra */
  uint32_t type;            /**< enum bpf_map_type */
  uint32_t key_size;        /**< bytes */
  uint32_t value_size;      /**< bytes */
  uint32_t max_entries;     /**< elements */
  uint32_t flags;           /**< map_flags, BPF_F_* */
  uint32_t numa_node;       /**< numa_node */
  uint32_t pinning;         /**< LIBBPF_PIN_* */
  uint32_t key_type_id;     /**< the type of keys */
  uint32_t value_type_id;   /**< the type of values */
  uint32_t var_id;          /**< its VAR */
  uint32_t attribute_count; /**< for bpflink_object_map_attribute() */
  uint32_t slot_count;      /**< slots that the definition fills */
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
  uint64_t number;                  /**< where it is a number */
  enum bpflink_attribute_form form; /**< how it is written */
  uint32_t type_id;                 /**< where it is not a number: the type */
};

/** A section of data that the loader makes a map of. */
struct bpflink_data_section {
  const char* name;        /**< ".rodata" */
  uint64_t section_size;   /**< bytes */
  const void* contents;    /**< the initial values; null where they are all zero */
  uint32_t variable_count; /**< for bpflink_object_variable() */
  uint32_t datasec_id;     /**< its DATASEC, 0 without BTF */
};

/** A variable of a section of data. */
struct bpflink_variable {
  const char* name;       /**< the variable's name */
  uint64_t offset;        /**< bytes into the section */
  uint64_t variable_size; /**< bytes */
  uint32_t var_id;        /**< its VAR, 0 without BTF */
  uint32_t type_id;       /**< its type, 0 without BTF */
};

/** A function or variable that the object uses and does not define. */
struct bpflink_extern {
  const char* name;     /**< its name */
  const char* section;  /**< ".ksyms" or ".kconfig" where the loader provides it, else "" */
  uint32_t btf_id;      /**< its FUNC or VAR, 0 without BTF */
  uint32_t type_id;     /**< the prototype or type, 0 without BTF */
  uint32_t is_function; /**< 1: a function */
  uint32_t is_weak;     /**< 1: may stay undefined */
};

/** A variable in a `.struct_ops*` section. */
struct bpflink_struct_ops {
  const char* name;      /**< the variable's name */
  const char* section;   /**< ".struct_ops", ".struct_ops.link" */
  const char* type_name; /**< of the struct */
  uint32_t type_id;      /**< the struct */
  uint32_t is_link;      /**< 1: attached by a link */
};

/** How many programs the object has. */
BPFLINK_C_API size_t bpflink_object_program_count(const bpflink_object* object);
/** How many maps are defined in `.maps`. */
BPFLINK_C_API size_t bpflink_object_map_count(const bpflink_object* object);
/** How many sections of data there are. */
BPFLINK_C_API size_t bpflink_object_data_section_count(const bpflink_object* object);
/** How many externs there are. */
BPFLINK_C_API size_t bpflink_object_extern_count(const bpflink_object* object);
/** How many struct_ops variables there are. */
BPFLINK_C_API size_t bpflink_object_struct_ops_count(const bpflink_object* object);

/* Each of the following fills `size` bytes (sizeof *out) of a description of the
 * item with an index below the count. Its strings are the object's. Error:
 * ARGUMENT. */

/** Describes program `index` in the first `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_program(const bpflink_object* object, size_t index,
                                                         struct bpflink_program* out, size_t size);
/** Describes map `index` in the first `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_map(const bpflink_object* object, size_t index,
                                                     struct bpflink_map* out, size_t size);
/** Describes attribute `attribute` of map `map` in the first `size` bytes of
 * `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_map_attribute(const bpflink_object* object,
                                                               size_t map, size_t attribute,
                                                               struct bpflink_map_attribute* out,
                                                               size_t size);
/** Slot `slot` of those that the definition of map `map` fills: `*index` is the
 * element's key, `*symbol` the map or function put there. Error: ARGUMENT. */
BPFLINK_C_API enum bpflink_status bpflink_object_map_slot(const bpflink_object* object, size_t map,
                                                          size_t slot, uint32_t* index,
                                                          const char** symbol);
/** Describes section of data `index` in the first `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_data_section(const bpflink_object* object,
                                                              size_t index,
                                                              struct bpflink_data_section* out,
                                                              size_t size);
/** Describes variable `variable` of section of data `section` in the first
 * `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_variable(const bpflink_object* object,
                                                          size_t section, size_t variable,
                                                          struct bpflink_variable* out,
                                                          size_t size);
/** Describes extern `index` in the first `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_extern(const bpflink_object* object, size_t index,
                                                        struct bpflink_extern* out, size_t size);
/** Describes struct_ops variable `index` in the first `size` bytes of `*out`. */
BPFLINK_C_API enum bpflink_status bpflink_object_struct_ops(const bpflink_object* object,
                                                            size_t index,
                                                            struct bpflink_struct_ops* out,
                                                            size_t size);

/** @}
 * @name BTF
 * @{ */

/** Checks `size` bytes of BTF at `blob`, the contents of a `.BTF` section, which
 * stay the caller's and must outlive the handle. `error` as in
 * bpflink_object_open(). Errors: ARGUMENT, MEMORY, INPUT. */
BPFLINK_C_API enum bpflink_status bpflink_btf_parse(const void* blob, size_t size,
                                                    bpflink_btf** btf, char** error);

/** The same for split BTF, such as a kernel module's: its ids and strings go on from
 * those of `base`, which stands alone or is split itself, and must outlive the
 * handle. Look-ups find the base's types, too. With null for the base it is
 * bpflink_btf_parse(). Errors: ARGUMENT, MEMORY; INPUT, also where the blob is not
 * split from that base. */
BPFLINK_C_API enum bpflink_status bpflink_btf_parse_split(const void* blob, size_t size,
                                                          const bpflink_btf* base,
                                                          bpflink_btf** btf, char** error);

/** Frees what bpflink_btf_parse() or bpflink_btf_parse_split() made; null is
 * allowed. */
BPFLINK_C_API void bpflink_btf_free(bpflink_btf* btf);

/** One past the last type id; ids begin with 1. */
BPFLINK_C_API uint32_t bpflink_btf_end_id(const bpflink_btf* btf);

/** The kind of a type, BTF_KIND_* of linux/btf.h; 0 for an id that is none. */
BPFLINK_C_API uint32_t bpflink_btf_kind(const bpflink_btf* btf, uint32_t id);

/** The name of a type, "" for none. The BTF's. */
BPFLINK_C_API const char* bpflink_btf_name(const bpflink_btf* btf, uint32_t id);

/** The first type of that kind and name, in `*id`. Errors: ARGUMENT, NOT_FOUND. */
BPFLINK_C_API enum bpflink_status bpflink_btf_find(const bpflink_btf* btf, uint32_t kind,
                                                   const char* name, uint32_t* id);

/** The bytes that an object of that type takes, in `*size`. Errors: ARGUMENT;
 * NOT_FOUND where the type has no size. */
BPFLINK_C_API enum bpflink_status bpflink_btf_size(const bpflink_btf* btf, uint32_t id,
                                                   uint64_t* size);

/** A type. 0 for what its kind does not have. */
struct bpflink_type {
  const char* name;       /**< "" for none */
  uint64_t type_size;     /**< bytes that an object of the type takes */
  uint64_t element_count; /**< of an array: elements of the type `type_id` */
  uint32_t kind;          /**< BTF_KIND_* */
  uint32_t kind_flag;     /**< 1: a signed enum, a declared union, see the kernel's btf.rst */
  uint32_t alignment;     /**< bytes, as C has it for BPF; 1 for a packed struct */
  uint32_t type_id;       /**< what it refers to: pointee, aliased type, element, return type */
  uint32_t member_count;  /**< members of a struct or union, or enumerators */
  uint32_t encoding;      /**< of an integer: BTF_INT_SIGNED, BTF_INT_CHAR, BTF_INT_BOOL */
};

/** A member of a struct or union. */
struct bpflink_member {
  const char* name;    /**< "" for none */
  uint32_t type_id;    /**< its type */
  uint32_t bit_offset; /**< bits from the beginning of the struct */
  uint32_t bit_size;   /**< of a bit-field, in bits; 0 for what is none */
};

/** An enumerator of an enum. */
struct bpflink_enumerator {
  const char* name; /**< its name */
  uint64_t value;   /**< extended to 64 bits by the enum's sign, in two's complement */
};

/** Describes a type in the first `size` bytes of `*out`. Error: ARGUMENT. */
BPFLINK_C_API enum bpflink_status bpflink_btf_type(const bpflink_btf* btf, uint32_t id,
                                                   struct bpflink_type* out, size_t size);
/** Describes member `index` of a struct or union in the first `size` bytes of
 * `*out`. Error: ARGUMENT, also where it has no such member. */
BPFLINK_C_API enum bpflink_status bpflink_btf_member(const bpflink_btf* btf, uint32_t id,
                                                     uint32_t index, struct bpflink_member* out,
                                                     size_t size);
/** Describes enumerator `index` of an enum in the first `size` bytes of `*out`.
 * Error: ARGUMENT, also where it has no such enumerator. */
BPFLINK_C_API enum bpflink_status bpflink_btf_enumerator(const bpflink_btf* btf, uint32_t id,
                                                         uint32_t index,
                                                         struct bpflink_enumerator* out,
                                                         size_t size);

/** The C declaration of `name` with that type, without a final semicolon; with
 * "" for the name the type alone. To be freed with bpflink_free(); null for an
 * id that is none, and where memory ran out. */
BPFLINK_C_API char* bpflink_btf_declaration(const bpflink_btf* btf, uint32_t id, const char* name);

/** The C definition of a struct, union, enum, typedef, VAR or FUNC, with its
 * semicolon. To be freed with bpflink_free(); null as above. */
BPFLINK_C_API char* bpflink_btf_definition(const bpflink_btf* btf, uint32_t id);

/** @}
 * @name Deduplication
 * @{ */

/** Merges equal types of any number of inputs. */
typedef struct bpflink_dedup bpflink_dedup;

/** How to deduplicate. Initialize with BPFLINK_DEDUP_OPTIONS_INIT. */
struct bpflink_dedup_options {
  size_t size;             /**< bytes of this struct */
  const bpflink_btf* base; /**< what all inputs were split from, or null; must outlive */
  uint32_t threads;        /**< 0: as many as the inputs are worth */
  uint32_t big_endian;     /**< 1: the output is big-endian; else 0 */
  uint32_t flatten; /**< 1: the output stands alone, with the base's types in front; else 0 */
  uint32_t sort;    /**< 1: types are in order of their names; else 0: as they come first */
};

/** Initializer of struct bpflink_dedup_options: the defaults. */
#define BPFLINK_DEDUP_OPTIONS_INIT \
  { sizeof(struct bpflink_dedup_options), NULL, 0, 0, 0, 0 }

/** Makes a deduplicator, in `*dedup`; null on failure. `options` may be null for
 * the defaults. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_dedup_new(const struct bpflink_dedup_options* options,
                                                    bpflink_dedup** dedup);

/** Frees a deduplicator; null is allowed. */
BPFLINK_C_API void bpflink_dedup_free(bpflink_dedup* dedup);

/** Adds an input, called `name` in messages. It is taken in at once and may be
 * freed. Errors: ARGUMENT, also after bpflink_dedup_run(); MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_dedup_add(bpflink_dedup* dedup, const char* name,
                                                    const bpflink_btf* btf);

/** Deduplicates, once: `*blob` gets `*size` bytes of BTF, which the caller frees
 * with bpflink_free(). `error` as in bpflink_object_open(). Errors: ARGUMENT,
 * MEMORY; INPUT where inputs contradict each other or the output exceeds a limit
 * of the kernel. */
BPFLINK_C_API enum bpflink_status bpflink_dedup_run(bpflink_dedup* dedup, void** blob, size_t* size,
                                                    char** error);

/** What bpflink_btf_distill() made. bpflink_free() frees each of the three. */
struct bpflink_distilled {
  void* base;        /**< the distilled base, what a module has as its section .BTF.base */
  size_t base_size;  /**< bytes at `base` */
  void* types;       /**< the split types, split from `base`: its section .BTF */
  size_t types_size; /**< bytes at `types` */
  uint32_t* ids;     /**< by id of the input, of its base, too: the new id; 0: nothing needs it */
  size_t id_count;   /**< how many ids, void among them: bpflink_btf_end_id() of the input */
};

/** Makes split BTF independent of the ids and offsets of its base: of that, it
 * takes along names and sizes of the types that it needs, so that the kernel can
 * find these in another build. `needed` are `needed_count` ids that something else
 * refers to, such as a section .BTF_ids. `big_endian` is 1 for big-endian blobs, else
 * 0. Fills `size` bytes at `out`. `error` as in bpflink_object_open(). Errors:
 * ARGUMENT, MEMORY; INPUT where `split` is not split or needs something of its base
 * that has no such name. */
BPFLINK_C_API enum bpflink_status bpflink_btf_distill(const bpflink_btf* split, uint32_t big_endian,
                                                      const uint32_t* needed, size_t needed_count,
                                                      struct bpflink_distilled* out, size_t size,
                                                      char** error);

/** What a kernel says of a blob of BTF. */
typedef struct bpflink_verdict bpflink_verdict;

/** Which of its two parsers a kernel reads BTF with. */
enum bpflink_btf_use {
  BPFLINK_BTF_OF_PROGRAM = 0, /**< what BPF_BTF_LOAD is given: all rules hold */
  BPFLINK_BTF_OF_KERNEL = 1   /**< a kernel's own, or with a base a module's */
};

/** A break of a rule. Strings are the verdict's or static. */
struct bpflink_fault {
  const char* rule;     /**< the rule's name for programs, such as "member-end" */
  const char* text;     /**< the rule in plain words */
  const char* kernel;   /**< how a kernel's log words a break of it, or "" */
  const char* advice;   /**< what to do */
  const char* type;     /**< the type as C, or "" where it is about the blob */
  const char* subject;  /**< its member, parameter, enumerator or variable in words, or "" */
  uint32_t type_id;     /**< 0 where it is about the blob */
  uint32_t since_major; /**< the first release of Linux that has the rule */
  uint32_t since_minor; /**< its second number */
};

/** The release of Linux that the kinds and flags of a blob need. */
struct bpflink_requirement {
  const char* what;  /**< what came with it, such as "TYPE_TAG". Static */
  uint32_t major;    /**< of the release */
  uint32_t minor;    /**< its second number */
  uint32_t type_id;  /**< the first type with it, or 0 */
  uint32_t reserved; /**< 0 */
};

/** Checks `size` bytes of BTF by the rules of the kernel, for a `use` of enum bpflink_btf_use, into
 * `*verdict`. `base` is what a split blob continues, or null. Whatever the blob is, the call
 * succeeds. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_btf_check(const void* blob, size_t size, uint32_t use,
                                                    const bpflink_btf* base,
                                                    bpflink_verdict** verdict);

/** Frees a verdict and all that was got from it; null is allowed. */
BPFLINK_C_API void bpflink_verdict_free(bpflink_verdict* verdict);

/** How many faults there are to look at, a hundred at most; 0: a kernel takes the blob. */
BPFLINK_C_API size_t bpflink_verdict_fault_count(const bpflink_verdict* verdict);

/** Describes the fault with an index below that. Errors: ARGUMENT. */
BPFLINK_C_API enum bpflink_status bpflink_verdict_fault(const bpflink_verdict* verdict,
                                                        size_t index, struct bpflink_fault* out,
                                                        size_t size);

/** The release that is needed. Errors: ARGUMENT. */
BPFLINK_C_API enum bpflink_status bpflink_verdict_needs(const bpflink_verdict* verdict,
                                                        struct bpflink_requirement* out,
                                                        size_t size);

/** Makes the BTF of a linked program: of the types of its units, each once, and of its symbols. A
 * compiler says a FUNC of what is declared, too, and of what was inlined; symbols say what is
 * there. */
typedef struct bpflink_linked bpflink_linked;

/** Why a symbol has no FUNC or VAR, or a tag no FUNC. */
enum bpflink_linked_omission {
  BPFLINK_LINKED_SEVERAL_PROTOTYPES = 0, /**< functions of that name have several prototypes */
  BPFLINK_LINKED_CLONE = 1,              /**< only clones of the function are there ("f.isra.0") */
  BPFLINK_LINKED_SEVERAL_TYPES = 2,      /**< variables of that name have several types */
  BPFLINK_LINKED_OTHER_SIZE = 3,         /**< the variable's type has not the symbol's size */
  BPFLINK_LINKED_OVERLAP = 4,            /**< another variable is in the place */
  BPFLINK_LINKED_TAG_WITHOUT_FUNCTION = 5, /**< a tag is for a function that has no FUNC */
};

/** Begins without inputs and symbols, in `*linked`; null on failure. `options` may be null for the
 * defaults. Where they have a base, the inputs are not split all the same: what is equal to a type
 * of the base is that one, and the others go on from its end. Errors: ARGUMENT, MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linked_new(const struct bpflink_dedup_options* options,
                                                     bpflink_linked** linked);

/** Frees what bpflink_linked_new() made; null is allowed. */
BPFLINK_C_API void bpflink_linked_free(bpflink_linked* linked);

/** Adds an input, called `name` in messages, which is not split. It is taken in at once and may be
 * freed. Errors: ARGUMENT, also after bpflink_linked_run() and for split BTF; MEMORY; INPUT where,
 * with a base, it has types of unknown kinds. */
BPFLINK_C_API enum bpflink_status bpflink_linked_add(bpflink_linked* linked, const char* name,
                                                     const bpflink_btf* btf);

/** Adds a function that is in the program, by the name of its symbol. Errors: ARGUMENT, also after
 * bpflink_linked_run(); MEMORY. */
BPFLINK_C_API enum bpflink_status bpflink_linked_add_function(bpflink_linked* linked,
                                                              const char* name);

/** Adds a variable of which each CPU has one, by the name of its symbol, with its offset from the
 * start of the section `.data..percpu` and its size, both in bytes. `is_local` is 1 for a symbol
 * that other units do not know, else 0. Errors: as above. */
BPFLINK_C_API enum bpflink_status bpflink_linked_add_variable(bpflink_linked* linked,
                                                              const char* name, uint32_t offset,
                                                              uint32_t size, uint32_t is_local);

/** Has a function of the program get a tag, such as "bpf_kfunc". Errors: as above. */
BPFLINK_C_API enum bpflink_status bpflink_linked_tag_function(bpflink_linked* linked,
                                                              const char* name, const char* text);

/** Makes the BTF, once, as bpflink_dedup_run() does: FUNCs, VARs and their DATASEC by the symbols,
 * all other types of the inputs but prototypes that nothing refers to. Errors: ARGUMENT, MEMORY;
 * INPUT as there. */
BPFLINK_C_API enum bpflink_status bpflink_linked_run(bpflink_linked* linked, void** blob,
                                                     size_t* size, char** error);

/** After bpflink_linked_run(): symbol `index`, in order of names, of those that have no FUNC or
 * VAR although the inputs have one of that name, in `*name`, which is the handle's, and the reason
 * in `*reason`. Errors: ARGUMENT; NOT_FOUND where there are not as many. */
BPFLINK_C_API enum bpflink_status bpflink_linked_omitted(const bpflink_linked* linked, size_t index,
                                                         const char** name,
                                                         enum bpflink_linked_omission* reason);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
