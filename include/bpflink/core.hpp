// CO-RE: the types of a kernel that a program refers to, bound before the program is loaded.
//
// A CO-RE relocation names a type of the program's own BTF, a path into it and a question: at which
// offset is this member, does this type exist, what is the value of this enumerator? The loader
// answers with the types of the kernel that it finds. A CoreResolver gives the answers that libbpf
// 1.8 gives. The kernel's Documentation/bpf/llvm_reloc.rst ("CO-RE Relocations") has the format.
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/export.hpp"

namespace bpflink {

/// What a relocation asks, with the values of the kernel's enum bpf_core_relo_kind.
enum class CoreKind : uint32_t {
  FieldByteOffset = 0,  ///< where a member is, in bytes
  FieldByteSize = 1,    ///< how many bytes it has
  FieldExists = 2,      ///< whether it is there
  FieldSigned = 3,      ///< whether it is signed
  FieldLshiftU64 = 4,   ///< by how much to shift left what was loaded to get a bit-field
  FieldRshiftU64 = 5,   ///< and right after that
  TypeIdLocal = 6,      ///< the id of a type of the program
  TypeIdTarget = 7,     ///< the id of a type of the kernel
  TypeExists = 8,       ///< whether a type is there
  TypeSize = 9,         ///< how many bytes it has
  EnumvalExists = 10,   ///< whether an enumerator is there
  EnumvalValue = 11,    ///< its value
  TypeMatches = 12,     ///< whether a type is there and like the program's
};

/// How libbpf's log words a kind: "byte_off"; "unknown" for other values.
BPFLINK_API std::string_view core_kind_name(CoreKind kind);
/// Whether the kind is about a member or an element of an array.
constexpr bool is_field_kind(CoreKind kind) {
  return kind <= CoreKind::FieldRshiftU64;
}
/// Whether the kind is about an enumerator.
constexpr bool is_enumerator_kind(CoreKind kind) {
  return kind == CoreKind::EnumvalExists || kind == CoreKind::EnumvalValue;
}
/// Whether the loader answers 0 if the kernel lacks the thing, instead of poisoning the
/// instruction: for kinds that ask whether something exists, and for kinds about types.
constexpr bool may_be_absent(CoreKind kind) {
  return kind == CoreKind::FieldExists || kind == CoreKind::EnumvalExists ||
         (!is_field_kind(kind) && !is_enumerator_kind(kind));
}

/// A relocation of a program.
struct CoreRelocation {
  uint32_t type_id;         ///< of the program's BTF, where the path begins
  std::string_view access;  ///< the path, "0:1:2": an index of an array, then members and indices
  CoreKind kind;            ///< the question
};

/// The part of a type's name that counts: without a flavor, "___v2" of "task_struct___v2".
BPFLINK_API std::string_view essential_name(std::string_view name);

/// The types of a kernel, to look up by name.
class BPFLINK_API CoreKernel {
 public:
  /// Takes in the types of `vmlinux` and of `modules`, which are split from it. All must outlive
  /// the result. A program that finds a type in vmlinux does not look into modules. Throws
  /// std::bad_alloc, and nothing else.
  explicit CoreKernel(const BtfView& vmlinux, std::span<const BtfView> modules = {});
  /// Moves; what was moved from may only be assigned to or destroyed.
  CoreKernel(CoreKernel&&) noexcept;
  /// Moves, as above.
  CoreKernel& operator=(CoreKernel&&) noexcept;
  ~CoreKernel();

  /// The types of the kernel's image.
  const BtfView& vmlinux() const;
  /// The types of its modules.
  std::span<const BtfView> modules() const;
  /// The id of the first type of vmlinux of that kind and essential name, or nothing. Functions
  /// and variables are not found.
  std::optional<uint32_t> find(BtfKind kind, std::string_view name) const;
  /// The types that a CoreCandidate's `module` stands for.
  const BtfView& types(uint32_t module) const {
    return module == 0 ? vmlinux() : modules()[module - 1];
  }

