// A BPF object as a loader sees it: its programs, maps, variables and externs. For skeleton
// generators.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The type of a program, with the values of the kernel's enum bpf_prog_type.
enum class ProgramType : uint32_t {
  Unspec = 0,  ///< the section's name does not say: the loader's user must
  SocketFilter = 1,
  Kprobe = 2,
  SchedCls = 3,
  SchedAct = 4,
  Tracepoint = 5,
  Xdp = 6,
  PerfEvent = 7,
  CgroupSkb = 8,
  CgroupSock = 9,
  LwtIn = 10,
  LwtOut = 11,
  LwtXmit = 12,
  SockOps = 13,
  SkSkb = 14,
  CgroupDevice = 15,
  SkMsg = 16,
  RawTracepoint = 17,
  CgroupSockAddr = 18,
  LwtSeg6local = 19,
  LircMode2 = 20,
  SkReuseport = 21,
  FlowDissector = 22,
  CgroupSysctl = 23,
  RawTracepointWritable = 24,
  CgroupSockopt = 25,
  Tracing = 26,
  StructOps = 27,
  Ext = 28,
  Lsm = 29,
  SkLookup = 30,
  Syscall = 31,
  Netfilter = 32,
};

/// As bpftool spells it: "xdp", "sched_cls"; "unspec" for unknown values. Ends with NUL.
std::string_view program_type_name(ProgramType type);

/// A value of the kernel's enum bpf_attach_type as libbpf spells it: "trace_fentry"; "unknown" for
/// unknown values. Ends with NUL.
std::string_view attach_type_name(uint32_t type);

/// A value of the kernel's enum bpf_map_type as bpftool spells it: "hash"; "unknown" for unknown
/// values. Ends with NUL.
std::string_view map_type_name(uint32_t type);

/// What the name of a section says of its programs, by the rules of libbpf 1.x (the kernel's
/// Documentation/bpf/libbpf/program_types.rst).
struct SectionMeaning {
  /// The type of the programs in the section.
  ProgramType type = ProgramType::Unspec;
  /// The value of the kernel's enum bpf_attach_type that loading expects; 0 also if it expects
  /// none.
  uint32_t attach_type = 0;
  /// Whether they may sleep: ".s" sections, and others that the kernel lets sleep.
  bool sleepable = false;
  /// Whether they take XDP fragments: "xdp.frags".
  bool xdp_frags = false;
  /// False for a "?" before the name: loaded only if asked for.
  bool autoload = true;
  /// What follows the first '/', as in "fentry/do_unlinkat", or "". Points into the name given.
  std::string_view target = {};
};

/// Reads the name of a section, such as "xdp" or "?fentry.s/bpf_fentry_test1". A name without a
/// meaning gives ProgramType::Unspec.
SectionMeaning section_meaning(std::string_view section);

/// A program: a global function in a section of code other than `.text`.
struct Program {
  std::string_view name = {};     ///< the function's name
  std::string_view section = {};  ///< as in the object, "?" included
  SectionMeaning meaning = {};    ///< what the section's name says
  uint64_t offset = 0;            ///< bytes into the section
  uint64_t size = 0;              ///< bytes; 8 for each instruction slot
  uint32_t btf_id = 0;            ///< its FUNC, 0 without BTF
  uint32_t type_id = 0;           ///< the FUNC's prototype, 0 without BTF
};

/// A member of a map's definition in `.maps`, known to libbpf or not.
struct MapAttribute {
  /// How the attribute is written in C.
  enum class Form : uint8_t {
    Number,  ///< `__uint(name, value)`, `__ulong(name, value)`
    Type,    ///< `__type(name, type)`
    Values,  ///< `__array(name, type)`: inner maps or programs
    Other,   ///< anything else: type_id is the member's type
  };
  std::string_view name = {};  ///< the member's name
  Form form = Form::Other;     ///< how it is written
  uint64_t number = 0;         ///< of Number: the value
  uint32_t type_id = 0;        ///< of the others: the type, of Values the element's
};

/// A slot of a map that the map's definition fills.
struct MapSlot {
  uint32_t index = 0;       ///< the key of the element
  std::string_view symbol;  ///< the map or function put there
};

/// A map that is defined in `.maps`.
struct Map {
  std::string_view name = {};  ///< the variable's name
  uint64_t offset = 0;         ///< bytes into `.maps`
  uint32_t var_id = 0;         ///< its VAR, 0 without BTF
  bool is_static = false;      ///< a local symbol
  bool is_weak = false;        ///< a weak definition
  /// Every attribute, in the order of the definition.
  std::vector<MapAttribute> attributes = {};
  /// Of a map of maps: the attributes of the maps within.
  std::vector<MapAttribute> inner_attributes = {};
  /// The slots that the definition fills, by ascending index.
  std::vector<MapSlot> slots = {};

  // The known attributes; 0 if the definition does not give them.

  uint32_t type = 0;           ///< of the kernel's enum bpf_map_type
  uint32_t key_size = 0;       ///< bytes: key_size, or the size of key's type
  uint32_t value_size = 0;     ///< bytes: value_size, or the size of value's type
  uint32_t max_entries = 0;    ///< elements
  uint32_t flags = 0;          ///< map_flags, BPF_F_*
  uint64_t extra = 0;          ///< map_extra
  uint32_t numa_node = 0;      ///< numa_node
  uint32_t pinning = 0;        ///< LIBBPF_PIN_*
  uint32_t key_type_id = 0;    ///< of `__type(key, ...)`
  uint32_t value_type_id = 0;  ///< of `__type(value, ...)`

