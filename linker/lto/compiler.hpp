// The steps of bpflink-lto, each in a file.
#pragma once

#include "linker/lto/session.hpp"

namespace bpflink::lto {

/// outline.cpp: makes a module that has all that other files may see of this one, and none of its
/// code: its object has the symbols and types that a compiler would give it, whatever the backend
/// refuses.
LlvmModule make_outline(const Ir& ir, LlvmModule module);

/// join.cpp: joins the modules of the request to one. Null after an error.
LlvmModule join(Session& session);

/// optimize.cpp: makes one program of the joined module. Null after an error.
LlvmModule optimize(Session& session, LlvmModule joined);

/// mend_debug_info.cpp: mends debug information of Rust that LLVM cannot make types of, and gives
/// it names for kernels where the request says so.
LlvmModule mend_debug_info(const Session& session, LlvmModule module);

}  // namespace bpflink::lto
