// The BTF of a linked program, such as a kernel, from the types of its units and its symbols.
//
// What a compiler says of a unit's functions and variables is not what is there: most of them are
// declared only, others were inlined, or gone with a section. Only the linker's symbol table tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"

namespace bpflink {

/// A variable of which each CPU has one.
struct LinkedVariable {
  std::string_view name;  ///< the symbol's
  uint32_t offset = 0;    ///< bytes from the start of its section
  uint32_t size = 0;      ///< bytes
  bool is_local = false;  ///< not known in other units
};

/// A tag that a function gets: "bpf_kfunc", say.
struct LinkedTag {
  std::string_view function;  ///< the function's name
  std::string_view text;      ///< what is said of it
};

/// What is in a linked program. The strings must outlive the result.
struct LinkedSymbols {
  /// The names of the functions, in any order; of several functions of a name each.
  std::vector<std::string_view> functions{};
  /// The variables that each CPU has of its own, in any order.
  std::vector<LinkedVariable> variables{};
  /// The section that these are in.
  std::string_view variable_section = ".data..percpu";
  /// The tags, in any order.
  std::vector<LinkedTag> tags{};
};

/// Why there is no FUNC or VAR for a symbol.
enum class LinkedOmission : uint8_t {
  several_prototypes,    ///< functions of that name have several prototypes
  clone,                 ///< only clones are there ("f.isra.0"), whose parameters may be others
  several_types,         ///< variables of that name have several types of the symbol's size
  other_size,            ///< the variable's type has not the symbol's size
  overlap,               ///< another variable is in the place
  tag_without_function,  ///< a tag is for a function that has no FUNC
};

/// A symbol that has no FUNC or VAR.
struct OmittedSymbol {
  std::string_view name;  ///< the symbol's
  LinkedOmission reason;  ///< why
};

/// The BTF of a linked program.
struct LinkedResult {
  /// The types, and where those of the inputs are. FUNCs lead to the one of their name; VARs, where
  /// there is but one of their name. DATASECs lead to 0, and prototypes that only FUNCs had.
  DedupResult dedup;
  uint32_t function_count = 0;  ///< FUNCs
  uint32_t variable_count = 0;  ///< VARs
  /// In order of names, each once: of those that an input has a FUNC or VAR of.
  std::vector<OmittedSymbol> omitted{};
};

/// Makes the BTF of a linked program. All types of the inputs are in it, each once, but for FUNCs,
/// VARs, DATASECs and what only these led to: prototypes and tags. In the place of these come, in
/// this order:
///
/// - a FUNC for each function that is there and that an input has a FUNC of, in order of first
///   occurrence in the inputs. It is static, whatever its linkage, as the kernel has it. What is
///   defined counts; where nothing but declarations (extern FUNCs, or those that name no parameter)
///   is known, these do. Where definitions have several prototypes, there is no FUNC; a parameter
///   that they do not all name alike is called "arg1", and so on.
/// - a VAR for each variable whose type is known, in order of offsets, and a DATASEC of them.
/// - tags: those that the inputs have on these FUNCs and VARs, and those asked for.
///
/// Types are as DedupOptions::for_kernel has them. Use: `add` each input, `run`.
class BPFLINK_API LinkedDeduplicator {
 public:
  /// Begins without inputs. Inputs are not split: where the options have a base, types that are
  /// equal to one of it are that one, and the others go on from its end; `flatten` means nothing.
  explicit LinkedDeduplicator(DedupOptions options = {});
  /// Moves; what was moved from may only be assigned to or destroyed.
  LinkedDeduplicator(LinkedDeduplicator&&) noexcept;
  /// Moves, as above.
  LinkedDeduplicator& operator=(LinkedDeduplicator&&) noexcept;
  ~LinkedDeduplicator();

  /// Adds an input, called `name` in messages, which is not split. `btf` may be released when add()
  /// returns, and its blob, too, unless inputs are borrowed. Returns the input as it is
  /// deduplicated: with a base, split from that. Errors: `btf` is split; with a base, it has types
  /// of unknown kinds.
  std::expected<Btf, Error> add(std::string name, const Btf& btf);

  /// Reads a blob as Btf::parse() does without a base, and adds it. Errors: those of Btf::parse()
  /// and add(), but for that of a type that contains itself, which run() tells.
  std::expected<Btf, Error> add_blob(std::string name, std::span<const std::byte> blob);

  /// Makes the BTF of what has these symbols. Call once. Errors: those of Deduplicator::run().
  std::expected<LinkedResult, Error> run(const LinkedSymbols& symbols);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
