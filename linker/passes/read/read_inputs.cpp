// Pass: open and check the inputs.
//
// First each file is mapped and each object read on its own, by several threads if the files are
// large enough. Then archives are opened, and their members are read in the same way. Then symbols
// are renamed if an option says so; later passes see only the new names. The last step depends on
// the order of the command line: it reports all bad files, always in the same order, and chooses
// archive members.
//
// LLVM makes an object of each file of bitcode that has its symbols and types, and no code:
// join_bitcode() replaces it. Where symbols are renamed, which the bitcode cannot tell,
// each file is optimized on its own, and its object stays.
//
// A member is linked if it defines a missing symbol. It may miss symbols itself, so more members
// follow, whatever the order of the files. With --whole-archive all members are linked.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <unordered_set>

#include "dedup/for_linker.hpp"
#include "linker/files/archive.hpp"
#include "linker/files/bitcode.hpp"
#include "linker/files/declarations.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/files/object_types.hpp"
#include "linker/io/paths.hpp"
#include "linker/lto/backend.hpp"
#include "linker/state/context.hpp"
#include "linker/state/renaming.hpp"

namespace bpflink {
namespace {

std::string_view name_of(std::endian order) {
  return order == std::endian::little ? "little-endian" : "big-endian";
}

/// An object that may be linked, or the reason why there is none.
struct Candidate {
  std::string name;
  std::optional<InputFile> file = {};   ///< set once it is open
  const InputSource* source = nullptr;  ///< if it is the whole file of this source
  std::string_view prefix = {};         ///< for the names of its symbols
  bool is_archive = false;
  bool is_needed = true;  ///< false for an archive member: it is linked on demand
  std::optional<Error> failure = {};
  std::vector<Diagnostic> messages = {};    ///< of LLVM, about its bitcode
  std::span<const std::byte> bitcode = {};  ///< what the object is to be made of, if it is bitcode
  std::string foreign = {};  ///< what it is instead of an object, if that is not an error
  std::unique_ptr<ObjectFile> object = {};
};

class InputReader {
 public:
  explicit InputReader(Context& context) : context_(context) {}

  void run() {
    for (const InputSource& source : context_.sources) list(source);
    read_candidates();
    if (expand_archives()) read_candidates();
    compile_bitcode();
    rename_symbols();
    for (Candidate& candidate : candidates_) link_or_defer(std::move(candidate));
    if (!without_object_.empty() && !context_.diagnostics.failed())
      fail(without_object_, Error{"LLVM made no object"});
    if (context_.diagnostics.failed()) return;
    if (!members_.empty()) add_needed_members();
    if (context_.objects.empty())
      context_.diagnostics.error(members_.empty()
                                     ? "no input files"
                                     : "no input files: no member of an archive is needed");
  }

 private:
  // ---- the files

  void list(const InputSource& source) {
    if (!source.given) context_.report.files.push_back(source.name);
    candidates_.push_back(
        {.name = source.name, .source = &source, .prefix = renaming_.next_prefix(source.name)});
  }

  /// Opens the file of a source, if it is not open yet.
  static void open(Candidate& candidate) {
    if (candidate.file || candidate.failure) return;
    const InputSource& source = *candidate.source;
    auto file = open_source(source);
    if (file)
      candidate.file = std::move(*file);
    else
      candidate.failure =
          source.given ? file.error() : with_nearest_name(file.error(), source.name);
  }

  /// If there is no such file, appends the most similar name in its directory.
  static Error with_nearest_name(Error error, const std::filesystem::path& path) {
    std::error_code failure;
    if (std::filesystem::exists(path, failure) || !path.has_filename()) return error;
    const std::string name = path.filename().string();
    const std::filesystem::path directory = path.parent_path();
    size_t best = misspelling_limit(name);
    std::string nearest;
    auto names = list_directory(directory.empty() ? "." : directory.string());
    for (std::string& other : names.value_or(std::vector<std::string>())) {
      if (std::filesystem::path(other).extension() != path.extension()) continue;
      size_t distance = edit_distance(name, other);
      if (distance >= best) continue;
      best = distance;
      nearest = std::move(other);
    }
    if (!nearest.empty())
      error.message += fmt::format("; did you mean {}?", (directory / nearest).string());
    return error;
  }

