// Passes: set up a link of what bitcode and objects have in common; then join the inputs that are
// LLVM bitcode, optimize them as one program, and make one more object of it.
//
// The first link is of the inputs as they were compiled. link.cpp runs passes over it, which find
// what no other file needs and what does not fit together; join_bitcode() tells LLVM.
//
// read_inputs() has an object of each already, without code: it has the symbols and types that a
// compiler would give it. These have been resolved, and compared, as those of all objects are
// in the first link. LLVM is told which definitions lost, and which hidden functions nothing
// outside of bitcode needs: it may inline and remove those. Its object takes the place of theirs,
// and the link goes on with it. The verifier checks a hidden function where it is called, as libbpf
// makes it static; LLVM may make more of it where it knows all calls. Other functions stay what
// they are: their authors want them to be checked once, or replaced.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "dedup/messages.hpp"
#include "linker/lto/backend.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"
#include "linker/state/gc_roots.hpp"
#include "linker/state/renaming.hpp"
#include "linker/text/locations.hpp"

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

namespace {

class BitcodeJoin {
 public:
  explicit BitcodeJoin(Context& context) : context_(context) {}

  void run() {
    std::erase_if(context_.options.trace_symbols,
                  [&](const std::string& name) { return modules_.symbols.find(name) != nullptr; });
    request();
    auto reply = lto::run_backend(request_);
    if (!reply) return context_.diagnostics.error(reply.error().message);
    for (const lto::Part& part : reply->parts)
      if (part.is_message())
        context_.diagnostics.report_once(lto::to_diagnostic(
            request_, part, [this](std::string_view name) { return find_function(name); }));
    if (!reply->crash.empty()) report_crash(reply->crash);
    if (context_.diagnostics.failed()) return;
    context_.files.push_back(std::move(reply->file));
    auto output = bytes_of(reply->find(lto::PartKind::Output));
    if (context_.joined_bitcode) {
      write(*context_.joined_bitcode, bytes_of(reply->find(lto::PartKind::Joined)));
      write(*context_.optimized_bitcode, bytes_of(reply->find(lto::PartKind::Optimized)));
    }
    if (!makes_object()) return write(*context_.object_output, output);
    if (context_.diagnostics.failed()) return;
    read_again(output);
    if (!object_of_all_) return;
    restore_names(*reply);
    note_optimized_away();
  }

 private:
  bool makes_object() const { return context_.options.lto_emit == LinkOptions::Emit::Object; }

  void request() {
    request_ = {.options = context_.options, .joins = true};
    request_.options.lto_internalize |= context_.options.exports.has_value();
    request_.options.lto_save_temps = context_.joined_bitcode != nullptr;
    find_needed_names();
    for (const auto& object : modules_.objects)
      if (object->is_bitcode()) request_.modules.push_back(describe(*object));
  }

  /// The names that objects refer to, or define and would then use themselves; and callbacks that
  /// tags name.
  void find_needed_names() {
    for (const auto& object : modules_.objects) {
      for (const InputSymbol& symbol : object->symbols)
        if (!object->is_bitcode() && !symbol.is_local()) needed_.insert(symbol.name);
      for_each_tagged_callback(*object,
                               [&](std::string_view name, uint32_t) { needed_.insert(name); });
    }
    const LinkOptions& options = context_.options;
    needed_.insert(options.undefined.begin(), options.undefined.end());
    if (options.exports) needed_.insert(options.exports->begin(), options.exports->end());
  }

  lto::Module describe(const ObjectFile& object) const {
    lto::Module module{.name = object.name, .bitcode = text_of(object.bitcode)};
    for (uint32_t i = 1; i < object.symbols.size(); ++i) {
      const InputSymbol& symbol = object.symbols[i];
      if (!symbol.is_in_section() || symbol.is_section()) continue;
      bool is_repeated = object.sections[symbol.section].same_as;  // a license or version
      if (symbol.is_local() && !is_repeated) continue;
      if (is_repeated || lost_resolution(object, i))
        module.overridden.push_back(symbol.name);
      else if (may_be_internal(object, symbol))
        module.internal.push_back(symbol.name);
    }
    return module;
  }

  /// Variables stay: user space may read and write them. Where exports are listed, it does not.
  bool may_be_internal(const ObjectFile& object, const InputSymbol& symbol) const {
    const LinkOptions& options = context_.options;
    const InputSection& section = object.sections[symbol.section];
    if (options.partial || needed_.contains(symbol.name)) return false;
    if (options.exports && facts_of(section.role).is_global_data) return true;
    return symbol.type == STT_FUNC && section.role == SectionRole::Text &&
           gc_root_reason(symbol, symbol.global, section, options).empty();
  }

