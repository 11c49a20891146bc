#include "linker/programs/bpfcore/load/load.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/find_program.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/result_cache.hpp"
#include "linker/io/write_all.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/object/bytes.hpp"
#include "linker/programs/bpfcore/load/guest.hpp"
#include "linker/text/program.hpp"

namespace bpflink {
namespace {

std::expected<Descriptor, Error> open_in_memory() {
  Descriptor file(::memfd_create("bpfcore", MFD_CLOEXEC));
  if (!file.is_open()) return system_error("no file in memory");
  return file;
}

/// An object as user space has it before the load, with the variables that --set sets.
OwnedBytes contents_of(const CoreObject& object, std::span<const std::byte> file,
                       const std::map<std::string, uint64_t>& settings) {
  if (settings.empty()) return {.bytes = file};
  std::vector<std::byte> bytes(file.begin(), file.end());
  for (const auto& [name, value] : settings) {
    const Variable* variable = object.object.find_variable(name);
    if (!variable) continue;
    const DataSection& section = object.object.data_sections()[variable->data_section];
    if (section.kind != DataSection::Kind::Rodata || section.contents.empty()) continue;
    size_t at = static_cast<size_t>(section.contents.data() - file.data()) + variable->offset;
    for (size_t i = 0; i < std::min<size_t>(variable->size, sizeof value); ++i)
      bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
  }
  return OwnedBytes::of(std::move(bytes));
}

/// One kernel, which is booted until all programs have a result.
class KernelRun {
 public:
  KernelRun(const BpfcoreOptions& options, const CoreInputs& inputs, const BootedKernel& booted,
            CoreReport& report, size_t kernel)
      : options_(options),
        inputs_(inputs),
        booted_(booted),
        source_(inputs.kernels[kernel]),
        machine_(*find_machine(report.kernels[kernel].identity.arch)),
        results_(report.results[kernel]),
        said_(inputs.objects.size()),
        cached_at_(inputs.objects.size()) {
    for (size_t i = 0; i < inputs.objects.size(); ++i) {
      results_[i].loads.resize(results_[i].statuses.size());
      jobs_.push_back(make_jobs(inputs.objects[i], options.whole));
    }
  }

  /// Returns why the kernel did not come to the end, or "".
  std::expected<std::string, Error> run() {
    std::expected<void, Error> ok = open_image();
    if (ok) ok = collect_files();
    if (ok && !options_.cache.empty()) ok = take_from_cache();
    if (!ok) return std::unexpected(ok.error());
    std::string why;
    while (why.empty() && has_work()) {
      auto end = boot();
      if (!end) return end;
      if (!failure_.empty()) return fail(failure_);
      if (!end->empty() && !blame_running(*end)) why = *end;
    }
    for (size_t i = 0; i < said_.size(); ++i)
      if (!said_[i].empty() && !cached_at_[i].empty())
        note_failure(cached_at_[i], store_result(cached_at_[i], bytes_of(said_[i])));
    if (!failure_.empty()) return fail(failure_);
    return why;
  }

