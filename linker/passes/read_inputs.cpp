// Pass: opens and checks the inputs. All of them are tried, so that one run
// reports every bad file. A file is closed once it is mapped, or read: there may
// be more inputs than a process can have open files.
//
// Of a large link, threads read the inputs, each on its own; what depends on
// their order, messages among it, comes afterwards. Small links start none.
//
// An archive's members are linked only if they define something that is missing,
// and then what they miss in turn, whatever the order of the files; with
// --whole-archive all of them are.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <new>
#include <thread>
#include <unordered_set>

#include "dedup/classes/large_inputs.hpp"
#include "dedup/classes/run_threads.hpp"
#include "linker/context.hpp"
#include "linker/elf/archive.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/elf/object_image.hpp"

namespace bpflink {
namespace {

std::string_view name_of(std::endian order) {
  return order == std::endian::little ? "little-endian" : "big-endian";
}

/// An input as far as it can be read without knowing the others.
struct Input {
  MappedFile file = {};
  std::span<const std::byte> image = {};
  std::unique_ptr<ObjectFile> object = {};  ///< null for an archive
  std::optional<Error> failure = {};
};

/// Reads an object from its image.
Input read_image(const std::string& name, std::span<const std::byte> image, ReadOptions options) {
  Input input;
  input.image = image;
  if (is_archive(image)) return input;
  if (auto object = ObjectFile::read(name, image, options))
    input.object = std::move(*object);
  else
    input.failure = object.error();
  return input;
}

Input read_mapped(const std::string& name, std::expected<MappedFile, Error> file,
                  ReadOptions options) {
  if (!file) return {.failure = file.error()};
  Input input = read_image(name, file->bytes(), options);
  input.file = std::move(*file);
  return input;
}

Input open_input(const InputSource& source, ReadOptions options) {
  if (source.failure) return {.failure = source.failure};
  if (source.image) return read_image(source.name, *source.image, options);
  return read_mapped(source.name, MappedFile::open(source.name), options);
}

/// What a thread that opens some inputs of many has for all of them.
struct Opener {
  ReadOptions options;
  std::vector<std::byte> copy;  ///< of the file at hand, if it is small
};

/// The same for an input of many, of which little stays in memory: a small file is read, as
/// that takes less than to map it, and is closed again with what of it is needed copied. The
/// pages of others are read again when something of them is.
Input open_input_of_many(const InputSource& source, Opener& opener, ReleaseQueue& read) {
  constexpr size_t SMALL = 128 << 10;
  ReadOptions options = opener.options;
  options.copy_small = true;
  if (source.failure || source.image) return open_input(source, options);
  auto file = OpenFile::open(source.name);
  if (!file) return {.failure = file.error()};
  if (file->size() <= SMALL) {
    auto ok = options.keep_debug ? read_whole(*file, opener.copy)
                                 : read_without_dwarf(*file, opener.copy);
    if (!ok) return {.failure = ok.error()};
    options.copied_from = &*file;
    Input input = read_image(source.name, opener.copy, options);
    if (input.object || input.failure) return input;
    options.copied_from = nullptr;
  }
  Input input = read_mapped(source.name, MappedFile::open(*file), options);
  read.add(input.file);
  return input;
}

/// The same for a thread of its own, which no exception may leave.
Input open_one_of_many(const InputSource& source, Opener& opener, ReleaseQueue& read) {
  try {
    return open_input_of_many(source, opener, read);
  } catch (const std::bad_alloc&) {
    return {.failure = Error{"out of memory"}};
  }
}

/// Checks the types that a reader which is not sound has taken, each object's alone: what
/// several of them declare to contain each other may be in order in each.
void check_types(std::vector<Input>& inputs, const TypeReader& reader) {
  for (Input& input : inputs) {
    if (!input.object || input.object->sorted_types.reader != &reader) continue;
    if (auto ok = input.object->check_types(); !ok) input.failure = ok.error();
  }
}

/// Makes the heap of a thread large at once. That of any thread but the first grows a page
/// at a time with glibc, and each time the page faults of all threads wait.
void widen_heap() {
  constexpr size_t SIZE = 120'000;  // larger ones are not in the heap
  std::array<void*, 32> blocks{};
  for (void*& block : blocks) block = std::malloc(SIZE);
  for (void* block : blocks) std::free(block);
}

/// How many bytes an input has, or 0 if that is not known yet.
uint64_t size_of(const InputSource& source) {
  struct stat info;
  if (source.image) return source.image->size();
  bool is_known = !source.failure && ::stat(source.name.c_str(), &info) == 0;
  return is_known && S_ISREG(info.st_mode) ? info.st_size : 0;
}

/// How many inputs are read sooner than a thread is started: all, or those before the first
/// that is large.
size_t count_few(const std::vector<InputSource>& sources) {
  constexpr uint64_t SMALL = large_from(256 << 10);  // bytes
  constexpr size_t FEW = 64;
  if (sources.size() > FEW) return 0;
  size_t few = 0;
  for (uint64_t bytes = 0; few < sources.size(); few++) {
    bytes += size_of(sources[few]);
    if (bytes >= SMALL) break;
  }
  return few + 1 < sources.size() ? few : sources.size();
}

/// Opens all inputs, large links with several threads, of which each has a reader of types.
std::vector<Input> open_inputs(const std::vector<InputSource>& sources, ReadOptions options,
                               std::vector<std::unique_ptr<TypeReader>>& readers) {
  std::vector<Input> inputs(sources.size());
  size_t first = count_few(sources);
  for (size_t i = 0; i < first; i++) inputs[i] = open_input(sources[i], options);
  if (first == sources.size()) return inputs;
  ReleaseQueue read;
  std::atomic<size_t> next = 0;
  size_t threads = std::min<size_t>(std::thread::hardware_concurrency(), sources.size() - first);
  std::vector<uint8_t> is_sound(threads, 1);
  for (size_t i = 0; i < threads; i++) readers.push_back(std::make_unique<TypeReader>());
  run_threads(static_cast<unsigned>(threads), [&](unsigned thread) {
    if (thread != 0) widen_heap();
    TypeReader& types = *readers[thread];
    Opener opener{options, {}};
    opener.options.types = &types;
    for (size_t i = next++; i < sources.size(); i = next++) {
      if (i >= first)
        inputs[i] = open_one_of_many(sources[i], opener, read);
      else if (ObjectFile* object = inputs[i].object.get(); object && object->btf)
        types.sort(*object->btf, object->object_types(), object->sorted_types);
    }
    is_sound[thread] = types.is_sound();
  });
  for (size_t i = 0; i < threads; i++)
    if (is_sound[i] == 0) check_types(inputs, *readers[i]);
  return inputs;
}

class InputReader {
 public:
  explicit InputReader(Context& context)
      : context_(context),
        options_{.keep_debug = context.options.keep_debug,
                 .keep_sections = context.report != nullptr} {}

