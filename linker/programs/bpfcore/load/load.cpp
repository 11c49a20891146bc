#include "linker/programs/bpfcore/load/load.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/result_cache.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/programs/bpfcore/load/guest.hpp"
#include "linker/text/program.hpp"
#include "linker/text/progress.hpp"

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
            CoreReport& report, size_t kernel, Qemu& qemu, Progress& progress)
      : options_(options),
        inputs_(inputs),
        booted_(booted),
        source_(inputs.kernels[kernel]),
        summary_(report.kernels[kernel]),
        guest_{.machine = *find_machine(summary_.identity.arch),
               .qemu = qemu,
               .memory = options.memory,
               .processors = options.processors,
               .seconds = options.timeout + grace,
               .most_text = size_t{1} << (options.log.empty() ? 14 : 24)},
        results_(report.results[kernel]),
        progress_(progress),
        records_(inputs.objects.size()) {
    for (size_t i = 0; i < inputs.objects.size(); ++i) {
      jobs_.push_back(make_jobs(inputs.objects[i], options.whole));
      const std::span<const Program> programs = inputs.objects[i].object.programs();
      for (size_t program = 0; program < programs.size(); ++program)
        if (programs[program].size == 0)
          results_[i].loads[program] = {.kind = LoadResult::Kind::Loader,
                                        .message = "a function without code is no program"};
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
      progress_.show(source_.name + " boots");
      auto end = boot();
      if (!end) return end;
      if (!failure_.empty()) return fail(failure_);
      if (!end->empty() && !fail_running_programs(*end)) why = *end;
    }
    return why;
  }

 private:
  /// Opens an image that qemu boots: the file, or for arm64 what its container has.
  std::expected<void, Error> open_image() {
    image_ = Descriptor(::open(source_.name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!image_.is_open()) return system_error(source_.name);
    if (guest_.machine.architecture == "x86_64") return {};
    auto image = TRY(read_unpacked(source_.name));
    auto unpacked = TRY(open_in_memory());
    image_ = std::move(unpacked);
    return write_all(image_.fd(), image.bytes);
  }

  /// Collects what all objects share.
  std::expected<void, Error> collect_files() {
    auto program = TRY(find_init(guest_.machine));
    std::vector<std::pair<std::string, std::string>> paths = {{"init", program}};
    if (!options_.btf.empty()) paths.emplace_back("btf", options_.btf);
    for (const auto& [path, from] : paths) {
      auto file = InputFile::open(from);
      if (!file) return fail_in(from, file.error());
      files_.emplace(path, OwnedBytes::of(std::move(*file)));
    }
    summary_.libbpf = libbpf_version(files_.at("init").bytes);
    steps_ = fmt::format("t{}{}", options_.timeout, '\0');
    if (!options_.log.empty()) steps_ += std::string_view("l\0", 2);
    for (const std::string& path : booted_.modules) {
      auto module = TRY(read_unpacked(path));
      std::string there = std::filesystem::path(path).filename().string();
      steps_ += fmt::format("k/{}{}", there, '\0');
      files_.emplace(std::move(there), std::move(module));
    }
    return {};
  }

  /// Results are found by all that they depend on.
  std::expected<void, Error> take_from_cache() {
    auto image = InputFile::open(image_.fd(), source_.name);
    if (!image) return fail_in(source_.name, image.error());
    const std::string machine = fmt::format("2 {} {}", guest_.memory, guest_.processors);
    ResultKey of_kernel;
    for (auto bytes :
         {image->bytes(), bytes_of(booted_.config), bytes_of(steps_), bytes_of(machine)})
      of_kernel.add(bytes);
    for (const auto& [path, file] : files_) of_kernel.add(file.bytes);
    for (size_t i = 0; i < inputs_.objects.size(); ++i) {
      ResultKey key = of_kernel;
      key.add(contents_of(inputs_.objects[i], inputs_.files[i].bytes(), options_.settings).bytes);
      for (const LoadJob& job : jobs_[i]) key.add(bytes_of(job.steps));
      records_[i].path = key.path_in(options_.cache);
      auto cached = find_result(records_[i].path);
      if (!cached) continue;
      EventReader(guest_.most_text, [&](const GuestEvent& event) {
        if (event.job < jobs_[i].size() && event.program < jobs_[i][event.job].programs.size())
          keep({i, event.job}, event);
      }).add(text_of(cached->bytes()));
      records_[i].is_new = false;
    }
    return {};
  }

  /// One of the jobs of an object.
  struct JobPlace {
    size_t object, job;
  };

  LoadResult& result_of(JobPlace place, size_t program) {
    return results_[place.object].loads[jobs_[place.object][place.job].programs[program]];
  }

  /// Keeps a result. It goes into the cache, unless another attempt may come to another one.
  /// Returns whether it is one.
  bool keep(JobPlace place, const GuestEvent& event) {
    constexpr size_t most = 1 << 26;  // bytes of a record
    const CoreObject& object = inputs_.objects[place.object];
    const size_t program = jobs_[place.object][place.job].programs[event.program];
    LoadResult result = read_result(object, program, event, guest_, !booted_.config.empty());
    if (result.kind == LoadResult::Kind::NotRun) return false;
    progress_.advance(fmt::format("{} {}", source_.name, object.name));
    if (!options_.log.empty() && !event.log.empty())
      write_log(object.name, object.object.programs()[program].name, event.log);
    CacheRecord& record = records_[place.object];
    const bool is_kept = result.kind != LoadResult::Kind::Ended && !record.path.empty();
    results_[place.object].loads[program] = std::move(result);
    if (!is_kept || record.text.size() + event.said.size() + event.log.size() > most) return true;
    GuestEvent own = event;
    own.job = place.job;
    record.text += format_event(own);
    record.is_new = true;
    return true;
  }

  /// Puts the results of an object into the cache.
  void store(size_t object) {
    CacheRecord& record = records_[object];
    if (!std::exchange(record.is_new, false) || record.path.empty()) return;
    note_failure(record.path, store_result(record.path, bytes_of(record.text)));
  }

  /// Plans the jobs that have no result. Returns whether there are some.
  bool has_work() {
    plan_.clear();
    for (size_t i = 0; i < jobs_.size(); ++i)
      for (size_t job = 0; job < jobs_[i].size(); ++job)
        for (size_t program = 0; program < jobs_[i][job].programs.size(); ++program)
          if (result_of({i, job}, program).kind == LoadResult::Kind::NotRun) {
            plan_.push_back({i, job});
            break;
          }
    return !plan_.empty();
  }

  void write_log(const std::string& object, std::string_view program, std::string_view log) {
    const std::string folder =
        fmt::format("{}/{}/{}", options_.log, file_name_for(source_.name), file_name_for(object));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string path = fmt::format("{}/{}.log", folder, file_name_for(program));
    auto file = OutputFile::open(path);
    std::expected<void, Error> ok;
    if (!file) ok = std::unexpected(file.error());
    if (ok) ok = write_all(file->fd(), bytes_of(log));
    note_failure(path, ok ? file->commit() : ok);
  }

  void note_failure(const std::string& path, const std::expected<void, Error>& ok) {
    if (!ok && failure_.empty()) failure_ = fmt::format("{}: {}", path, ok.error().message);
  }

  /// The files of a guest that follows the plan.
  std::expected<Descriptor, Error> pack() const {
    std::string plan = steps_;
    TarEntries entries;
    if (!booted_.config.empty()) entries["config"] = bytes_of(booted_.config);
    for (const auto& [path, file] : files_) entries[path] = file.bytes;
    std::vector<OwnedBytes> contents;
    std::string path;
    for (const auto& [object, job] : plan_) {
      if (std::string own = fmt::format("object.{}", object); own != path) {
        path = std::move(own);
        plan += fmt::format("o/{}{}", path, '\0');
        contents.push_back(
            contents_of(inputs_.objects[object], inputs_.files[object].bytes(), options_.settings));
        entries[path] = contents.back().bytes;
      }
      plan += jobs_[object][job].steps;
    }
    entries["plan"] = bytes_of(plan);
    auto file = open_in_memory();
    if (!file) return file;
    TRY(write_initramfs(file->fd(), entries));
    return file;
  }

  /// Returns why the guest did not come to its end, or "".
  std::expected<std::string, Error> boot() {
    auto initramfs = TRY(pack());
    guest_.kernel = image_.fd();
    guest_.initramfs = initramfs.fd();
    at_ = {};
    auto end = run_guest(guest_, [&](const GuestEvent& event) { return answer_event(event); });
    for (size_t i = 0; i < records_.size(); ++i) store(i);
    if (end && end->empty() && at_.job != plan_.size()) return "ended before its work";
    return end;
  }

  /// Takes what comes in its turn: neither time nor results are for anything else.
  EventAnswer answer_event(const GuestEvent& event) {
    const bool is_module = event.word == "module" && at_.modules < booted_.modules.size();
    if (is_module) {
      ++at_.modules;
      print_diagnostic("bpfcore", {.severity = Severity::Warning,
                                   .message = fmt::format("{}: module {}: {}", source_.name,
                                                          event.said, std::strerror(event.error))});
    }
    if (event.word == "done") return EventAnswer::Last;
    if (is_module || at_.job == plan_.size()) return EventAnswer::Ignored;
    const JobPlace job = plan_[at_.job];
    const std::vector<size_t>& programs = jobs_[job.object][job.job].programs;
    constexpr unsigned most_loads = 2;  // the second one is for a trace
    if (event.word == "opens" && !at_.is_open && event.job == at_.objects) {
      ++at_.objects;
      at_.is_open = event.error == 0;
      while (!at_.is_open && at_.job != plan_.size() && plan_[at_.job].object == job.object) {
        GuestEvent refused = event;
        refused.word = name_of(LoadResult::Kind::Loader).word;
        const size_t count = jobs_[job.object][plan_[at_.job].job].programs.size();
        for (refused.program = 0; refused.program < count; ++refused.program)
          keep(plan_[at_.job], refused);
        ++at_.job;
      }
      return EventAnswer::Expected;
    }
    if (!at_.is_open || event.job != at_.job) return EventAnswer::Ignored;
    if (event.word == "begins" && at_.program == 0 && at_.loads < most_loads) {
      ++at_.loads;
      return EventAnswer::Expected;
    }
    if (at_.loads == 0 || event.program != at_.program || !keep(job, event))
      return EventAnswer::Ignored;
    if (++at_.program != programs.size()) return EventAnswer::Expected;
    at_.program = at_.loads = 0;
    ++at_.job;
    if (at_.job == plan_.size() || plan_[at_.job].object != job.object) {
      at_.is_open = false;
      store(job.object);
    }
    return EventAnswer::Expected;
  }

  /// A kernel that ends during a load has a result for it; the next boot goes on behind it. Returns
  /// whether there was one that had no result: otherwise, boots would not come to an end.
  bool fail_running_programs(const std::string& why) {
    if (StopOnSignal::signal() != 0 || at_.loads == 0) return false;
    const JobPlace job = plan_[at_.job];
    for (size_t i = at_.program; i < jobs_[job.object][job.job].programs.size(); ++i)
      result_of(job, i) = {.kind = LoadResult::Kind::Ended, .message = "the kernel " + why};
    return true;
  }

  /// Seconds beside --timeout for a process to end, and for the console.
  static constexpr unsigned grace = 5;

  /// What the cache has of an object.
  struct CacheRecord {
    std::string path{}, text{};  ///< no path: there is no cache
    bool is_new = false;
  };

  /// How far a guest has come: counts of what it has done.
  struct Position {
    size_t objects = 0, job = 0, modules = 0;
    size_t program = 0;  ///< of this job
    unsigned loads = 0;  ///< of this job, begun
    bool is_open = false;
  };

  const BpfcoreOptions& options_;
  const CoreInputs& inputs_;
  const BootedKernel& booted_;
  const KernelSource& source_;
  KernelSummary& summary_;
  Guest guest_;
  std::vector<CoreResults>& results_;
  Progress& progress_;
  std::vector<std::vector<LoadJob>> jobs_;   ///< by object
  std::vector<CacheRecord> records_;         ///< by object
  std::map<std::string, OwnedBytes> files_;  ///< of each guest
  std::string steps_;                        ///< those that each plan begins with
  Descriptor image_;
  std::vector<JobPlace> plan_;  ///< of the guest that runs
  Position at_;
  std::string failure_;  ///< why a file could not be written, or ""
};

}  // namespace