 private:
  /// Opens an image that qemu boots: the file, or for arm64 what its container has.
  std::expected<void, Error> open_image() {
    image_ = Descriptor(::open(source_.name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!image_.is_open()) return system_error(source_.name);
    if (machine_.architecture == "x86_64") return {};
    auto image = read_unpacked(source_.name);
    if (!image) return std::unexpected(image.error());
    auto unpacked = open_in_memory();
    if (!unpacked) return std::unexpected(unpacked.error());
    image_ = std::move(*unpacked);
    return write_all(image_.fd(), image->bytes);
  }

  /// Collects what all objects share.
  std::expected<void, Error> collect_files() {
    std::string name = "bpfcore-init";
    if (!is_native(machine_)) name.append("-").append(machine_.architecture);
    auto program = find_program(name, "BPFCORE_INIT", "load");
    if (!program) return std::unexpected(program.error());
    std::vector<std::pair<std::string, std::string>> paths = {{"init", *program}};
    if (!options_.btf.empty()) paths.emplace_back("btf", options_.btf);
    for (const auto& [path, from] : paths) {
      auto file = InputFile::open(from);
      if (!file) return fail_in(from, file.error());
      files_.emplace(path, OwnedBytes::of(std::move(*file)));
    }
    steps_ = fmt::format("t{}{}", options_.timeout, '\0');
    if (!options_.log.empty()) steps_ += std::string_view("l\0", 2);
    for (const std::string& path : booted_.modules) {
      auto module = read_unpacked(path);
      if (!module) return std::unexpected(module.error());
      std::string there = std::filesystem::path(path).filename().string();
      steps_ += fmt::format("k/{}{}", there, '\0');
      files_.emplace(std::move(there), std::move(*module));
    }
    return {};
  }

  /// Results are found by all that they depend on.
  std::expected<void, Error> take_from_cache() {
    auto image = InputFile::open(image_.fd(), source_.name);
    if (!image) return fail_in(source_.name, image.error());
    ResultKey of_kernel;
    for (auto bytes : {image->bytes(), bytes_of(booted_.config), bytes_of(steps_)})
      of_kernel.add(bytes);
    for (const auto& [path, file] : files_) of_kernel.add(file.bytes);
    for (size_t i = 0; i < inputs_.objects.size(); ++i) {
      ResultKey key = of_kernel;
      key.add(contents_of(inputs_.objects[i], inputs_.files[i].bytes(), options_.settings).bytes);
      for (const LoadJob& job : jobs_[i]) key.add(bytes_of(job.steps));
      cached_at_[i] = key.path_in(options_.cache);
      auto cached = find_result(cached_at_[i]);
      if (!cached) continue;
      ResultReader reader = reader_of(i);
      std::string_view text = text_of(cached->bytes());
      for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
        reader.hear(text.substr(0, end));
      reader.finish();
    }
    return {};
  }

  /// Removes the jobs that are done. Returns whether there are others.
  bool has_work() {
    bool has_some = false;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      std::erase_if(jobs_[i], [&](const LoadJob& job) {
        return results_[i].loads[job.programs.front()].kind != LoadResult::Kind::NotRun;
      });
      has_some |= !jobs_[i].empty();
    }
    return has_some;
  }

  ResultReader reader_of(size_t object) {
    const CoreObject& of = inputs_.objects[object];
    if (options_.log.empty()) return {of, results_[object].loads, {}};
    std::string folder =
        fmt::format("{}/{}/{}", options_.log, file_name_for(source_.name), file_name_for(of.name));
    return {of, results_[object].loads,
            [this, folder](std::string_view program, std::string_view log) {
              std::error_code error;
              std::filesystem::create_directories(folder, error);
              write_file(fmt::format("{}/{}.log", folder, file_name_for(program)), log);
            }};
  }

  void write_file(const std::string& path, std::string_view text) {
    auto file = OutputFile::open(path);
    std::expected<void, Error> ok;
    if (!file) ok = std::unexpected(file.error());
    if (ok) ok = write_all(file->fd(), bytes_of(text));
    note_failure(path, ok ? file->commit() : ok);
  }

  void note_failure(const std::string& path, const std::expected<void, Error>& ok) {
    if (!ok && failure_.empty()) failure_ = fmt::format("{}: {}", path, ok.error().message);
  }

