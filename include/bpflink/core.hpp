// CO-RE (compile once, run everywhere): relocations that a loader resolves with a kernel's types.
//
// A CO-RE relocation names a type of the program's own BTF, a path into it and a question: at which
// offset is this member, does this type exist, what is the value of this enumerator? The loader
// answers with the kernel's types. A CoreResolver gives the answers of libbpf 1.8. The kernel's
// Documentation/bpf/llvm_reloc.rst ("CO-RE Relocations") specifies the format.
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What a relocation asks, with the values of the kernel's enum bpf_core_relo_kind.
enum class CoreKind : uint32_t {
  FieldByteOffset = 0,  ///< where a member is, in bytes
  FieldByteSize = 1,    ///< how many bytes it has
  FieldExists = 2,      ///< whether it exists
  FieldSigned = 3,      ///< whether it is signed
  FieldLshiftU64 = 4,   ///< by how much to shift a loaded bit-field left
  FieldRshiftU64 = 5,   ///< and then right
  TypeIdLocal = 6,      ///< the id of a type of the program
  TypeIdTarget = 7,     ///< the id of a type of the kernel
  TypeExists = 8,       ///< whether a type exists
  TypeSize = 9,         ///< how many bytes it has
  EnumvalExists = 10,   ///< whether an enumerator exists
  EnumvalValue = 11,    ///< its value
  TypeMatches = 12,     ///< whether a type exists and is like the program's
};

/// The name of a kind in libbpf's log: "byte_off"; "unknown" for other values. Ends with NUL.
std::string_view core_kind_name(CoreKind kind);
/// Whether the kind is about a member or an element of an array.
constexpr bool is_field_kind(CoreKind kind) {
  return kind <= CoreKind::FieldRshiftU64;
}
/// Whether the kind is about an enumerator.
constexpr bool is_enumerator_kind(CoreKind kind) {
  return kind == CoreKind::EnumvalExists || kind == CoreKind::EnumvalValue;
}
/// Whether the loader answers 0 if the kernel lacks what a relocation of that kind names, instead
/// of poisoning the instruction: kinds that ask whether something exists, and kinds about types.
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

/// A type's name without its flavor, such as "___v2" of "task_struct___v2".
std::string_view essential_name(std::string_view name);

