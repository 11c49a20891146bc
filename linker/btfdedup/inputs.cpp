#include "linker/btfdedup/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "linker/elf/archive.hpp"
#include "linker/io/mapped_file.hpp"
#include "linker/io/read_to_end.hpp"

namespace bpflink {
namespace {

std::unexpected<Error> fail(const std::string& name, std::string_view message) {
  return std::unexpected(Error{fmt::format("{}: {}", name, message)});
}

std::expected<void, Error> give(const TakeSource& take, const BtfSource& source) {
  auto ok = take(source);
  if (!ok) return fail(source.name, ok.error().message);
  return {};
}

enum class Absence { is_error, is_fine };

/// Gives the BTF of an ELF or raw image; returns whether there is any.
std::expected<bool, Error> read_image(const std::string& name, std::span<const std::byte> image,
                                      std::span<const std::byte> mapping, Absence absence,
                                      const TakeSource& take) {
  if (!is_elf(image)) {
    if (absence == Absence::is_fine) return false;
    if (auto ok = give(take, {name, image, mapping, nullptr}); !ok)
      return std::unexpected(ok.error());
    return true;
  }
  auto elf = read_elf(image);
  if (!elf) return fail(name, elf.error().message);
  auto section = elf->find(".BTF");
  if (!section) {
    if (absence == Absence::is_fine) return false;
    return fail(name, "has no section .BTF");
  }
  std::span<const std::byte> blob = elf->contents(elf->sections[*section]);
  if (auto ok = give(take, {name, blob, mapping, &*elf}); !ok) return std::unexpected(ok.error());
  return true;
}

std::expected<void, Error> read_members(const std::string& path, std::span<const std::byte> image,
                                        const TakeSource& take) {
  auto archive = read_archive(image);
  if (!archive) return fail(path, archive.error().message);
  std::string directory = path.substr(0, path.rfind('/') + 1);
  bool found = false;
  for (const ArchiveMember& member : archive->members) {
    std::string name = fmt::format("{}({})", path, member.name);
    MappedFile file;
    std::span<const std::byte> contents = member.image;
    if (archive->is_thin) {
      auto opened =
          MappedFile::open(member.name.starts_with('/') ? member.name : directory + member.name);
      if (!opened) return fail(name, opened.error().message);
      file = std::move(*opened);
      contents = file.bytes();
    }
    auto has_btf = read_image(name, contents, {}, Absence::is_fine, take);
    if (!has_btf) return std::unexpected(has_btf.error());
    found |= *has_btf;
  }
  if (!found) return fail(path, "is an archive without BTF");
  return {};
}

}  // namespace

std::expected<void, Error> read_sources(const std::string& path, const TakeSource& take) {
  std::span<const std::byte> image;
  std::vector<std::byte> standard_input;
  MappedFile file;
  if (path == "-") {
    auto bytes = read_to_end(STDIN_FILENO);
    if (!bytes) return fail("standard input", bytes.error().message);
    standard_input = std::move(*bytes);
    image = standard_input;
  } else {
    auto opened = MappedFile::open(path);
    if (!opened) return fail(path, opened.error().message);
    file = std::move(*opened);
    image = file.bytes();
  }
  std::string name = path == "-" ? "standard input" : path;
  if (is_archive(image)) return read_members(name, image, take);
  auto has_btf = read_image(name, image, file.bytes(), Absence::is_error, take);
  if (!has_btf) return std::unexpected(has_btf.error());
  return {};
}

}  // namespace bpflink