 private:
  friend struct CoreKernelAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A step of a path through types: a member, or an element of an array.
struct CoreStep {
  uint32_t type_id = 0;        ///< the struct, or the type of the elements
  uint32_t index = 0;          ///< of the member or element
  std::string_view name = {};  ///< the member's, "" for an element
  bool is_element = false;     ///< of an array; else a member
};

/// The steps of a relocation's path through the program's own types, with the names of members; of
/// an enumerator the one step. Empty where the path leads nowhere, and for kinds about types.
BPFLINK_API std::vector<CoreStep> core_steps(const BtfView& program,
                                             const CoreRelocation& relocation);

/// What becomes of a relocation.
enum class CoreOutcome : uint8_t {
  Value,   ///< the kernel gives a value
  Absent,  ///< the kernel lacks it: the loader replaces the instruction with an invalid one
  Failed,  ///< no object with such a relocation can be loaded
};

/// Why a relocation has no value.
enum class CoreReason : uint8_t {
  None,              ///< it has one
  NoType,            ///< no type of that name and kind
  NoMember,          ///< a struct of that name has no such member
  OtherMember,       ///< the member's type cannot stand for the program's
  NotAnArray,        ///< the program's array is no array in the kernel
  ShortArray,        ///< the array has too few elements
  NoEnumerator,      ///< no such enumerator
  NotAnEnum,         ///< the program's enum is no enum in the kernel
  OtherType,         ///< a type of that name is not like the program's
  Ambiguous,         ///< several types of that name give several values
  Anonymous,         ///< the program's type has no name
  Malformed,         ///< the path leads nowhere in the program's own types
  NoSize,            ///< the kernel's type has no size
  NotForArrays,      ///< the kind asks what an element of an array does not have
  WideBitfield,      ///< a bit-field that no load of 64 bits covers
  TooDeep,           ///< types nest deeper than the loader looks
  MemberSize,        ///< no load or store of this size can be made one of the member
  LargeOffset,       ///< the offset does not fit into a load or store
  OtherInstruction,  ///< the instruction is not what compilers make for such a relocation
};

/// Where the search for a type's member, enumerator or likeness ended.
struct CoreCandidate {
  uint32_t module = 0;   ///< where it is: 0 for vmlinux, else one more than the index of the module
  uint32_t id = 0;       ///< the candidate
  bool matches = false;  ///< it has what the program looks for
  bool is_error = false;  ///< loaders give up here
  /// Why it does not match, or gives no value; OtherMember also of one that matches, if another
  /// member of the name was passed on the path, of which loaders add the offset.
  CoreReason reason = CoreReason::None;
  uint32_t depth = 0;               ///< steps of the program's path that were found
  uint32_t at = 0;                  ///< the type in which the next one was not
  std::vector<CoreStep> path = {};  ///< all members and elements, those without a name too
};

/// What becomes of a relocation.
struct CoreResult {
  CoreOutcome outcome = CoreOutcome::Failed;  ///< what the loader does
  CoreReason reason = CoreReason::None;       ///< why there is no value
  uint64_t value = 0;                         ///< what the instruction gets
  uint64_t local_value = 0;                   ///< what the compiler put there
  /// Whether the loader demands that the instruction has `local_value`.
  bool is_checked = false;
  /// Bytes of the member in the program, 0 where there is none.
  uint32_t local_size = 0;
  /// The same in the kernel: a load or store of `local_size` becomes one of this size.
  uint32_t size = 0;
  /// Where these differ: whether a load or store can be changed.
  bool is_resizable = true;
  /// A member is signed in the program and not in the kernel, or the other way round.
  bool sign_differs = false;
};

/// Answers the relocations of a program, one after the other.
class BPFLINK_API CoreResolver {
 public:
  /// For a program with these types, in that byte order. Both must outlive the result.
  CoreResolver(const BtfView& program, std::endian order, const CoreKernel& kernel);
  /// Moves; what was moved from may only be assigned to or destroyed.
  CoreResolver(CoreResolver&&) noexcept;
  /// Moves, as above.
  CoreResolver& operator=(CoreResolver&&) noexcept;
  ~CoreResolver();

  /// The answer. The order counts, as it does with the loader: a type in which something was found
  /// rules out, for later relocations of the same type of the program, those of its name in which
  /// it was not.
  CoreResult resolve(const CoreRelocation& relocation);

