// The bases that the inputs are split from: BTF that may itself be split.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/relocations/candidates.hpp"
#include "linker/programs/btfdedup/inputs.hpp"

namespace bpflink {

struct Base {
  std::string name;
  Btf btf;
  size_t size;  ///< bytes of the blob
};

/// Each is split from the one before. They do not move.
using Bases = std::vector<std::unique_ptr<const Base>>;

/// The last of them, or null.
const Btf* last_of(const Bases& bases);

/// Reads the BTF of the file at `path`, and before it the file's section .BTF.base, if it has one.
/// Opened files are added to `files`; the bases are views of them. Errors: there is no BTF, or
/// several; it has a section .BTF.base but is not the first, or must be `whole`: that section has
/// only the sizes of structs; it is malformed.
std::expected<void, Error> read_base(Bases& bases, const std::string& path, bool whole,
                                     std::vector<InputFile>& files);

/// Moves modules from their section .BTF.base to a base, as the kernel does when it loads them.
class ModuleRelocator {
 public:
  /// Indexes the names of the base, which must stand alone and outlive this object.
  explicit ModuleRelocator(const Btf& base);

  /// The BTF of a source that has .BTF.base, as split from the base. Errors begin with its name:
  /// those of relocate_base().
  std::expected<std::vector<std::byte>, Error> relocate(const BtfSource& source) const;

 private:
  const Btf& base_;
  NamedTypes names_;
};

/// Adds the section .BTF.base of a source, if it has one. Errors begin with the source's name:
/// there are bases already; the section is malformed, or not one blob.
std::expected<void, Error> add_own_base(Bases& bases, const BtfSource& source);

}  // namespace bpflink
