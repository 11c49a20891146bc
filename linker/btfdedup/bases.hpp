// What the inputs are split from: BTF that is split from BTF, and so on.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "linker/btfdedup/inputs.hpp"

namespace bpflink {

struct Base {
  std::string name;
  Btf btf;
  size_t size;  ///< bytes of the blob
};

/// Each is split from the one before, and does not move.
using Bases = std::vector<std::unique_ptr<const Base>>;

/// The last of them, or null.
const Btf* last_of(const Bases& bases);

/// Reads the BTF of the file at `path`, and its section .BTF.base, where it has one, before that.
/// What is opened is added to `files`, of which the bases are views. Errors: it has none, or
/// several; it has a section .BTF.base and is not the first, or is to be `whole`, as that section
/// says of structs no more than their sizes; it is malformed.
std::expected<void, Error> read_base(Bases& bases, const std::string& path, bool whole,
                                     std::vector<InputFile>& files);

/// Adds a blob. Errors begin with the name: it is malformed, or not one blob.
std::expected<void, Error> add_base(Bases& bases, const std::string& name,
                                    std::span<const std::byte> blob);

}  // namespace bpflink