  static std::expected<InputFile, Error> open_source(const InputSource& source) {
    if (!source.given)
      return source.is_library ? InputFile::open_regular(source.name)
                               : InputFile::open(source.name);
    if (!*source.given) return std::unexpected(source.given->error());
    return InputFile::in_memory(source.name, (*source.given)->bytes());
  }

  /// Replaces archives by their members. Returns whether there are any.
  bool expand_archives() {
    if (std::ranges::none_of(candidates_, &Candidate::is_archive)) return false;
    for (Candidate& candidate : std::exchange(candidates_, {})) {
      if (candidate.is_archive)
        open_members(std::move(candidate));
      else
        candidates_.push_back(std::move(candidate));
    }
    return true;
  }

  void open_members(Candidate archive) {
    const InputSource& source = *archive.source;
    auto members = read_archive(archive.file->bytes(), source.name);
    if (!members) return add_failure(source.name, members.error());
    bool has_objects = false;
    context_.files.push_back(std::move(*archive.file));
    SeenMembers seen;
    for (const ArchiveMember& member : *members) {
      if (!member.path.empty()) context_.report.files.push_back(member.path);
      auto file = open_member(member);
      if (file && !seen.insert(member, *file)) continue;
      Candidate& candidate = candidates_.emplace_back(member.name);
      candidate.prefix = archive.prefix;
      candidate.is_needed = source.whole_archive;
      if (!file)
        candidate.failure = file.error();
      else
        candidate.file = std::move(*file);
      if (!candidate.failure && !lto::is_bitcode(candidate.file->bytes()))
        candidate.foreign = describe_foreign_file(candidate.file->bytes());
      has_objects |= candidate.foreign.empty();
    }
    if (!has_objects)
      add_failure(
          source.name,
          Error{"is an archive without BPF objects: compile its members with clang --target=bpf"});
  }

  void add_failure(const std::string& name, const Error& error) {
    candidates_.push_back({.name = name, .failure = error});
  }

  // ---- the objects in them

  /// Opens and reads all candidates that are not open or read yet. The size of the first files
  /// decides whether several workers pay off.
  void read_candidates() {
    uint64_t bytes = 0;
    size_t workers = 1;
    for (size_t i = 0; i < candidates_.size() && workers == 1; ++i) {
      open(candidates_[i]);
      if (candidates_[i].file) bytes += candidates_[i].file->bytes().size();
      workers = choose_workers(bytes, context_.options.threads);
    }
    workers = std::max<size_t>(std::min(workers, candidates_.size()), 1);
    std::atomic<size_t> next = 0;
    run_threads(static_cast<unsigned>(workers), [&](unsigned) {
      for (size_t i = next++; i < candidates_.size(); i = next++) read(candidates_[i]);
    });
  }

  void read(Candidate& candidate) const {
    open(candidate);
    if (candidate.object || candidate.failure || !candidate.foreign.empty()) return;
    candidate.is_archive = candidate.source && is_archive(candidate.file->bytes());
    if (candidate.is_archive) return;
    if (lto::is_bitcode(candidate.file->bytes())) {
      candidate.bitcode = candidate.file->bytes();
      if (lto::is_cut_off(candidate.bitcode))
        candidate.failure = Error{"is LLVM bitcode that is cut off"};
      return;
    }
    read_object(candidate);
    const InputSection* embedded = candidate.object && context_.options.fat_lto
                                       ? candidate.object->find_section(".llvm.lto")
                                       : nullptr;
    if (!embedded) return;
    candidate.bitcode = embedded->data;
    candidate.object.reset();
  }

  void read_object(Candidate& candidate) const {
    auto object = ObjectFile::read(candidate.name, candidate.file->bytes(),
                                   {.keep_debug = context_.options.keep_debug});
    if (object)
      candidate.object = std::move(*object);
    else
      candidate.failure = object.error();
  }

