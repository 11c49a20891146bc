// The inputs of bpfcore: programs, read at once, and kernels, read one after the other.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linker/bpfcore/options.hpp"
#include "linker/core/core_object.hpp"
#include "linker/io/input_file.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

struct CoreInputs {
  std::vector<InputFile> files;  ///< of which the objects are views
  std::vector<CoreObject> objects;
  std::vector<KernelSource> kernels;
};

/// Tells programs from kernels, reads the programs and lists the kernels. Errors begin with the
/// file: it cannot be read, is malformed or holds no kernel; there is no program or no kernel.
std::expected<CoreInputs, Error> open_inputs(const BpfcoreOptions& options);

/// Reads each kernel, calls `work(index, kernel)` and releases it, several at the same time.
/// Errors: that of the first kernel in the list that cannot be read, or what `work` returns.
std::expected<void, Error> for_each_kernel(
    const CoreInputs& inputs, unsigned threads,
    const std::function<std::expected<void, Error>(size_t, const Kernel&)>& work);

/// The types of a kernel and of its modules, to look up by name.
CoreKernel index_kernel(const Kernel& kernel);

/// Warns of modules that could not be looked at, each once. `notes` are those of the kernels.
void warn_of_modules(const std::vector<std::vector<std::string>>& notes);

/// What is known of a kernel.
KernelSummary summary_of(const Kernel& kernel);

}  // namespace bpflink
