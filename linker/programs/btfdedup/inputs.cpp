#include "linker/programs/btfdedup/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "dedup/print/c_scalars.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/archive.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/kernel_modules.hpp"
#include "linker/kernels/kernel_source.hpp"
#include "linker/kernels/relocate_base.hpp"

namespace bpflink {
namespace {

/// Whether the types of a file of a directory are split from a kernel's.
std::expected<bool, Error> is_module(const std::string& path) {
  auto name = TRY(module_name(path));
  return !name.empty();
}

/// Whether a file of a directory may have BTF, judged by its beginning, and by its name if it is
/// compressed.
std::expected<bool, Error> may_have_btf(const std::string& path) {
  auto module = is_module(path);
  if (!module || *module) return module;
  auto look = TRY(look_for_kernel(path));
  if (look == KernelLook::Kernel) return true;
  std::array<std::byte, 16> buffer;
  auto begin = TRY(read_begin(path, buffer));
  return is_elf(begin) || is_archive(begin);
}

/// Whether a file of a directory is a kernel that modules may be split from.
std::expected<bool, Error> is_base(const std::string& path) {
  auto module = is_module(path);
  if (!module) return module;
  if (*module && !path.ends_with(".btf")) return false;
  auto look = TRY(look_for_kernel(path));
  return look == KernelLook::Kernel;
}

/// The files in a directory and below for which `is_wanted`, which may fail.
std::expected<std::vector<std::string>, Error> list_wanted(
    const std::string& directory, std::expected<bool, Error> (*is_wanted)(const std::string&)) {
  auto files = list_files(directory, [](const std::string&) { return true; });
  if (!files) return files;
  std::vector<std::string> wanted;
  for (std::string& file : *files) {
    auto answer = TRY(is_wanted(file));
    if (answer) wanted.push_back(std::move(file));
  }
  return wanted;
}

/// The base at `path`: a file, or the only kernel in a directory. Errors begin with the path.
std::expected<InputPath, Error> find_base_file(const std::string& path) {
  if (!is_directory(path)) return InputPath{path};
  auto files = TRY(list_wanted(path, is_base));
  if (files.empty()) return fail("{}: has no kernel in it", path);
  if (files.size() > 1)
    return fail("{}: has several kernels in it: {}, {}", path, files.at(0), files.at(1));
  return InputPath{std::move(files.front()), true};
}

std::expected<InputFile, Error> open_input(const InputPath& input) {
  bool is_standard_input = input.path == "-";
  std::string name = is_standard_input ? "standard input" : input.path;
  auto file = is_standard_input ? InputFile::read(STDIN_FILENO, name)
              : input.is_listed ? InputFile::open_regular(name)
                                : InputFile::open(name);
  if (!file) return fail_in(name, file.error());
  return file;
}

/// A file whose containers were removed.
struct UnpackedFile {
  std::string name;
  std::optional<FileIdentity> identity;
  KernelImage image;

