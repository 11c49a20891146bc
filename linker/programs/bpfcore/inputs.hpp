// The inputs of bpfcore: programs, which are read at once, and kernels, which are read one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "linker/io/input_file.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/outputs.hpp"
#include "linker/program/core_object.hpp"
#include "linker/programs/bpfcore/options.hpp"

namespace bpflink {

struct CoreInputs {
  std::vector<InputFile> files;  ///< the files that the objects are views of
  std::vector<CoreObject> objects;
  std::vector<KernelSource> kernels;
  uint64_t size = 0;                ///< bytes of all files
  std::vector<std::string> unread;  ///< files that cannot be checked, as messages say
};

/// What reports say of a kernel.
struct KernelSummary {
  std::string name;
  KernelIdentity identity;
  std::string libbpf{};  ///< the version of the guest's, or ""
};
nlohmann::ordered_json to_json(const KernelSummary& kernel);

/// Distinguishes programs from kernels, reads the programs and lists the kernels. A check passes
/// over files that cannot be read, if others can. Of a directory, it reads the objects, `*.o`.
/// Errors begin with the file: it cannot be read, is malformed or holds no kernel; there is no
/// program or no kernel; programs and kernels that are tiny are so many that their results would be
/// far larger.
std::expected<CoreInputs, Error> open_inputs(const BpfcoreOptions& options);

/// Errors: an output would replace an input or what somebody else needs (Outputs::check()).
std::expected<void, Error> check_outputs(const Outputs& outputs, const BpfcoreOptions& options,
                                         const CoreInputs& inputs);

/// Reads each kernel, calls `work(index, kernel)` and releases it, on several threads. Errors: that
/// of the first kernel in the list for which `work` fails, or that cannot be read and for which
/// `on_error` fails, or is null.
std::expected<void, Error> for_each_kernel(
    const CoreInputs& inputs, unsigned threads,
    const std::function<std::expected<void, Error>(size_t, const Kernel&)>& work,
    const std::function<std::expected<void, Error>(size_t, const Error&)>& on_error = {});

/// Warns once of each module that could not be read. `notes` are those of the kernels.
void warn_modules(const std::vector<std::vector<std::string>>& notes);

}  // namespace bpflink
