// The public class Linker: collects inputs, then runs link() on a new Context.
#include "bpflink/linker.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "linker/error.hpp"
#include "linker/io/paths.hpp"
#include "linker/state/context.hpp"

namespace bpflink {

struct Linker::Impl {
  LinkOptions options;
  DiagnosticHandler handler;
  std::vector<InputSource> sources;
  LinkReport report = {};
  Finisher finish = {};
  bool ran_out_of_memory = false;

  /// Links to `target`. `memory` receives the object if the target is memory.
  bool run(OutputTarget target, std::vector<std::byte>* memory = nullptr) {
    ran_out_of_memory = false;
    try {
      Context context(options, handler);
      context.sources = sources;
      context.target = std::move(target);
      context.finish = finish;
      context.diagnostics.group_warnings();
      link(context);
      publish(context);
      report = std::move(context.report);
      if (memory) *memory = std::move(context.memory);
      // Removes temporary files that were not renamed.
      context.outputs.clear();
      return !context.diagnostics.failed();
    } catch (const std::bad_alloc&) {
      ran_out_of_memory = true;
      if (handler) handler({.message = "out of memory"});
      return false;
    } catch (const std::exception& exception) {
      if (handler) handler({.message = exception.what()});
      return false;
    }
  }
};

Linker::Linker(LinkOptions options, DiagnosticHandler handler)
    : impl_(new Impl{std::move(options), std::move(handler), {}}) {
  LinkOptions& own = impl_->options;
  own.gc_sections |= own.gc_maps && !own.partial;
}
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;
Linker::~Linker() = default;

void Linker::add_file(std::string path) {
  impl_->sources.push_back({.name = std::move(path)});
}

void Linker::add_whole_archive(std::string path) {
  impl_->sources.push_back({.name = std::move(path), .whole_archive = true});
}

void Linker::add_library(const std::string& name, bool whole) {
  const std::vector<std::string>& directories = impl_->options.library_paths;
  if (auto path = find_library(name, directories)) {
    impl_->sources.push_back(
        {.name = std::move(*path), .whole_archive = whole, .is_library = true});
    return;
  }
  std::string message = directories.empty()
                            ? "no directory to look in is given with -L"
                            : fmt::format("no {} in the {} given with -L", file_of_library(name),
                                          agree(directories.size(), "directory", "directories"));
  impl_->sources.push_back({.name = "-l" + name, .given = fail(message)});
}

void Linker::add_memory(std::string name, std::span<const std::byte> image) {
  InputFile input = InputFile::in_memory(name, image);
  impl_->sources.push_back({.name = std::move(name), .given = std::move(input)});
}

void Linker::add_fd(int fd, std::string name) {
  if (name.empty()) name = "/proc/self/fd/" + std::to_string(fd);
  auto input = InputFile::open(fd, name);
  impl_->sources.push_back({.name = std::move(name), .given = std::move(input)});
}

void Linker::before_commit(Finisher finish) {
  impl_->finish = std::move(finish);
}

bool Linker::link_to_file(const std::string& path) {
  return impl_->run({.path = path});
}

bool Linker::link_to_file(const std::string& path, Converter convert) {
  return impl_->run({.path = path, .convert = std::move(convert)});
}

bool Linker::link_to_fd(int fd) {
  return impl_->run({.fd = fd});
}

bool Linker::ran_out_of_memory() const {
  return impl_->ran_out_of_memory;
}

std::optional<std::vector<std::byte>> Linker::link_to_memory() {
  std::vector<std::byte> image;
  if (!impl_->run({}, &image)) return std::nullopt;
  return image;
}

const LinkReport& Linker::report() const {
  return impl_->report;
}

}  // namespace bpflink
