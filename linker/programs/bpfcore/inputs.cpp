#include "linker/programs/bpfcore/inputs.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <thread>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/text/program.hpp"
#include "linker/text/progress.hpp"

namespace bpflink {
namespace {

/// Opens a file that may be an object or a kernel. Returns nothing for a kernel.
std::expected<std::optional<InputFile>, Error> open_object(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  if (file->bytes().empty()) return fail("{}: is empty", path);
  auto is_one = is_bpf_object(file->bytes());
  if (!is_one) return fail_in(path, is_one.error());
  return *is_one ? std::optional(std::move(*file)) : std::nullopt;
}

/// Errors: a symbol that neither the object defines nor a loader provides.
std::expected<void, Error> check_linked(const CoreObject& object) {
  for (const Extern& entry : object.object.externs())
    if (entry.section.empty())  // libbpf opens no object with a weak one, either
      return fail("{}: does not define '{}': link it with the object that does", object.name,
                  entry.name);
  return {};
}

/// Adds a file to the objects or the kernels. Errors: it cannot be read; a check needs a linked
/// one.
std::expected<void, Error> add_file(const std::string& path, BpfcoreOptions::Command command,
                                    CoreInputs& inputs, std::vector<std::string>& kernels) {
  auto file = TRY(open_object(path));
  if (!file) {
    kernels.push_back(path);
    return {};
  }
  auto object = CoreObject::read(path, file->bytes());
  if (!object) return fail_in(path, object.error());
  if (object->object.programs().empty() && object->records.empty()) {
    print_note("bpfcore", path + " has no program");
    return {};
  }
  if (command != BpfcoreOptions::Command::Minimize) TRY(check_linked(*object));
  inputs.files.push_back(std::move(*file));
  inputs.objects.push_back(std::move(*object));
  return {};
}

/// Whether a file of a directory is a BPF object, perhaps a broken one, or empty.
bool looks_like_object(const std::string& path) {
  std::array<std::byte, sizeof(Elf64_Ehdr)> buffer;
  auto begin = read_begin(path, buffer);
  if (!path.ends_with(".o") || !begin || begin->empty()) return path.ends_with(".o");
  constexpr size_t machine = offsetof(Elf64_Ehdr, e_machine);
  auto is_at = [&](size_t at) { return begin->size() > at && (*begin)[at] == std::byte{EM_BPF}; };
  return is_elf(*begin) && (is_at(machine) || is_at(machine + 1));
}

/// Lists the objects in a directory. If it has none, or a kernel, it also counts as a kernel.
std::expected<std::vector<std::string>, Error> list_objects(const std::string& directory,
                                                            std::vector<std::string>& kernels) {
  auto files = list_files(directory, [](const std::string&) { return true; });
  if (!files) return std::unexpected(files.error());
  const bool has_kernel = std::ranges::any_of(*files, [](const std::string& file) {
    auto look = look_for_kernel(file);
    return !look || *look != KernelLook::Other;
  });
  std::erase_if(*files, [](const std::string& file) { return !looks_like_object(file); });
  if (has_kernel || files->empty()) kernels.push_back(directory);
  return files;
}

/// Sums up the sizes of all files.
uint64_t size_of(const CoreInputs& inputs) {
  uint64_t size = 0;
  for (const InputFile& file : inputs.files) size += file.bytes().size();
  for (const KernelSource& kernel : inputs.kernels) {
    struct stat status {};
    if (::stat(kernel.name.c_str(), &status) == 0) size += static_cast<uint64_t>(status.st_size);
  }
  return size;
}

/// Each thing that an object needs has a result on each kernel. Thousands of both are fine if they
/// are real: kernels have megabytes. Errors: small files have too many.
std::expected<void, Error> check_product(const CoreInputs& inputs) {
  constexpr uint64_t always = 1 << 19, bytes_per_result = 32, results_per_object = 8;
  uint64_t needs = 0;
  for (const CoreObject& object : inputs.objects) {
    needs += object.records.size() + object.object.programs().size() +
             object.object.externs().size() + object.object.maps().size() + results_per_object;
    for (const StructOps& ops : object.object.struct_ops())
      needs += 1 + (ops.type_id == 0 ? 0 : object.object.btf()->type(ops.type_id).vlen());
  }
  uint64_t most = always + inputs.size / bytes_per_result;
  if (needs * inputs.kernels.size() > most)
    return fail(
        "{} kernels with some {} results each are too many at once: give fewer kernels or "
        "programs",
        inputs.kernels.size(), needs);
  return {};
}

}  // namespace

std::expected<CoreInputs, Error> open_inputs(const BpfcoreOptions& options) {
  CoreInputs inputs;
  std::vector<std::string> kernels;
  std::optional<Error> failure;  // the last one
  std::vector<std::string> files;
  for (const std::string& path : options.files) {
    if (!is_directory(path)) {
      files.push_back(path);
      continue;
    }
    auto objects = TRY(list_objects(path, kernels));
    std::ranges::move(objects, std::back_inserter(files));
  }
  for (const std::string& path : files) {
    auto ok = add_file(path, options.command, inputs, kernels);
    if (ok) continue;
    if (options.command == BpfcoreOptions::Command::Minimize) return std::unexpected(ok.error());
    if (failure) print_error("bpfcore", *failure);
    failure = ok.error();
    inputs.unread.push_back(path);
  }
  kernels.insert(kernels.end(), options.kernels.begin(), options.kernels.end());
  if (failure && (inputs.objects.empty() || kernels.empty())) return std::unexpected(*failure);
  if (failure) print_error("bpfcore", *failure);
  if (inputs.objects.empty())
    return fail("no program among the files: an object has one in a section other than .text");
  if (kernels.empty()) return fail("no kernel among the files: give an image or BTF");
  KernelOptions known = options.known;
  // Minimized types do not depend on a configuration.
  known.reads_configs = options.command != BpfcoreOptions::Command::Minimize;
  std::vector<std::string> notes;
  auto found = TRY(find_kernels(kernels, std::move(known), &notes));
  for (std::string& note : notes)
    print_diagnostic("bpfcore", {.severity = Severity::Warning, .message = std::move(note)});
  inputs.kernels = std::move(found);
  inputs.size = size_of(inputs);
  TRY(check_product(inputs));
  return inputs;
}

std::expected<void, Error> check_outputs(const Outputs& outputs, const BpfcoreOptions& options,
                                         const CoreInputs& inputs) {
  std::vector<NamedFile> files = named_files(inputs.files);
  std::vector<std::string> paths = {options.known.manifest, options.known.config};
  for (const KernelSource& kernel : inputs.kernels)
    paths.insert(paths.end(), {kernel.name, kernel.record.config});
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    auto found = find_file(path);
    if (!found) return fail("{}: {}", path, found.error().message);
    if (*found) files.push_back({path, FileIdentity(**found)});
  }
  auto problems = outputs.check(files);
  return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
}

std::expected<void, Error> for_each_kernel(
    const CoreInputs& inputs, unsigned threads,
    const std::function<std::expected<void, Error>(size_t, const Kernel&)>& work,
    const std::function<std::expected<void, Error>(size_t, const Error&)>& on_error) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  Progress progress(inputs.kernels.size(), "kernel");
  return for_each_index(inputs.kernels.size(), threads,
                        [&](size_t i) -> std::expected<void, Error> {
                          auto kernel = read_kernel(inputs.kernels[i]);
                          auto done = kernel     ? work(i, **kernel)
                                      : on_error ? on_error(i, kernel.error())
                                                 : std::unexpected(kernel.error());
                          progress.advance("");
                          return done;
                        });
}

void warn_modules(const std::vector<std::vector<std::string>>& notes) {
  std::set<std::string_view> seen;
  for (const auto& of_kernel : notes)
    for (const std::string& note : of_kernel)
      if (seen.insert(note).second)
        print_diagnostic("bpfcore", {.severity = Severity::Warning, .message = note});
}

}  // namespace bpflink
