// Compiles modules of bitcode with LLVM, in the process bpflink-lto.
#pragma once

#include <functional>

#include "linker/lto/llvm.hpp"
#include "linker/lto/protocol.hpp"

namespace bpflink::lto {

/// Gets each part of the answer, in order.
using Answer = std::function<void(const Part&)>;

/// Makes an object of each module that has its symbols and types, and no code.
void outline_each(const Llvm& llvm, const Request& request, const Answer& answer);

/// Joins the modules, optimizes them as one, and makes the output.
void compile_joined(const Llvm& llvm, const Request& request, const Answer& answer);

}  // namespace bpflink::lto
