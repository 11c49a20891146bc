// Pass: set up a link of what bitcode and objects have in common, and open what the compilation of
// the bitcode writes beside the output.
//
// That link is of the inputs as they were compiled. link.cpp runs passes over it, which find what
// no other file needs and what does not fit together; join_bitcode() tells LLVM.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

void open_bitcode_outputs(Context& context) {
  const LinkOptions& options = context.options;
  const bool makes_object = options.lto_emit == LinkOptions::Emit::Object;
  const std::string option = options.for_rustc ? "--emit" : "--lto-emit-asm";
  if (std::ranges::none_of(context.objects, &ObjectFile::is_bitcode))
    context.diagnostics.error(option + ": no input is LLVM bitcode");
  bool has_report = std::ranges::any_of(
      report_files, [&](const ReportFile& report) { return !(options.*report.path).empty(); });
  bool needs_object = has_report || shows_model(options) || context.target.convert;
  if (!makes_object && needs_object)
    context.diagnostics.error(option + " makes no object, for reports or a skeleton");
  if (!options.lto_save_temps || !context.target.path) return;
  const std::string& directory = options.lto_dump_directory;
  std::error_code error;
  if (!directory.empty() && !std::filesystem::create_directories(directory, error) && error)
    return context.diagnostics.error(fmt::format("{}: {}", directory, error.message()));
  auto open = [&](std::string_view suffix, std::string_view name) -> Outputs::Output* {
    auto output = context.outputs.open(
        "--save-temps", directory.empty() ? fmt::format("{}{}", *context.target.path, suffix)
                                          : fmt::format("{}/{}", directory, name));
    if (!output) report_output(context, std::move(output.error()));
    return output.value_or(nullptr);
  };
  context.joined_bitcode = open(".lto.bc", "pre-opt.ll");
  context.optimized_bitcode = open(".lto.opt.bc", "post-opt.ll");
  check_outputs(context);  // again, with these two
}

}  // namespace

void separate_bitcode(Context& context) {
  open_bitcode_outputs(context);
  if (context.diagnostics.failed()) return;
  LinkOptions options = context.options;
  options.gc_sections = options.gc_maps = options.prune_types = false;
  options.fatal_warnings = false;
  context.modules = std::make_unique<Context>(
      std::move(options),
      [&context](const Diagnostic& diagnostic) { context.diagnostics.report_once(diagnostic); });
  context.modules->objects = std::move(context.objects);
  context.modules->byte_order = context.byte_order;
}

}  // namespace bpflink