/// A kernel's types, indexed by name.
class CoreKernel {
 public:
  /// Indexes the types of `vmlinux` and of `modules`, which are split from it. All must outlive the
  /// CoreKernel. Modules are searched only for types that vmlinux does not have. Throws only
  /// std::bad_alloc.
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

/// The steps of a relocation's path through the program's own types, with the names of members; for
/// an enumerator a single step. Empty if the path is invalid, and for kinds about types.
std::vector<CoreStep> core_steps(const BtfView& program, const CoreRelocation& relocation);

/// What the loader does with a relocation.
enum class CoreOutcome : uint8_t {
  Value,   ///< it writes the value into the instruction
  Absent,  ///< the kernel lacks what is asked for: it replaces the instruction with an invalid one
  Failed,  ///< it refuses the object
};

/// Why a relocation has no value.
enum class CoreReason : uint8_t {
  None,                   ///< it has one
  NoType,                 ///< no type of that name and kind
  NoMember,               ///< a struct of that name has no such member
  MemberTypeMismatch,     ///< the member's type cannot stand for the program's
  NotAnArray,             ///< the program's array is not an array in the kernel
  ShortArray,             ///< the array has too few elements
  NoEnumerator,           ///< no such enumerator
  NotAnEnum,              ///< the program's enum is not an enum in the kernel
  TypeMismatch,           ///< a type of that name is not like the program's
  Ambiguous,              ///< several types of that name give several values
  Anonymous,              ///< the program's type has no name
  Malformed,              ///< the path is invalid in the program's own types
  NoSize,                 ///< the kernel's type has no size
  NotForArrays,           ///< the question makes no sense for an element of an array
  WideBitfield,           ///< a bit-field that no load of 64 bits covers
  TooDeep,                ///< types nest deeper than the loader looks
  MemberSize,             ///< no load or store has the member's size
  LargeOffset,            ///< the offset does not fit into a load or store
  UnexpectedInstruction,  ///< compilers make no such instruction for such a relocation
};

/// A kernel type that a relocation was compared with, and how far its path was found there.
struct CoreCandidate {
  uint32_t module = 0;    ///< 0: it is vmlinux's; else one more than the index of its module
  uint32_t id = 0;        ///< the candidate
  bool matches = false;   ///< it has what the program asks for
  bool is_error = false;  ///< loaders give up here
  /// Why it does not match, or gives no value. MemberTypeMismatch also if it matches, but the path
  /// passed another member of that name, whose offset loaders add.
  CoreReason reason = CoreReason::None;
  uint32_t depth = 0;  ///< steps of the program's path that were found
  uint32_t at = 0;     ///< the type that lacks the next step
  /// All members and elements that were found, also anonymous ones; then members of the name with
  /// another type, and what is around them.
  std::vector<CoreStep> path = {};
};

/// The answer to a relocation.
struct CoreResult {
  CoreOutcome outcome = CoreOutcome::Failed;  ///< what the loader does
  CoreReason reason = CoreReason::None;       ///< why there is no value
  uint64_t value = 0;                         ///< what the instruction gets
  uint64_t local_value = 0;                   ///< what the compiler put there
  /// Whether the loader refuses an instruction that does not hold `local_value`.
  bool is_checked = false;
  /// Bytes of the member in the program, or 0.
  uint32_t local_size = 0;
  /// Bytes of the member in the kernel: a load or store of `local_size` becomes one of this size.
  uint32_t size = 0;
  /// If the two differ: whether a load or store can be changed.
  bool is_resizable = true;
  /// Whether the member is signed in either the program or the kernel, but not in both.
  bool sign_differs = false;
  /// Whether the member is an array that has another size in the kernel: libbpf before 1.6 refuses
  /// a load or store of an element by such a relocation.
  bool array_size_differs = false;
};

/// Resolves the relocations of a program, one after the other.
class CoreResolver {
 public:
  /// For a program with these types and that byte order. `program` and `kernel` must outlive it.
  CoreResolver(const BtfView& program, std::endian order, const CoreKernel& kernel);
  /// Moves; what was moved from may only be assigned to or destroyed.
  CoreResolver(CoreResolver&&) noexcept;
  /// Moves, as above.
  CoreResolver& operator=(CoreResolver&&) noexcept;
  ~CoreResolver();

  /// The answer to a relocation. The order matters, as with the loader: later relocations of the
  /// same type only consider kernel types that matched the earlier ones.
  CoreResult resolve(const CoreRelocation& relocation);

  /// The kernel types that the last relocation was compared with, in the order of the search. Valid
  /// until the next relocation.
  std::span<const CoreCandidate> candidates() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether loaders accept type `id` of a program for type `kernel_id` of a kernel, such as the
/// prototype of a kfunc. Kinds must agree, also behind modifiers, pointers, arrays and in
/// prototypes; names, sizes, members and enumerators are ignored. False for types that nest deeper
/// than loaders look.
bool are_types_compatible(const BtfView& program, uint32_t id, const BtfView& kernel,
                          uint32_t kernel_id);

/// Makes BTF that has only the types of a kernel that relocations need, to be shipped with a
/// program for kernels without BTF.
///
/// Resolved with it in the same order, the relocations have the same outcomes and values, except
/// the ids of kernel types. It keeps the types that were found, with their names; of structs the
/// members on a path, without typedefs and qualifiers; of enums the enumerators that were found; of
/// pointers not what they point to. A type that no relocation names becomes anonymous. Types of
/// modules are among the others.
class CoreMinimizer {
 public:
  /// Keeps nothing yet. The kernel must outlive it.
  explicit CoreMinimizer(const CoreKernel& kernel);
  /// Moves; what was moved from may only be assigned to or destroyed.
  CoreMinimizer(CoreMinimizer&&) noexcept;
  /// Moves, as above.
  CoreMinimizer& operator=(CoreMinimizer&&) noexcept;
  ~CoreMinimizer();

  /// Keeps what the relocations of a program need, in their order. If several types of the kernel
  /// give the same answers, it keeps the first.
  void keep(const BtfView& program, std::endian order, std::span<const CoreRelocation> relocations);

  /// The blob in byte order `order`. Call once, after the last keep(). Errors: those of
  /// BtfBuilder::finish().
  std::expected<std::vector<std::byte>, Error> finish(std::endian order);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
