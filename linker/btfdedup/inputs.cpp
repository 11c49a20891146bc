#include "linker/btfdedup/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "linker/elf/archive.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

/// The BTF of an ELF file; nothing if it has none.
std::expected<std::optional<BtfSource>, Error> find_section(const InputFile& file) {
  auto elf = read_elf(file.bytes());
  if (!elf) return fail("{}: {}", file.name(), elf.error().message);
  auto section = elf->find(".BTF");
  if (!section) return std::nullopt;
  std::span<const std::byte> contents = elf->contents(elf->sections[*section]), base;
  if (auto found = elf->find(".BTF.base")) base = elf->contents(elf->sections[*found]);
  elf->sections = {};  // saves memory: there may be thousands of files
  return BtfSource{file.name(), contents, base, std::move(*elf)};
}

std::expected<std::vector<BtfSource>, Error> open_members(const InputFile& archive,
                                                          std::vector<InputFile>& files) {
  auto members = read_archive(archive.bytes(), archive.name());
  if (!members) return fail("{}: {}", archive.name(), members.error().message);
  std::vector<BtfSource> sources;
  for (const ArchiveMember& member : *members) {
    auto file = open_member(member);
    if (!file) return fail("{}: {}", member.name, file.error().message);
    if (!is_elf(file->bytes())) continue;
    auto source = find_section(*file);
    if (!source) return std::unexpected(source.error());
    if (!*source) continue;
    sources.push_back(std::move(**source));
    files.push_back(std::move(*file));
  }
  return sources;
}

}  // namespace

std::expected<Sources, Error> open_sources(const std::string& path, std::vector<InputFile>& files) {
  bool is_standard_input = path == "-";
  std::string name = is_standard_input ? "standard input" : path;
  auto opened = is_standard_input ? InputFile::read(STDIN_FILENO, name) : InputFile::open(path);
  if (!opened) return fail("{}: {}", name, opened.error().message);
  InputFile file = std::move(*opened);
  Sources sources;
  if (is_archive(file.bytes())) {
    auto members = open_members(file, files);
    if (!members) return std::unexpected(members.error());
    sources.list = std::move(*members);
    if (sources.list.empty()) sources.lack = name + ": is an archive without BTF";
  } else if (is_elf(file.bytes())) {
    auto source = find_section(file);
    if (!source) return std::unexpected(source.error());
    if (*source)
      sources.list.push_back(std::move(**source));
    else
      sources.lack = name + ": has no section .BTF";
  } else {
    sources.list.push_back({name, file.bytes(), {}, std::nullopt});
  }
  files.push_back(std::move(file));
  return sources;
}

}  // namespace bpflink
