// The program bpfskel: links BPF objects in memory and writes a skeleton, with
// which a program in user space opens, loads and uses the result.
#include <sys/stat.h>

#include <csignal>
#include <cstdio>

#include "bpflink/linker.hpp"
#include "bpflink/object.hpp"
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/model.hpp"
#include "linker/bpfskel/options.hpp"
#include "linker/error.hpp"
#include "linker/io/interruption.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/program.hpp"
#include "linker/io/write_all.hpp"

namespace {

using namespace bpflink;

void print(const Diagnostic& diagnostic) {
  if (diagnostic.severity == Severity::Note) return;
  bool is_error = diagnostic.severity == Severity::Error;
  std::string text =
      fmt::format("bpfskel: {}: {}\n", is_error ? "error" : "warning", diagnostic.message);
  for (const std::string& line : diagnostic.details) text += line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Prints an error; the exit status.
int report(const Error& error) {
  print_error("bpfskel", error.message);
  return 1;
}

std::string emit(const Skeleton& skeleton, BpfskelOptions::Language language) {
  switch (language) {
    case BpfskelOptions::Language::C:
      break;
    case BpfskelOptions::Language::Cpp:
      return emit_c(skeleton) + emit_cpp(skeleton);
    case BpfskelOptions::Language::Rust:
      return emit_rust(skeleton);
  }
  return emit_c(skeleton);
}

/// Whether the skeleton would take the place of the file at `input`.
bool replaces(const OutputFile& output, const std::string& input) {
  struct stat info;
  return output.identity() && ::stat(input.c_str(), &info) == 0 &&
         *output.identity() == FileIdentity(info);
}

std::expected<OutputFile, Error> open_output(const BpfskelOptions& options) {
  auto output = OutputFile::open(options.output);
  if (!output) return fail("{}: {}", options.output, output.error().message);
  for (const std::string& input : options.inputs)
    if (replaces(*output, input))
      return fail("-o '{}' would replace the input '{}'", options.output, input);
  return output;
}

std::expected<void, Error> write_skeleton(const BpfskelOptions& options,
                                          std::span<const std::byte> image, OutputFile& output) {
  auto object = Object::parse(image);
  if (!object) return std::unexpected(object.error());
  std::string text = emit(make_skeleton(*object, options.name, image), options.language);
  auto written = write_all(output.fd(), std::as_bytes(std::span(text)));
  if (written) written = output.commit();
  if (!written) return fail("{}: {}", options.output, written.error().message);
  return {};
}

int link_and_write(const BpfskelOptions& options) {
  // Writing to a pipe that nobody reads any more is an error, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  clean_up_when_interrupted("bpfskel", {options.output});
  auto output = open_output(options);
  if (!output) return report(output.error());
  Linker linker({}, print);
  for (const std::string& input : options.inputs) linker.add_file(input);
  auto image = linker.link_to_memory();
  if (!image) return 1;  // print() has said why
  auto written = write_skeleton(options, *image, *output);
  return written ? 0 : report(written.error());
}

int run(std::vector<std::string> arguments) {
  auto options = parse_bpfskel_options(std::move(arguments));
  if (!options) return report(options.error());
  if (options->text.empty()) return link_and_write(*options);
  print_text(options->text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfskel", argc, argv, run);
}