  /// The attribute of that name, or null.
  const MapAttribute* attribute(std::string_view attribute_name) const {
    for (const MapAttribute& candidate : attributes)
      if (candidate.name == attribute_name) return &candidate;
    return nullptr;
  }
};

/// A variable of a section of data.
struct Variable {
  std::string_view name = {};  ///< its name
  uint64_t offset = 0;         ///< bytes into the section
  uint64_t size = 0;           ///< bytes
  uint32_t var_id = 0;         ///< its VAR, 0 without BTF
  uint32_t type_id = 0;        ///< its type, 0 without BTF
  bool is_static = false;      ///< a local symbol
  bool is_weak = false;        ///< a weak definition
  bool is_hidden = false;      ///< of hidden visibility, for the object's own code only
  uint32_t data_section = 0;   ///< its section: an index into Object::data_sections()
};

/// A section of data that the loader makes a map of, or puts into an arena.
struct DataSection {
  /// What the section is for.
  enum class Kind : uint8_t {
    Data,     ///< `.data`, `.data.*`
    Rodata,   ///< `.rodata`, `.rodata.*`: constants, `const volatile` settings
    Bss,      ///< `.bss`, `.bss.*`
    Kconfig,  ///< `.kconfig`: the kernel's configuration, filled in by the loader
    Arena,    ///< `.addr_space.1`: the variables of an arena
    Percpu,   ///< `.percpu`, `.percpu.*`: variables with a copy for each CPU (Linux 7.3)
  };
  std::string_view name = {};  ///< ".data", ".rodata.limits"
  Kind kind = Kind::Data;      ///< what it is for
  uint64_t size = 0;           ///< bytes
  uint64_t alignment = 1;      ///< bytes
  uint32_t datasec_id = 0;     ///< its DATASEC, 0 without BTF
  /// The initial values; empty if all are zero.
  std::span<const std::byte> contents = {};
  /// By ascending offset.
  std::vector<Variable> variables = {};
};

/// A function or variable that the object uses and does not define. Variables of `.kconfig` are
/// also variables of the data section `.kconfig`.
struct Extern {
  std::string_view name = {};  ///< its name
  /// `.ksyms` or `.kconfig` if the loader provides it, else "".
  std::string_view section = {};
  uint32_t btf_id = 0;       ///< its FUNC or VAR, 0 without BTF
  uint32_t type_id = 0;      ///< the FUNC's prototype or the VAR's type
  bool is_function = false;  ///< a function, not a variable
  bool is_weak = false;      ///< may stay undefined
};

/// A member of a struct_ops variable that a program implements.
struct StructOpsMember {
  std::string_view name;     ///< "init" or, within a member struct, "ops.init"
  std::string_view program;  ///< the function that it is set to
  uint64_t offset = 0;       ///< bytes into the variable
};

/// A variable in a `.struct_ops*` section: a map of type struct_ops.
struct StructOps {
  std::string_view name = {};       ///< the variable's name
  std::string_view section = {};    ///< ".struct_ops", ".struct_ops.link", "?.struct_ops.link"
  std::string_view type_name = {};  ///< the struct's name, such as "tcp_congestion_ops"
  uint32_t type_id = 0;             ///< the struct, without modifiers
  uint64_t offset = 0;              ///< bytes into the section
  uint64_t size = 0;                ///< bytes
  /// The initial values; empty if all are zero.
  std::span<const std::byte> contents = {};
  bool is_link = false;  ///< attached by a link: a `.link` section
  bool autoload = true;  ///< false for a "?" section: registered only if asked for
  /// The members that are set, by ascending offset.
  std::vector<StructOpsMember> members = {};
};

/// A read-only view of a BPF object (ELFCLASS64, ET_REL, EM_BPF). Everything is checked when it is
/// made. What the accessors return stays valid while the Object lives, also when it is moved, and
/// for parse() while the image lives. Several threads may read it.
class Object {
 public:
  /// Reads the object file at `path`, which must not change while the Object lives. Errors: it
  /// cannot be opened or mapped; those of parse().
  static std::expected<Object, Error> open(const std::string& path);
  /// Reads the object in `image`, which stays the caller's and must outlive the Object. Errors: not
  /// a BPF object; a section, symbol, relocation or type that is malformed or outside its table,
  /// which the message names; a map whose definition is not a struct.
  static std::expected<Object, Error> parse(std::span<const std::byte> image);

  /// Moves; what was moved from may only be assigned to or destroyed.
  Object(Object&&) noexcept;
  /// Moves, as above.
  Object& operator=(Object&&) noexcept;
  ~Object();

  /// The byte order of the object and its BTF.
  std::endian byte_order() const;
  /// The text of the `license` section, "" without one.
  std::string_view license() const;
  /// The object's types, or null.
  const Btf* btf() const;

  /// By section as in the object, then by ascending offset.
  std::span<const Program> programs() const;
  /// By ascending offset; without data sections and struct_ops.
  std::span<const Map> maps() const;
  /// In the order of the object's sections.
  std::span<const DataSection> data_sections() const;
  /// In the order of the symbol table.
  std::span<const Extern> externs() const;
  /// By section as in the object, then by ascending offset.
  std::span<const StructOps> struct_ops() const;

  /// The program of that name, in constant time. Of several items of one name, such as static
  /// variables of several units, this and the following find the first. Null if there is none.
  const Program* find_program(std::string_view name) const;
  /// The map of that name.
  const Map* find_map(std::string_view name) const;
  /// The variable of that name, whatever its section.
  const Variable* find_variable(std::string_view name) const;
  /// The extern of that name.
  const Extern* find_extern(std::string_view name) const;

 private:
  friend struct ObjectAccess;
  struct Impl;
  explicit Object(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