  // ---- bitcode

  void compile_bitcode() {
    std::vector<Candidate*> modules;
    uint64_t bytes = 0;
    for (Candidate& candidate : candidates_)
      if (!candidate.bitcode.empty() && !candidate.failure) {
        modules.push_back(&candidate);
        bytes += candidate.bitcode.size();
        context_.files.push_back(*std::exchange(candidate.file, {}));
      }
    if (modules.empty()) return;
    context_.has_code_of_bitcode = true;
    if (auto backend = lto::find_backend(); !backend) {
      modules.front()->failure = backend.error();
      return;
    }
    std::error_code error;
    const std::string& cache = context_.options.lto_cache;
    if (!cache.empty() && !std::filesystem::create_directories(cache, error) && error)
      return context_.diagnostics.error(fmt::format("--lto-cache {}: {}", cache, error.message()));
    size_t workers =
        std::min<size_t>(choose_workers(bytes, context_.options.threads), modules.size());
    // Where symbols are renamed, an object is made of each, otherwise outlines of many at once.
    const size_t requests = renaming_.is_idle() ? workers : modules.size();
    std::atomic<size_t> next = 0;
    run_threads(static_cast<unsigned>(workers), [&](unsigned) {
      for (size_t i = next++; i < requests; i = next++) {
        size_t begin = modules.size() * i / requests, end = modules.size() * (i + 1) / requests;
        compile(std::span(modules).subspan(begin, end - begin));
      }
    });
    // What is so of all of them is said of the first.
    for (const auto& first = modules.front()->failure; Candidate * module : modules)
      if (module != modules.front() && first && module->failure &&
          module->failure->message == first->message)
        module->failure.reset();
  }

  void compile(std::span<Candidate* const> modules) const {
    lto::Request request{.options = context_.options, .joins = !renaming_.is_idle()};
    request.options.lto_emit = LinkOptions::Emit::Object;
    request.options.keep_debug = true;
    request.options.lto_save_temps = false;
    for (const Candidate* module : modules)
      request.modules.push_back({.name = module->name, .bitcode = text_of(module->bitcode)});
    auto reply = lto::run_backend(request);
    if (!reply) {
      for (Candidate* module : modules) module->failure = reply.error();
      return;
    }
    auto file = std::make_shared<const InputFile>(std::move(reply->file));
    size_t next = 0;  // the module that LLVM has come to
    for (const lto::Part& part : reply->parts) {
      Candidate& module = *modules[part.module];
      // join_bitcode() repeats a warning.
      if (part.kind == lto::PartKind::Error || (part.is_message() && request.joins))
        module.messages.push_back(lto::to_diagnostic(request, part));
      if (part.kind == lto::PartKind::Output) {
        module.file = InputFile::part_of(file, module.name, bytes_of(part.bytes));
        read_object(module);
        if (module.object && !request.joins) module.object->bitcode = module.bitcode;
      }
      if (part.kind == lto::PartKind::Output || part.kind == lto::PartKind::Error)
        next = part.module + 1;
    }
    if (!reply->crash.empty() && next < modules.size())
      modules[next]->failure = Error{std::move(reply->crash)};
  }

  void rename_symbols() {
    if (renaming_.is_idle()) return;
    for (const Candidate& candidate : candidates_)
      if (candidate.object) renaming_.learn(*candidate.object, candidate.prefix);
    for (Candidate& candidate : candidates_) {
      if (!candidate.object) continue;
      if (auto ok = renaming_.rename(*candidate.object, candidate.prefix); !ok)
        candidate.failure = ok.error();
    }
    for (const std::string& error : renaming_.find_errors()) context_.diagnostics.error(error);
    for (const std::string& warning : renaming_.find_warnings())
      context_.diagnostics.warning(warning);
  }

  // ---- those that are linked