  void run() {
    std::vector<Input> inputs = open_inputs(context_.sources, options_, context_.type_readers);
    for (size_t i = 0; i < inputs.size(); i++) take(context_.sources[i], std::move(inputs[i]));
    if (context_.diagnostics.failed()) return;
    if (!members_.empty()) take_needed_members();
    if (context_.objects.empty())
      context_.diagnostics.error(members_.empty()
                                     ? "no input files"
                                     : "no input files: no member of an archive is needed");
  }

 private:
  void take(const InputSource& source, Input input) {
    if (context_.report && !source.image) context_.report->files.push_back(source.name);
    if (input.failure) return fail(source.name, *input.failure);
    if (input.object) {
      input.object->file = std::move(input.file);
      return add(std::move(input.object));
    }
    read_members(source, input.image);
    if (!input.file.bytes().empty()) context_.archive_files.push_back(std::move(input.file));
  }

  std::unique_ptr<ObjectFile> read_object(const std::string& name, std::span<const std::byte> image,
                                          MappedFile file) {
    auto object = ObjectFile::read(name, image, options_);
    if (!object) {
      fail(name, object.error());
      return nullptr;
    }
    (*object)->file = std::move(file);
    return std::move(*object);
  }

  void read_members(const InputSource& source, std::span<const std::byte> image) {
    auto archive = read_archive(image);
    if (!archive) return fail(source.name, archive.error());
    bool has_objects = false;
    for (const ArchiveMember& member : archive->members)
      has_objects |= read_member(source, *archive, member);
    if (!has_objects) fail(source.name, Error{"is an archive without BPF objects"});
  }

