// Whether a kernel accepts a blob of BTF, and which release of Linux it needs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Which of its two parsers a kernel reads BTF with.
enum class BtfUse : uint8_t {
  Program,  ///< BTF for the system call BPF_BTF_LOAD: all rules hold
  Kernel,   ///< the kernel's own, or with a base a module's: each type is checked alone, and the
            ///< order of type tags; sizes and references are trusted
};

/// A rule for BTF; btf_rule_text() has its text. New ones may be added.
enum class BtfRule : uint8_t {
  // The blob.
  BlobSize,
  HeaderSize,
  HeaderRest,
  Magic,
  Version,
  Flags,
  NoData,
  SectionOffset,
  SectionGap,
  SectionOverlap,
  SectionSize,
  StringsNotLast,
  StringsInvalid,
  TypesUnaligned,
  NoTypes,
  TypeCount,
  // Each type alone.
  CutOff,
  UnknownKind,
  InfoBits,
  NameOffset,
  MemberName,
  NameMissing,
  NameUnexpected,
  NameCharacters,
  SectionName,
  TagText,
  TagValue,
  NoElements,
  NoKindFlag,
  TypeIdLimit,
  FwdType,
  ArraySize,
  IntData,
  IntEncoding,
  IntBits,
  IntSize,
  EnumSize,
  FloatSize,
  MemberVoid,
  MemberOrder,
  MemberOffset,
  FuncLinkage,
  VarVoid,
  VarLinkage,
  DatasecSize,
  VarOrder,
  VarSize,
  VarEnd,
  ComponentIndex,
  // What types refer to.
  ReferenceKind,
  ArrayIndex,
  ArrayElement,
  ArrayOfBitField,
  ArrayOverflow,
  MemberKind,
  MemberEnd,
  MemberByte,
  MemberAlignment,
  BitFieldSize,
  BitFieldType,
  BitFieldByte,
  VarKind,
  VarTooSmall,
  VarAfterPointer,
  FuncPrototype,
  ParameterName,
  ParameterType,
  ParameterCharacters,
  ReturnType,
  TagTarget,
  Loop,
  Depth,
  TagOrder,
  ChainLength,
  // What a kernel looks for in structs of programs.
  TagOfMember,
  UserPointer,
  KptrTarget,
  FieldCount,
};

/// A release of Linux.
struct LinuxRelease {
  uint16_t major = 0;  ///< 6 of 6.18
  uint16_t minor = 0;  ///< 18 of 6.18
  /// Compares by age: the older one is less.
  friend auto operator<=>(const LinuxRelease&, const LinuxRelease&) = default;
};

/// An update of a release: 20 of 6.1.20.
struct LinuxUpdate {
  LinuxRelease release;  ///< 6.1
  uint16_t number;       ///< 20
};

/// The text of a rule.
struct BtfRuleText {
  BtfRule rule;             ///< the rule
  std::string_view key;     ///< a name for programs, such as "member-end"
  std::string_view text;    ///< the rule in plain words: "a member ends inside its struct"
  std::string_view kernel;  ///< the words of a kernel's log, or ""
  std::string_view advice;  ///< what to do
  LinuxRelease since;       ///< the first release that has it
  LinuxRelease until = {};  ///< the first later one that does not, or 0.0: all have it
  std::span<const LinuxUpdate> patched = {};  ///< updates that freed earlier releases of the rule
};

/// The text of a rule. Static.
const BtfRuleText& btf_rule_text(BtfRule rule);

/// A broken rule.
struct BtfFault {
  BtfRule rule;              ///< the rule
  uint32_t type_id = 0;      ///< 0 if the fault is about the blob, not about a type
  int32_t element = -1;      ///< its member, parameter, enumerator or variable, or -1
  std::string type = {};     ///< the type as C, or ""
  std::string subject = {};  ///< the element in words, such as "member 'x'", or ""
};

/// A fault in one line: the type, the rule, the kernel's words and what to do, which is
/// BtfVerdict's `misfit` where that is not "".
std::string describe_fault(const BtfFault& fault, std::string_view misfit = {});

/// The release of Linux that a blob needs.
struct BtfRequirement {
  LinuxRelease release = {4, 18};  ///< the first that accepts the blob, if it has no fault
  std::string_view what = "BTF";   ///< what came with that release, such as "TYPE_TAG". Static
  uint32_t type_id = 0;            ///< the first type that needs it, or 0
};

/// What check_btf() found.
struct BtfVerdict {
  std::vector<BtfFault> faults;  ///< by phase of the check and type id; empty: a kernel accepts it
  uint64_t omitted = 0;          ///< faults beyond the first hundred, of the same rules
  /// Why a split blob does not fit the base, or "": none is given, or the blob's names show that it
  /// was made with another one. Then only the first fault is listed: others follow from it. Kernels
  /// do not know of it, and may accept the blob.
  std::string misfit;
  /// Whether no base is given, and types refer to ids beyond the end, as those of split BTF do.
  bool may_be_split = false;
  BtfRequirement needs;  ///< the release that reads it, and why
};

/// Whether Linux `release` has a rule. Without the number of its `update`, it has no rule that a
/// later update freed it of.
bool has_rule(LinuxRelease release, BtfRule rule, std::optional<uint16_t> update = {});

/// Whether Linux `release` accepts the blob of a verdict: it reads all that the blob uses, and has
/// none of the rules that it breaks. `update` is as in has_rule().
bool is_accepted(const BtfVerdict& verdict, LinuxRelease release,
                 std::optional<uint16_t> update = {});

/// The newest release whose rules check_btf() knows.
inline constexpr LinuxRelease newest_known_release = {7, 2};

/// Whether Linux accepts `blob` on a machine of the blob's byte order: which rules it breaks of
/// those of any release up to newest_known_release. It finds all faults, unless a header
/// or a type is so broken that nothing is known of the rest. A faulty type makes no faults of the
/// types that refer to it. `base` is what a split blob continues, or null. The blob need not be one
/// that Btf::parse() accepts. btf.rst, sections 2 and 3.1.
BtfVerdict check_btf(std::span<const std::byte> blob, BtfUse use = BtfUse::Program,
                     const Btf* base = nullptr);

/// Whether types are those of a kernel image: only that defines `struct bpf_ctx_convert`.
bool is_kernel_image(const BtfView& btf);

}  // namespace bpflink
