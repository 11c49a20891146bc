// The inputs of bpfcore: programs, which are read at once, and kernels, which are read one by one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "linker/code/core_object.hpp"
#include "linker/io/input_file.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/outputs.hpp"
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

/// On a terminal, says how far a run has come that takes longer than `delay`, and how long the rest
/// may take. For several threads.
class Progress {
 public:
  /// `noun` is what is counted, in the singular.
  Progress(size_t count, std::string_view noun,
           std::chrono::seconds delay = std::chrono::seconds(1));
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// One more is done. `at` says where, or is "".
  void advance(std::string_view at);
  void show(std::string_view at);

 private:
  void print(std::string_view at);

  size_t count_, done_ = 0, length_ = 0;
  std::string_view noun_;
  bool is_shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), next_;
  std::mutex mutex_;
};

/// Calls `work` with each index below `count`, on several threads. After an error nothing more
/// begins. Errors: the first by index.
std::expected<void, Error> for_each_index(
    size_t count, unsigned threads, const std::function<std::expected<void, Error>(size_t)>& work);

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