  /// False where the member is not a BPF object, which is not linked then.
  bool read_member(const InputSource& source, const Archive& archive, const ArchiveMember& member) {
    std::string name = fmt::format("{}({})", source.name, member.name);
    MappedFile file;
    auto image = member.image;
    if (archive.is_thin) {
      std::string path = path_beside(source.name, member.name);
      auto opened = MappedFile::open(path);
      if (context_.report) context_.report->files.push_back(path);
      if (!opened) {
        fail(name, opened.error());
        return true;
      }
      file = std::move(*opened);
      image = file.bytes();
    }
    if (std::string foreign = describe_foreign_file(image); !foreign.empty()) {
      context_.diagnostics.note(fmt::format("{}: not a BPF object but {}", name, foreign));
      return false;
    }
    auto object = read_object(name, image, std::move(file));
    if (object && source.whole_archive)
      add(std::move(object));
    else if (object)
      members_.push_back(std::move(object));
    return true;
  }

  static std::string path_beside(const std::string& archive, const std::string& member) {
    size_t slash = archive.rfind('/');
    if (member.starts_with('/') || slash == std::string::npos) return member;
    return archive.substr(0, slash + 1) + member;
  }

  /// Takes members until nothing that is missing is in one.
  void take_needed_members() {
    std::unordered_map<std::string_view, size_t> provider;
    for (size_t i = 0; i < members_.size(); i++)
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
          fmt::format("{}: taken for '{}'", members_[found->second]->name, name));
      add(std::move(members_[found->second]));
      learn_names(*context_.objects.back());
    }
  }

  void add(std::unique_ptr<ObjectFile> object) {
    context_.diagnostics.note(fmt::format("{}: {} sections, {} symbols, {} types", object->name,
                                          object->section_count, object->symbols.size(),
                                          object->btf ? object->btf->end_id() - 1 : 0));
    context_.objects.push_back(std::move(object));
  }

  /// What an object that is linked defines and what it misses.
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

  /// The names that the object expects from the loader.
  static std::unordered_set<std::string_view> find_loader_names(const ObjectFile& object) {
    std::unordered_set<std::string_view> names;
    for (const BtfDeclaration& declaration : object.declarations)
      if (declaration.datasec == ".ksyms" || declaration.datasec == ".kconfig")
        names.insert(object.btf->name(declaration.type()));
    return names;
  }

  void fail(const std::string& name, const Error& error) {
    context_.diagnostics.report({.message = fmt::format("{}: {}", name, error.message),
                                 .code = DiagnosticCode::InvalidInput,
                                 .file = name});
  }

  Context& context_;
  ReadOptions options_;
  /// Members of archives that are not linked yet; null once they are.
  std::vector<std::unique_ptr<ObjectFile>> members_;
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
      context.diagnostics.report({.message = fmt::format("{}: is {}, but {} is {}", object->name,
                                                         name_of(object->byte_order), first.name,
                                                         name_of(first.byte_order)),
                                  .code = DiagnosticCode::InputMismatch,
                                  .file = object->name});
}

}  // namespace bpflink