  /// The types of the kernel that the last relocation was tried with, in the order of the search.
  /// Valid until the next one.
  std::span<const CoreCandidate> candidates() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether loaders take type `id` of a program for type `kernel_id` of a kernel, as of prototypes
/// of kfuncs: kinds agree, behind modifiers, pointers, arrays and through prototypes; names, sizes,
/// members and enumerators do not count. False also of what is nested deeper than loaders look.
BPFLINK_API bool are_types_compatible(const BtfView& program, uint32_t id, const BtfView& kernel,
                                      uint32_t kernel_id);

/// Makes BTF with what some relocations need of a kernel's types and no more, for kernels without
/// BTF of their own or to be shipped with a program.
///
/// Relocations have the same outcomes and values with it, in the same order, but for the ids of the
/// kernel's types. What is kept: a type that was found, under its name; of structs the members that
/// a path passed through, without typedefs and qualifiers; of enums the enumerators that were
/// found; pointers without what they point to. A type that no relocation names has no name. Types
/// of modules are among the others.
class BPFLINK_API CoreMinimizer {
 public:
  /// Begins with nothing. The kernel must outlive the result.
  explicit CoreMinimizer(const CoreKernel& kernel);
  /// Moves; what was moved from may only be assigned to or destroyed.
  CoreMinimizer(CoreMinimizer&&) noexcept;
  /// Moves, as above.
  CoreMinimizer& operator=(CoreMinimizer&&) noexcept;
  ~CoreMinimizer();

  /// Keeps what the relocations of a program need, in their order. Where several types of the
  /// kernel give the same answers, the first alone is kept.
  void keep(const BtfView& program, std::endian order, std::span<const CoreRelocation> relocations);

  /// The blob, in that byte order. Call once, after the last keep(). Errors: those of
  /// BtfBuilder::finish().
  std::expected<std::vector<std::byte>, Error> finish(std::endian order);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a relocation of an object comes to on a kernel.
enum class CoreStatus : uint8_t {
  Resolves,  ///< it is bound
  Guarded,   ///< it is not, and no execution gets there
  Unknown,   ///< what is known of the kernel does not tell; of relocations, never
  Fails,     ///< it is not, and a program gets there, or no program of the object can be loaded
};

/// "resolves", "guarded", "unknown", "fails".
BPFLINK_API std::string_view core_status_name(CoreStatus status);

/// A variable of .rodata, which user space may set before the load, and the value that it is taken
/// to have.
struct CoreAssumption {
  std::string variable;  ///< its name, and where it is within it, "limits+8", unless at the start
  uint64_t value;        ///< as an unsigned number of its size
  /// Whether both say the same.
  friend bool operator==(const CoreAssumption&, const CoreAssumption&) = default;
};

/// A relocation of an object on a kernel.
struct CoreVerdict {
  std::string section;                        ///< of the code
  uint32_t index = 0;                         ///< among the section's relocations
  uint64_t offset = 0;                        ///< of the instruction, bytes into the section
  CoreKind kind = CoreKind::FieldExists;      ///< the question
  std::string access = {};                    ///< "struct task_struct.pid"
  CoreStatus status = CoreStatus::Fails;      ///< what it comes to
  CoreOutcome outcome = CoreOutcome::Failed;  ///< what the loader does
  CoreReason reason = CoreReason::None;       ///< why there is no value
  uint64_t value = 0;                         ///< where outcome is Value
  /// The programs that reach it; of one that is not reached, those that contain it.
  std::vector<std::string> programs = {};
  /// On which it rests that it is guarded; empty: that is so whatever user space sets.
  std::vector<CoreAssumption> assumes = {};
  std::string message =
      {};  ///< of one that has no value: "struct task_struct has no member 'state'"
};

/// What is known beside the types of a kernel, and of what user space does.
struct CoreFacts {
  /// LINUX_KERNEL_VERSION, 0 where it is not known.
  uint32_t version = 0;
  /// The value of a variable of .kconfig by its name, "CONFIG_HZ"; nothing where it is not known.
  std::function<std::optional<uint64_t>(std::string_view)> kconfig = {};
  /// Whether the kernel has an extern of .ksyms; nothing where it is not known.
  std::function<std::optional<bool>(std::string_view)> has_ksym = {};
  /// Values of variables of .rodata by their names.
  std::map<std::string, uint64_t> settings = {};
  /// The other variables of .rodata are unknown, too.
  bool strict = false;
};

/// What becomes of the relocations of a BPF object on a kernel, in the order of .BTF.ext. Errors:
/// those of Object::parse().
BPFLINK_API std::expected<std::vector<CoreVerdict>, Error> check_core(
    std::span<const std::byte> object, const CoreKernel& kernel, const CoreFacts& facts = {});

/// The BTF that objects need of a kernel, all together, in that byte order. Errors: those of
/// Object::parse() and CoreMinimizer::finish().
BPFLINK_API std::expected<std::vector<std::byte>, Error> minimize_core(
    std::span<const std::span<const std::byte>> objects, const CoreKernel& kernel,
    std::endian order = std::endian::native);

}  // namespace bpflink