std::expected<BootedKernel, Error> prepare_boot(const KernelSource& source, const Kernel& kernel,
                                                const std::vector<CoreObject>& objects) {
  std::array<std::byte, 4096> buffer;
  auto begin = TRY(read_begin(source.name, buffer));
  const Machine* machine = find_machine(kernel.identity.arch);
  if (!is_packed(begin) || !machine)
    return fail("{}: load needs a vmlinuz of x86_64 or arm64", source.name);
  if (kernel.config)
    for (const char* option :
         {"CONFIG_BPF_SYSCALL", "CONFIG_BLK_DEV_INITRD", machine->console_option})
      if (auto value = kernel.config->find(option); !value || value->tristate != 'y')
        return fail("{}: cannot load programs: {} is not set", source.name, option);
  return BootedKernel{.config = std::string(kernel.config ? kernel.config->text() : ""),
                      .modules = find_modules(kernel, objects)};
}

std::expected<void, Error> load_programs(const BpfcoreOptions& options, const CoreInputs& inputs,
                                         const std::vector<std::optional<BootedKernel>>& kernels,
                                         CoreReport& report) {
  std::error_code error;
  for (const std::string& directory : {options.log, options.cache})
    if (!directory.empty() && !std::filesystem::create_directories(directory, error) && error)
      return fail("{}: {}", directory, error.message());
  size_t programs = 0;
  for (const CoreObject& object : inputs.objects) programs += object.object.programs().size();
  const auto is_booted = [](const auto& kernel) { return kernel.has_value(); };
  Progress progress(programs * static_cast<size_t>(std::ranges::count_if(kernels, is_booted)),
                    "program", std::chrono::seconds(0));
  const StopOnSignal stop;
  Qemu qemu;
  std::mutex mutex;
  auto run_one = [&](size_t i) -> std::expected<void, Error> {
    for (CoreResults& results : report.results[i]) results.loads.resize(results.statuses.size());
    std::expected<std::string, Error> why = "";
    if (kernels[i]) why = KernelRun(options, inputs, *kernels[i], report, i, qemu, progress).run();
    std::lock_guard lock(mutex);
    for (size_t object = 0; object < inputs.objects.size(); ++object)
      judge_loads(inputs.objects[object], report.kernels[i], report.results[i][object]);
    if (!why) return std::unexpected(why.error());
    if (!why->empty()) print_error("bpfcore", fmt::format("{}: {}", report.kernels[i].name, *why));
    return {};
  };
  return for_each_index(kernels.size(), options.jobs, run_one);
}

}  // namespace bpflink