  /// A part of the image as an opened file.
  InputFile keep(OwnedBytes part) const {
    return InputFile::unpacked(std::move(part.owner), name, part.bytes, identity);
  }
};

std::expected<UnpackedFile, Error> unpack(InputFile file) {
  UnpackedFile unpacked{file.name(), file.identity(), {}};
  auto image = unpack_kernel(OwnedBytes::of(std::move(file)));
  if (!image) return fail_in(unpacked.name, image.error());
  unpacked.image = std::move(*image);
  return unpacked;
}

/// The types of an ELF file; nothing if it has none.
std::expected<std::optional<BtfSource>, Error> find_types(const std::string& name, ElfFile elf,
                                                          TypesOf wanted) {
  bool is_linked = elf.type == ET_EXEC || elf.type == ET_DYN;
  auto section = wanted == TypesOf::Dwarf ? std::nullopt : elf.find(".BTF");
  if (!section && wanted != TypesOf::Btf && elf.find(".debug_info"))
    return BtfSource{name, {}, {}, std::move(elf), is_linked, true};
  if (!section) return std::nullopt;
  if (auto ok = check_contents(elf.sections[*section]); !ok) return fail_in(name, ok.error());
  std::span<const std::byte> contents = elf.contents(elf.sections[*section]), base;
  if (auto found = elf.find(".BTF.base")) base = elf.contents(elf.sections[*found]);
  elf.sections = {};  // saves memory: there may be thousands of files
  return BtfSource{name, contents, base, std::move(elf), is_linked};
}

std::expected<std::optional<BtfSource>, Error> find_types(const InputFile& file, TypesOf wanted) {
  auto elf = read_elf(file.bytes());
  if (!elf) return fail_in(file.name(), elf.error());
  return find_types(file.name(), std::move(*elf), wanted);
}

/// Why an ELF file has no types.
std::string describe_lack(const std::string& name, TypesOf wanted,
                          std::string_view of_btf = "has no section .BTF") {
  return fmt::format("{}: {}", name, wanted == TypesOf::Dwarf ? "has no DWARF" : of_btf);
}

std::expected<std::vector<BtfSource>, Error> open_members(const InputFile& archive,
                                                          std::vector<InputFile>& files,
                                                          TypesOf wanted) {
  auto members = read_archive(archive.bytes(), archive.name());
  if (!members) return fail_in(archive.name(), members.error());
  std::vector<BtfSource> sources;
  SeenMembers seen;
  for (const ArchiveMember& member : *members) {
    auto file = open_member(member);
    if (!file) return fail_in(member.name, file.error());
    if (!is_elf(file->bytes()) || !seen.insert(member, *file)) continue;
    auto source = TRY(find_types(*file, wanted));
    if (!source) continue;
    sources.push_back(std::move(*source));
    files.push_back(std::move(*file));
  }
  return sources;
}

/// Keeps of a decompressed file only the BTF.
void keep_btf(BtfSource& source, const UnpackedFile& file, std::vector<InputFile>& files) {
  for (std::span<const std::byte>* part : {&source.contents, &source.base}) {
    if (part->empty()) continue;
    files.push_back(file.keep(keep_part(file.image, *part)));
    *part = files.back().bytes();
  }
  if (source.elf) source.elf->image = {};
}

/// Opens a compressed file or an image.
std::expected<Sources, Error> open_packed(InputFile opened, std::vector<InputFile>& files,
                                          TypesOf wanted) {
  auto file = TRY(unpack(std::move(opened)));
  KernelImage& image = file.image;
  std::optional<BtfSource> source;
  Sources sources;
  if (image.elf) {
    auto found = TRY(find_types(file.name, std::move(*image.elf), wanted));
    source = std::move(found);
    if (!source) sources.lack = describe_lack(file.name, wanted);
  } else if (auto blob = find_image_btf(image)) {
    source = BtfSource{file.name, *blob, {}, std::nullopt, image.form == KernelImage::Form::Flat};
  } else {
    sources.lack = fmt::format("{}: {}", file.name, blob.error().message);
  }
  if (!source) return sources;
  bool is_bpf_object = source->elf && source->elf->machine == EM_BPF;
  if (image.decompressed_size != 0 && !is_bpf_object && !source->has_dwarf)
    keep_btf(*source, file, files);
  else
    files.push_back(file.keep(image.contents));
  sources.list.push_back(std::move(*source));
  return sources;
}

/// Adds a blob. Errors begin with the name.
std::expected<void, Error> add_base(Bases& bases, const std::string& name,
                                    std::span<const std::byte> blob) {
  auto blobs = find_btf_blobs(blob);
  if (!blobs) return fail_in(name, blobs.error());
  if (blobs->size() > 1) return fail("{}: a base must have exactly one BTF", name);
  auto btf = Btf::parse(blob, last_of(bases));
  if (!btf) return fail_in(name, btf.error());
  bases.push_back(std::make_shared<const Base>(name, std::move(*btf), blob.size()));
  return {};
}

}  // namespace

std::expected<std::vector<InputPath>, Error> list_inputs(const std::vector<std::string>& paths,
                                                         bool split) {
  std::vector<InputPath> inputs;
  for (const std::string& path : paths) {
    if (!is_directory(path)) {
      inputs.push_back({path, false});
      continue;
    }
    auto files = TRY(list_wanted(path, split ? is_module : may_have_btf));
    if (files.empty())
      return fail("{}: has no {} in it", path, split ? "module" : "kernel, module or object");
    for (std::string& file : files) inputs.push_back({std::move(file), true});
  }
  return inputs;
}

std::expected<Sources, Error> open_sources(const InputPath& input, std::vector<InputFile>& files,
                                           TypesOf wanted) {
  auto opened = TRY(open_input(input));
  if (is_packed(opened.bytes())) return open_packed(std::move(opened), files, wanted);
  InputFile file = std::move(opened);
  Sources sources;
  if (is_archive(file.bytes())) {
    auto members = TRY(open_members(file, files, wanted));
    sources.list = std::move(members);
    if (sources.list.empty())
      sources.lack = describe_lack(file.name(), wanted, "is an archive without BTF");
  } else if (is_elf(file.bytes())) {
    auto source = TRY(find_types(file, wanted));
    if (source)
      sources.list.push_back(std::move(*source));
    else
      sources.lack = describe_lack(file.name(), wanted);
  } else if (wanted == TypesOf::Dwarf) {
    return fail("{}: is not an ELF file", file.name());
  } else {
    sources.list.push_back({file.name(), file.bytes(), {}, std::nullopt});
  }
  files.push_back(std::move(file));
  return sources;
}

std::expected<ElfFile, Error> open_elf(const std::string& path, std::vector<InputFile>& files) {
  auto opened = TRY(open_input({path}));
  if (!is_elf(opened.bytes()) && !is_packed(opened.bytes()))
    return fail("{}: is not an ELF file", path);
  auto file = TRY(unpack(std::move(opened)));
  if (!file.image.elf) return fail("{}: is not an ELF file", path);
  files.push_back(file.keep(file.image.contents));
  return std::move(*file.image.elf);
}

const Btf* last_of(const Bases& bases) {
  return bases.empty() ? nullptr : &bases.back()->btf;
}

std::expected<void, Error> read_base(Bases& bases, const std::string& path, bool whole,
                                     std::vector<InputFile>& files) {
  auto file = TRY(find_base_file(path));
  auto sources = TRY(open_sources(file, files));
  if (sources.list.empty()) return fail("{}", sources.lack);
  if (sources.list.size() > 1)
    return fail("{}: a base must have exactly one BTF", sources.list[1].name);
  const BtfSource& source = sources.list.front();
  if (whole && bases.empty() && !source.base.empty())
    return fail(
        "{}: its section .BTF.base has structs without members, which --flatten cannot complete",
        source.name);
  TRY(add_own_base(bases, source));
  return add_base(bases, source.name, source.contents);
}

ModuleRelocator::ModuleRelocator(const Btf& base)
    : base_(base), names_(base, 0, pointer_size(base)) {}

std::expected<std::vector<std::byte>, Error> ModuleRelocator::relocate(
    const BtfSource& source) const {
  auto blob = relocate_base(source.contents, source.base, base_, names_);
  if (!blob) return fail_in(source.name, blob.error());
  return blob;
}

std::expected<void, Error> add_own_base(Bases& bases, const BtfSource& source) {
  if (source.base.empty()) return {};
  if (!bases.empty())
    return fail("{}: is split from its section .BTF.base, not from the base given", source.name);
  return add_base(bases, source.name + ": .BTF.base", source.base);
}

}  // namespace bpflink