  /// The files of a guest that loads what has no result; `order` gets its objects.
  std::expected<Descriptor, Error> pack(std::vector<size_t>& order) const {
    std::string plan = steps_;
    TarEntries entries{{"config", bytes_of(booted_.config)}};
    for (const auto& [path, file] : files_) entries[path] = file.bytes;
    std::vector<OwnedBytes> contents;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].empty()) continue;
      order.push_back(i);
      std::string path = fmt::format("object.{}", i);
      plan += fmt::format("o/{}{}", path, '\0');
      for (const LoadJob& job : jobs_[i]) plan += job.steps;
      contents.push_back(
          contents_of(inputs_.objects[i], inputs_.files[i].bytes(), options_.settings));
      entries[path] = contents.back().bytes;
    }
    entries["plan"] = bytes_of(plan);
    auto file = open_in_memory();
    if (!file) return file;
    if (auto ok = write_initramfs(file->fd(), entries); !ok) return std::unexpected(ok.error());
    return file;
  }

  /// Returns why the guest did not come to its end, or "".
  std::expected<std::string, Error> boot() {
    std::vector<size_t> order;
    auto initramfs = pack(order);
    if (!initramfs) return std::unexpected(initramfs.error());
    std::optional<ResultReader> reader;
    size_t begun = 0;  // objects
    auto end = run_guest(machine_, image_.fd(), initramfs->fd(), options_.timeout + grace,
                         [&](std::string_view line) {
                           if (line.starts_with("module "))
                             print_diagnostic(
                                 "bpfcore", {.severity = Severity::Warning,
                                             .message = fmt::format("{}: {}", source_.name, line)});
                           bool is_object = line.starts_with("object ");
                           if (is_object || line == "done") {
                             if (reader) reader->finish();
                             reader.reset();
                           }
                           if (is_object && begun < order.size())
                             reader.emplace(reader_of(order[begun++]));
                           if (!reader) return;
                           reader->hear(line);
                           if (!options_.cache.empty())
                             said_[order[begun - 1]].append(line).append(1, '\n');
                         });
    running_.clear();
    if (reader) reader->finish();
    if (reader) {
      running_ = reader->running();
      running_object_ = order[begun - 1];
      cached_at_[running_object_].clear();  // it has no whole record
    }
    if (end && end->empty() && has_work()) return "ended before its work";
    return end;
  }

  /// A kernel that ends during a load has a result for it; the next boot goes on behind it. Returns
  /// whether there was one that had no result: otherwise, boots would not come to an end.
  bool blame_running(const std::string& why) {
    auto index = inputs_.objects[running_object_].find_program(running_);
    bool is_found = false;
    for (const LoadJob& job : jobs_[running_object_])
      if (index && std::ranges::count(job.programs, *index) != 0) {
        is_found = true;
        for (size_t program : job.programs)
          results_[running_object_].loads[program] = {.kind = LoadResult::Kind::Ended,
                                                      .message = "the kernel " + why};
      }
    return is_found;
  }

  /// Seconds beside --timeout for a process to end, and for the console.
  static constexpr unsigned grace = 5;

  const BpfcoreOptions& options_;
  const CoreInputs& inputs_;
  const BootedKernel& booted_;
  const KernelSource& source_;
  const Machine& machine_;
  std::vector<CoreResults>& results_;
  std::vector<std::vector<LoadJob>> jobs_;     ///< by object
  std::vector<std::string> said_, cached_at_;  ///< by object
  std::map<std::string, OwnedBytes> files_;    ///< of each guest
  std::string steps_;                          ///< those that each plan begins with
  Descriptor image_;
  std::string running_;  ///< what a guest was loading when it ended, or ""
  size_t running_object_ = 0;
  std::string failure_;  ///< why a file could not be written, or ""
};

}  // namespace

std::expected<BootedKernel, Error> prepare_boot(const KernelSource& source, const Kernel& kernel,
                                                const std::vector<CoreObject>& objects) {
  std::array<std::byte, 4096> buffer;
  auto begin = read_begin(source.name, buffer);
  if (!begin) return std::unexpected(begin.error());
  const Machine* machine = find_machine(kernel.identity.arch);
  if (!is_packed(*begin) || !machine)
    return fail("{}: load needs a vmlinuz of x86_64 or arm64", source.name);
  if (kernel.config)
    for (const char* option :
         {"CONFIG_BPF_SYSCALL", "CONFIG_BLK_DEV_INITRD", machine->console_option})
      if (auto value = kernel.config->find(option); !value || value->tristate != 'y')
        return fail("{}: cannot load programs: {} is not set", source.name, option);
  return BootedKernel{.config = std::string(kernel.config ? kernel.config->text() : ""),
                      .modules = find_modules(kernel, objects)};
}

std::expected<size_t, Error> load_programs(const BpfcoreOptions& options, const CoreInputs& inputs,
                                           const std::vector<BootedKernel>& kernels,
                                           CoreReport& report) {
  std::error_code error;
  for (const std::string& directory : {options.log, options.cache})
    if (!directory.empty() && !std::filesystem::create_directories(directory, error) && error)
      return fail("{}: {}", directory, error.message());
  size_t failed = 0;
  std::mutex mutex;
  auto run_one = [&](size_t i) -> std::expected<void, Error> {
    auto why = KernelRun(options, inputs, kernels[i], report, i).run();
    std::lock_guard lock(mutex);
    for (size_t object = 0; object < inputs.objects.size(); ++object)
      judge_loads(inputs.objects[object], report.kernels[i].name, report.results[i][object]);
    if (!why) return std::unexpected(why.error());
    if (why->empty()) return {};
    ++failed;
    print_error("bpfcore", fmt::format("{}: {}", report.kernels[i].name, *why));
    return {};
  };
  if (auto ok = for_each_index(kernels.size(), options.jobs, run_one); !ok)
    return std::unexpected(ok.error());
  return failed;
}

}  // namespace bpflink
