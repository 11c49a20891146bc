// Pass: opens, maps and checks the inputs. All of them are tried, so that one
// run reports every bad file.
//
// An archive's members are linked only if they define something that is missing,
// and then what they miss in turn, whatever the order of the files; with
// --whole-archive all of them are.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "linker/archive.hpp"
#include "linker/context.hpp"
#include "linker/elf_kind.hpp"

namespace bpflink {
namespace {

std::string_view name_of(std::endian order) {
  return order == std::endian::little ? "little-endian" : "big-endian";
}

class InputReader {
 public:
  explicit InputReader(Context& context)
      : context_(context), options_{context.options.keep_debug} {}

  void run() {
    for (const InputSource& source : context_.sources) read_source(source);
    if (context_.diagnostics.failed()) return;
    take_needed_members();
    if (context_.objects.empty())
      context_.diagnostics.error(members_.empty()
                                     ? "no input files"
                                     : "no input files: no member of an archive is needed");
  }

 private:
  void read_source(const InputSource& source) {
    if (source.failure) return fail(source.name, *source.failure);
    if (source.image) return read_image(source, *source.image, {});
    auto file = MappedFile::open(source.name);
    if (!file) return fail(source.name, file.error());
    if (context_.report) context_.report->files.push_back(source.name);
    auto bytes = file->bytes();
    read_image(source, bytes, std::move(*file));
  }

  void read_image(const InputSource& source, std::span<const std::byte> image, MappedFile file) {
    if (is_archive(image)) {
      read_members(source, image);
      if (!file.bytes().empty()) context_.archive_files.push_back(std::move(file));
    } else if (auto object = read_object(source.name, image, std::move(file))) {
      add(std::move(object));
    }
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
    if (members_.empty()) return;
    std::unordered_map<std::string_view, size_t> provider;
    for (size_t i = 0; i < members_.size(); i++)
      for (const InputSymbol& symbol : members_[i]->symbols)
        if (!symbol.is_local() && symbol.is_defined()) provider.try_emplace(symbol.name, i);
    for (const std::string& name : context_.options.undefined) missing_.push_back(name);
    while (!missing_.empty()) {
      std::string_view name = missing_.front();
      missing_.pop_front();
      auto found = provider.find(name);
      if (found == provider.end() || defined_.contains(name) || !members_[found->second]) continue;
      context_.diagnostics.note(
          fmt::format("{}: taken for '{}'", members_[found->second]->name, name));
      add(std::move(members_[found->second]));
    }
  }

  void add(std::unique_ptr<ObjectFile> object) {
    context_.diagnostics.note(fmt::format("{}: {} sections, {} symbols, {} types", object->name,
                                          object->sections.size(), object->symbols.size(),
                                          object->btf ? object->btf->end_id() - 1 : 0));
    auto provided = find_loader_names(*object);
    for (const InputSymbol& symbol : object->symbols) {
      if (symbol.is_local()) continue;
      if (symbol.is_defined())
        defined_.insert(symbol.name);
      else if (symbol.binding == STB_GLOBAL && !provided.contains(symbol.name))
        missing_.push_back(symbol.name);
    }
    context_.objects.push_back(std::move(object));
  }

  /// The names that the object expects from the loader.
  static std::unordered_set<std::string_view> find_loader_names(const ObjectFile& object) {
    std::unordered_set<std::string_view> names;
    if (!object.btf) return names;
    for (uint32_t id = 1; id < object.btf->end_id(); id++) {
      BtfType type = object.btf->type(id);
      if (type.kind() != BTF_KIND_DATASEC) continue;
      std::string_view section = object.btf->name(type);
      if (section != ".ksyms" && section != ".kconfig") continue;
      for (uint32_t i = 0; i < type.vlen(); i++)
        names.insert(object.btf->name(object.btf->type(type.var_secinfo(i).type)));
    }
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
