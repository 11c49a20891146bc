// Image BTF: the BTF of a linked image, such as a kernel, from the types of its units and its
// symbols.
//
// The BTF of a unit also has functions and variables that the image does not contain: some are only
// declared, others were inlined, or dropped with a section. The image's symbol table decides.
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

/// A per-CPU variable, or another one.
struct ImageVariable {
  std::string_view name;                       ///< the symbol's name
  uint32_t offset = 0;                         ///< bytes from the start of its section
  uint32_t size = 0;                           ///< bytes
  bool is_local = false;                       ///< a local symbol
  std::string_view section = ".data..percpu";  ///< the section's name
};

/// A tag for a function, such as "bpf_kfunc".
struct ImageTag {
  std::string_view function;  ///< the function's name
  std::string_view text;      ///< the tag
};

/// A function of which some pointers are into a program's arena.
struct ImageArenaFunction {
  std::string_view function;  ///< the function's name
  bool is_result = false;     ///< what it returns
  bool is_parameter[2] = {};  ///< the first two parameters
};

/// The symbols of an image. The strings must outlive the result.
struct ImageSymbols {
  /// The names of the functions, in any order; a name may occur several times.
  std::vector<std::string_view> functions{};
  /// Their addresses, or empty: needed for inputs that say where functions are.
  std::vector<uint64_t> addresses{};
  /// The variables that are wanted, in any order.
  std::vector<ImageVariable> variables{};
  /// The tags, in any order.
  std::vector<ImageTag> tags{};
  /// The functions whose pointers get the attribute "address_space(1)", in any order.
  std::vector<ImageArenaFunction> arena_functions{};
};

/// What an input says of one of its functions besides the FUNC. The prototype is the source's;
/// these say whether the code has it as well.
struct ImageFunction {
  uint32_t id = 0;                       ///< of its FUNC
  uint64_t address = 0;                  ///< of its code, or 0
  bool has_unexpected_register = false;  ///< a parameter is not in its register
  bool has_other_order = false;          ///< parameters are in another order
  bool has_unused_parameters = false;    ///< of which it is unknown where they are
  bool is_changed = false;               ///< the compiler changed how it is called
};

/// Why a symbol has no FUNC or VAR.
enum class ImageOmission : uint8_t {
  SeveralPrototypes,   ///< functions of that name have several prototypes
  Clone,               ///< there are only clones ("f.isra.0"), whose parameters may differ
  SeveralTypes,        ///< variables of that name have several types of the symbol's size
  OtherSize,           ///< the variable's type and the symbol differ in size
  Overlap,             ///< another variable is in the place
  TagWithoutFunction,  ///< the tag's function has no FUNC
  SeveralAddresses,    ///< functions of that name, or its clones, are at several addresses
  UnexpectedRegister,  ///< a parameter is not in its register
  OtherOrder,          ///< parameters are in another order than in the source
  UnusedParameters,    ///< the compiler removed parameters
};

/// A symbol that has no FUNC or VAR.
struct OmittedSymbol {
  std::string_view name;  ///< the symbol's name
  ImageOmission reason;   ///< why
};

/// The BTF of an image.
struct ImageResult {
  /// The types and type maps. A FUNC maps to the output's FUNC of its name; a VAR to the VAR of its
  /// name if there is only one. DATASECs, and prototypes that only FUNCs used, map to 0.
  DedupResult dedup;
  uint32_t function_count = 0;  ///< how many FUNCs
  uint32_t variable_count = 0;  ///< how many VARs
  /// The symbols that an input has a FUNC or VAR of and the output does not, in order of names.
  std::vector<OmittedSymbol> omitted{};
};

/// Makes the BTF of an image. It has all types of the inputs, each once, except FUNCs, VARs,
/// DATASECs, and the prototypes and tags that only these use. In their place it has, in this order:
///
/// - a FUNC for each function of the image that an input has a FUNC of, in order of first
/// occurrence
///   in the inputs. It is static, whatever its linkage, as in the kernel. Its prototype comes from
///   definitions, of which weak ones only count if all are, or, without any, from declarations:
///   extern FUNCs, or those that name no parameter.
///   If definitions have different prototypes, there is no FUNC. A parameter that they name
///   differently is called "arg1", and so on.
/// - a VAR for each variable whose type is known, in order of offsets, and their DATASEC.
/// - the tags that the inputs have on these FUNCs and VARs, and those asked for.
///
/// Types are changed as by DedupOptions::for_kernel. Use: `add` each input, then `run`.
class ImageDeduplicator {
 public:
  /// Begins without inputs. Inputs are never split: with a base, types that are equal to one of the
  /// base's become that one, and the others continue its ids. `flatten` has no effect.
  explicit ImageDeduplicator(DedupOptions options = {});
  /// Moves; what was moved from may only be assigned to or destroyed.
  ImageDeduplicator(ImageDeduplicator&&) noexcept;
  /// Moves, as above.
  ImageDeduplicator& operator=(ImageDeduplicator&&) noexcept;
  ~ImageDeduplicator();

  /// Adds an input, called `name` in messages. `btf` and, unless inputs are borrowed, its blob may
  /// be released when add() returns. Returns the input as it is deduplicated: with a base, split
  /// from that. `functions` says more of its FUNCs, or is empty, and is in order of ids. Errors:
  /// `btf` is split; with a base, it has types of unknown kinds.
  std::expected<Btf, Error> add(std::string name, const Btf& btf,
                                std::vector<ImageFunction> functions = {});

  /// Reads a blob as Btf::parse() does without a base, and adds it. Errors: those of Btf::parse()
  /// and add(), except that run() reports a type that contains itself.
  std::expected<Btf, Error> add_blob(std::string name, std::span<const std::byte> blob);

  /// Says that the input added last defines a function weakly: the image has another input's
  /// definition if that is not weak. The name must outlive run().
  void add_weak_function(std::string_view name);

  /// Makes the BTF of the image with these symbols. Call once. Errors: those of
  /// Deduplicator::run().
  std::expected<ImageResult, Error> run(const ImageSymbols& symbols);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
