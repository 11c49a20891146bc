// Runs bpflink-lto, and passes on what it says.
#pragma once

#include <algorithm>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/io/input_file.hpp"
#include "linker/lto/protocol.hpp"

namespace bpflink::lto {

struct Reply {
  InputFile file;           ///< has the bytes of the parts
  std::vector<Part> parts;  ///< in their order
  /// Why the program ended early, such as "LLVM gave up: ..."; "" if it came to its end.
  std::string crash;

  /// The bytes of the first part of a kind; "" if there is none.
  std::string_view find(PartKind kind) const {
    auto part = std::ranges::find(parts, kind, &Part::kind);
    return part == parts.end() ? "" : part->bytes;
  }
};

/// The file of the program. Error: it is not there.
std::expected<std::string, Error> find_backend();

/// Takes the reply from the cache, if the options name one, or puts it there: without errors, it
/// only depends on the request, the program and LLVM. Errors: the program is not there or cannot be
/// run, or the system has no memory for its files.
std::expected<Reply, Error> run_backend(Request request);

/// Finds where a function of the modules is defined; an empty location if it does not know.
using FindFunction = std::function<DiagnosticLocation(std::string_view name)>;

/// What an error or a warning says, with its place.
Diagnostic to_diagnostic(const Request& request, const Part& part,
                         const FindFunction& find_function = {});

}  // namespace bpflink::lto