  DiagnosticLocation find_function(std::string_view name) const {
    for (const auto& object : modules_.objects)
      for (const InputSymbol& symbol : object->symbols)
        if (object->is_bitcode() && symbol.is_in_section() && symbol.name == name)
          return location_of(*object, symbol);
    return {};
  }

  void report_crash(const std::string& crash) {
    const auto& modules = request_.modules;
    const std::string_view first = modules.front().name;
    std::string names(first);
    if (modules.size() > 1)
      names += fmt::format(" and {} of bitcode", count_of(modules.size() - 1, "more file"));
    context_.diagnostics.error(fmt::format("{}: {}", names, crash), {},
                               DiagnosticCode::InvalidInput, {.file = first});
  }

  void write(const Outputs::Output& output, std::span<const std::byte> bytes) {
    if (auto ok = Outputs::write(output, bytes); !ok)
      report_output(context_, std::move(ok.error()));
  }

  /// Reads the new object in place of the first module, and all others again: passes have changed
  /// them. Outlines have DWARF, where the joined object has none.
  void read_again(std::span<const std::byte> joined) {
    bool is_read = false;
    for (auto& object : modules_.objects) {
      if (!object->is_bitcode())
        read(object->name, object->image);
      else if (!std::exchange(is_read, true))
        object_of_all_ = read(name_of_joined(), joined);
      if (!object->is_bitcode() || !object_of_all_) continue;
      forget_resolution(*object);
      object_of_all_->outlines.push_back(std::move(object));
    }
  }

  /// Outlines outlive the link of the modules. Definitions that lost there are none any more.
  static void forget_resolution(ObjectFile& outline) {
    for (uint32_t i = 1; i < outline.symbols.size(); ++i) {
      InputSymbol& symbol = outline.symbols[i];
      if (lost_resolution(outline, i)) symbol.section = 0;
      symbol.global = nullptr;
    }
  }

  /// Gives static functions and variables the names that they have in objects. LLVM had to rename
  /// those of which there are several.
  void restore_names(const lto::Reply& reply) {
    LinkOptions options;
    for (const lto::Part& part : reply.parts)
      if (size_t end = part.bytes.find('\n'); part.kind == lto::PartKind::Renamed)
        options.redefine_symbols.emplace_back(part.bytes.substr(0, end),
                                              part.bytes.substr(end + 1));
    if (auto ok = Renaming(options).rename(*object_of_all_, ""); !ok)
      context_.diagnostics.error(fmt::format("{}: {}", object_of_all_->name, ok.error().message));
  }

  /// Names the files: "a.bc", "a.bc, b.bc and 7 more".
  std::string name_of_joined() const {
    const auto& modules = request_.modules;
    std::string name(modules.front().name);
    if (modules.size() == 1) return name;
    if (modules.size() > 2) name += fmt::format(", {}", modules[1].name);
    name += " and ";
    return name += modules.size() > 3 ? fmt::format("{} more", modules.size() - 2)
                                      : std::string(modules.back().name);
  }

  /// Notes which definitions of bitcode are gone, for reports.
  void note_optimized_away() {
    std::unordered_set<std::string_view> defined;
    for (const auto& object : context_.objects)
      for (const InputSymbol& symbol : object->symbols)
        if (symbol.is_in_section()) defined.insert(symbol.name);
    for (const auto& object : object_of_all_->outlines)
      for (const InputSymbol& symbol : object->symbols) {
        if (!symbol.is_in_section() || symbol.is_local() || defined.contains(symbol.name)) continue;
        const InputSection& section = object->sections[symbol.section];
        context_.optimized_away.push_back(
            dropped_part(*object, section.name, symbol.value, symbol.name, symbol.size,
                         "LLVM has inlined it, or found that nothing needs it"));
      }
  }

  ObjectFile* read(const std::string& name, std::span<const std::byte> image) {
    auto object = ObjectFile::read(name, image, {.keep_debug = context_.options.keep_debug});
    if (object) return context_.objects.emplace_back(std::move(*object)).get();
    context_.diagnostics.error(fmt::format("{}: {}", name, object.error().message));
    return nullptr;
  }

  Context& context_;
  Context& modules_ = *context_.modules;
  std::unordered_set<std::string_view> needed_;
  lto::Request request_;
  ObjectFile* object_of_all_ = nullptr;
};

}  // namespace

void join_bitcode(Context& context) {
  BitcodeJoin(context).run();
  context.modules.reset();
}

}  // namespace bpflink
