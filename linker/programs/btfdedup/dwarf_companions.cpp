// Opens the files that DWARF refers to by name. The names are a compiler's or dwz's: paths of the
// machine that built the file. So each is looked for beside the file as well.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "dedup/dwarf/cursor.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/programs/btfdedup/elf_dwarf.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

Bytes section_of(const ElfFile& elf, std::string_view name) {
  auto index = elf.find(name);
  return index ? elf.contents(elf.sections[*index]) : Bytes();
}

/// The name of a supplementary file, and its id.
struct SupplementaryLink {
  std::string_view name{};
  Bytes id{};
  bool is_new = false;  ///< of DWARF 5, which has a section for it
};

/// The section of DWARF 5 is in both files. Specification: DWARF 5, section 7.3.6.
std::optional<SupplementaryLink> read_link(const ElfFile& elf) {
  Bytes bytes = section_of(elf, ".gnu_debugaltlink");
  SupplementaryLink link{.is_new = bytes.empty()};
  if (link.is_new) bytes = section_of(elf, ".debug_sup");
  DwarfCursor cursor(bytes, link.is_new ? 3 : 0, elf.order);
  link.name = cursor.take_string();
  if (link.is_new) cursor.take_uleb();  // the size of the rest
  if (!cursor.is_good()) return std::nullopt;
  link.id = bytes.subspan(cursor.at());
  return link;
}

bool has_id(const ElfFile& elf, const SupplementaryLink& link) {
  constexpr size_t header = 16;  // of a note, with its name
  Bytes id = section_of(elf, ".note.gnu.build-id");
  id = id.subspan(std::min(header, id.size()));
  if (auto own = link.is_new ? read_link(elf) : std::nullopt) id = own->id;
  return std::ranges::equal(id, link.id);
}

/// Where a supplementary file may be.
std::vector<fs::path> places_of(const SupplementaryLink& link, const fs::path& folder) {
  const fs::path debug = "/usr/lib/debug";
  std::vector<fs::path> places = {folder / link.name};
  constexpr std::string_view common = "/.dwz/";
  if (size_t at = link.name.rfind(common); at != std::string_view::npos)
    places.push_back(debug / ".dwz" / link.name.substr(at + common.size()));
  std::string digits;
  for (std::byte byte : link.id) digits += fmt::format("{:02x}", std::to_integer<int>(byte));
  if (digits.size() > 2)
    places.push_back(debug / ".build-id" / digits.substr(0, 2) / (digits.substr(2) + ".debug"));
  return places;
}

/// Opens the first of the places where there is an ELF file, which `link` refers to if it is not
/// null. Errors: those of the first place.
std::expected<ElfFile, Error> open_first(const std::vector<fs::path>& places,
                                         const SupplementaryLink* link, InputFile& file) {
  std::optional<Error> error;
  for (const fs::path& place : places) {
    auto opened = InputFile::open_regular(place.string());
    auto elf = opened ? read_elf(opened->bytes()) : std::unexpected(opened.error());
    if (elf && link && !has_id(*elf, *link)) elf = fail("is of another build");
    if (elf) file = std::move(*opened);
    if (elf) return elf;
    if (!error) error = elf.error();
  }
  return std::unexpected(*error);
}

}  // namespace

std::expected<void, Error> ElfDwarf::add_supplementary(const ElfFile& elf, const std::string& path,
                                                       std::vector<InputFile>& opened) {
  auto link = read_link(elf);
  if (!link) return {};
  InputFile file;
  auto other = open_first(places_of(*link, fs::path(path).parent_path()), &*link, file);
  if (!other)
    return fail("its DWARF refers to '{}' of dwz -m: {}", link->name, other.error().message);
  const size_t own = files.size();
  if (auto ok = add(*other, file.name() + ": "); !ok) return fail_in(file.name(), ok.error());
  for (size_t i = 0; i < own; ++i) files[i].supplementary = &files[own];
  for (size_t i = own; i < files.size(); ++i) files[i].is_supplementary = true;
  opened.push_back(std::move(file));
  return {};
}

std::expected<void, Error> ElfDwarf::add_split(std::span<const DwarfSkeleton> skeletons,
                                               const std::string& path,
                                               std::vector<InputFile>& opened) {
  const std::string package = path + ".dwp";
  std::vector<std::vector<fs::path>> wanted;  // each at one of several places
  std::error_code failure;
  if (fs::exists(package, failure)) {
    wanted.push_back({package});
  } else {
    const fs::path folder = fs::path(path).parent_path();
    std::set<std::pair<std::string_view, std::string_view>> known;
    for (const DwarfSkeleton& skeleton : skeletons)
      if (fs::path name = skeleton.name; known.emplace(skeleton.directory, skeleton.name).second)
        wanted.push_back({skeleton.directory / name, folder / name, folder / name.filename()});
  }
  size_t missing = 0;
  std::string first_missing;
  for (const auto& places : wanted) {
    InputFile file;
    auto elf = open_first(places, nullptr, file);
    if (!elf) {
      if (missing++ == 0) first_missing = places.front().string() + ": " + elf.error().message;
      continue;
    }
    if (auto ok = add(*elf, file.name() + ": ", ".dwo"); !ok)
      return fail_in(file.name(), ok.error());
    opened.push_back(std::move(file));
  }
  if (missing == 0) return {};
  return fail("{} of {} with its DWARF cannot be read; the first is {}", missing,
              count_of(wanted.size(), "other file"), first_missing);
}

}  // namespace bpflink