  void link_or_defer(Candidate candidate) {
    if (candidate.file) context_.files.push_back(std::move(*candidate.file));
    for (const Diagnostic& message : candidate.messages) context_.diagnostics.report_once(message);
    if (candidate.failure) return fail(candidate.name, *candidate.failure);
    if (!candidate.foreign.empty())
      context_.diagnostics.note(
          fmt::format("{}: not a BPF object but {}", candidate.name, candidate.foreign));
    else if (!candidate.object)
      without_object_ = std::move(candidate.name);
    else if (candidate.is_needed)
      add(std::move(candidate.object));
    else
      members_.push_back(std::move(candidate.object));
  }

  /// Links members until no member defines a missing symbol.
  void add_needed_members() {
    std::unordered_map<std::string_view, size_t> provider;
    for (size_t i = 0; i < members_.size(); ++i)
      for (const InputSymbol& symbol : members_[i]->symbols)
        if (!symbol.is_local() && symbol.is_defined()) provider.try_emplace(symbol.name, i);
    for (const auto& object : context_.objects) learn_names(*object);
    for (const std::string& name : context_.options.undefined) missing_.push_back(name);
    while (!missing_.empty()) {
      std::string_view name = missing_.front();
      missing_.pop_front();
      auto found = provider.find(name);
      if (found == provider.end() || defined_.contains(name) || !members_[found->second]) continue;
      context_.diagnostics.note(
          fmt::format("{}: needed for '{}'", members_[found->second]->name, name));
      add(std::move(members_[found->second]));
      learn_names(*context_.objects.back());
    }
  }

  void add(std::unique_ptr<ObjectFile> object) {
    context_.diagnostics.note(
        fmt::format("{}: {}, {}, {}", object->name, count_of(object->sections.size(), "section"),
                    count_of(object->symbols.size(), "symbol"),
                    count_of(object->btf ? object->btf->end_id() - 1 : 0, "type")));
    context_.objects.push_back(std::move(object));
  }

  /// Records which names a linked object defines and misses.
  void learn_names(const ObjectFile& object) {
    auto provided = find_loader_names(object);
    for (const InputSymbol& symbol : object.symbols) {
      if (symbol.is_local()) continue;
      if (symbol.is_defined())
        defined_.insert(symbol.name);
      else if (symbol.binding == STB_GLOBAL && !provided.contains(symbol.name))
        missing_.push_back(symbol.name);
    }
  }

  void fail(const std::string& name, const Error& error) {
    std::vector<DiagnosticReference> references;
    if (!error.advice.empty()) references.push_back(hint(error.advice));
    context_.diagnostics.report({.message = fmt::format("{}: {}", name, error.message),
                                 .code = DiagnosticCode::InvalidInput,
                                 .file = name,
                                 .references = std::move(references)});
  }

  Context& context_;
  Renaming renaming_{context_.options};
  std::vector<Candidate> candidates_;  ///< in the order of the command line
  /// Archive members that are not linked yet; null once they are.
  std::vector<std::unique_ptr<ObjectFile>> members_;
  /// A file of bitcode without an object: an error of another one says that there is no LLVM.
  std::string without_object_;
  std::unordered_set<std::string_view> defined_;
  std::deque<std::string_view> missing_;
};

}  // namespace

void read_inputs(Context& context) {
  InputReader(context).run();
  if (context.diagnostics.failed()) return;
  const ObjectFile& first = *context.objects.front();
  context.byte_order = first.byte_order;
  for (const auto& object : context.objects)
    if (object->byte_order != first.byte_order)
      context.diagnostics.report(
          {.message =
               fmt::format("{}: is {}, but {} is {} (compile all for one --target)", object->name,
                           name_of(object->byte_order), first.name, name_of(first.byte_order)),
           .code = DiagnosticCode::InputMismatch,
           .file = object->name});
  if (context.options.byte_order.value_or(first.byte_order) != first.byte_order)
    context.diagnostics.error(
        fmt::format("{}: is {}, but --target is {}: compile it for that", first.name,
                    name_of(first.byte_order), name_of(*context.options.byte_order)),
        {}, DiagnosticCode::InputMismatch, {.file = first.name});
}

}  // namespace bpflink
