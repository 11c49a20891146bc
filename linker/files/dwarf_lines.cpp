// Why not libdw, which comes from elfutils as libelf does: an input can ask for any amount of work,
// and libdw has no limit to set. One call of dwarf_siblingof() steps over all descendants of an
// entry and all attributes of each. With version 0.188, an object of 300 kB (150,000 nested entries
// of 75,000 empty attributes) keeps that call busy for 22 seconds, and the time grows with the
// square of the size. The reader here counts what it reads and stops beyond what compilers write.
// Also, libdw considers a section relocated although its addends are in a .rela section, and
// dwarf_decl_file() rejects file 0, which clang writes in DWARF 5. Otherwise libdw would do: it
// links statically for 0.3 MB, reads both byte orders, and withstood 53,000 mutated objects.
#include "linker/files/dwarf_lines.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "dedup/dwarf/constants.hpp"
#include "dedup/dwarf/strings.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {
namespace {

using Paths = std::vector<std::string>;

/// The bytes of a section; empty if it is compressed or has a .rela section, whose addends the
/// bytes lack.
std::span<const std::byte> contents_of(const ObjectFile& object, std::string_view name) {
  const InputSection* section = object.find_section(name);
  bool is_plain = section && (section->flags & SHF_COMPRESSED) == 0 &&
                  !object.find_section(std::string(".rela").append(name));
  return is_plain ? section->data : std::span<const std::byte>();
}

/// The DWARF sections of an object. Sections begin at 0 in an object, so offsets from one into
/// another need no relocation, if the addends are in place.
class DwarfValues {
 public:
  explicit DwarfValues(const ObjectFile& object)
      : sections_{.order = object.byte_order,
                  .info = contents_of(object, ".debug_info"),
                  .abbreviations = contents_of(object, ".debug_abbrev"),
                  .strings = contents_of(object, ".debug_str"),
                  .line_strings = contents_of(object, ".debug_line_str"),
                  .string_offsets = contents_of(object, ".debug_str_offsets")},
        lines_(sections_) {
    lines_.info = contents_of(object, ".debug_line");
  }

  const DwarfSections& sections() const { return sections_; }
  const DwarfSections& lines() const { return lines_; }

  /// The text of a value of an entry, or of one of a line table.
  std::string_view text(DwarfValue value, const DwarfUnit& unit) {
    if (budget_ == 0) return {};
    std::string_view found = dwarf_text(value, unit);
    spend(found.size() + 1);
    return found;
  }

  /// Counts bytes that are read or kept. False once the sum exceeds what any compiler writes: a
  /// small input can ask for a lot of work.
  bool spend(uint64_t bytes) {
    budget_ -= std::min(bytes, budget_);
    return budget_ != 0;
  }

 private:
  DwarfSections sections_;
  DwarfSections lines_;  ///< with the line tables in place of entries
  uint64_t budget_ = uint64_t{1} << 26;
};

/// Adds `path`, which may be relative to `directory`. Returns false if the budget is spent.
bool add_path(DwarfValues& values, std::string_view directory, std::string_view path,
              Paths& paths) {
  if (path.starts_with('/')) directory = "";
  if (!values.spend(sizeof(std::string) + directory.size() + path.size())) return false;
  std::string& whole = paths.emplace_back(directory);
  if (!whole.empty()) whole += '/';
  whole += path;
  return true;
}

/// A list of directories or files in version 5: the format of the entries, then the entries. The
/// first directory is the compiler's; the others may be relative to it.
Paths read_list(DwarfValues& values, DwarfCursor& cursor, const DwarfUnit& unit,
                const Paths* directories) {
  std::vector<std::pair<uint64_t, uint64_t>> format(cursor.take_number(1));
  for (auto& [content, form] : format) {
    content = cursor.take_uleb();
    form = cursor.take_uleb();
  }
  uint64_t count = cursor.take_uleb();
  Paths paths;
  if (count > cursor.left()) return paths;  // every entry has a byte or more
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view path;
    uint64_t directory = 0, from = cursor.at();
    for (auto [content, form] : format) {
      DwarfValue value = take_dwarf_value(cursor, dwarf_form(form, unit), 0, unit);
      if (content == DW_LNCT_path) path = values.text(value, unit);
      if (content == DW_LNCT_directory_index) directory = value.number;
    }
    const Paths& parents = directories ? *directories : paths;
    bool has_parent = directory < parents.size();
    if (!cursor.is_good() || !values.spend(cursor.at() - from + format.size()) ||
        !add_path(values, has_parent ? parents[directory] : "", path, paths))
      break;
  }
  return paths;
}

/// The lists of version 4 and before: each ends with an empty path.
Paths read_old_lists(DwarfValues& values, DwarfCursor& cursor, std::string_view directory) {
  Paths directories{std::string(directory)}, files(1);
  for (auto path = cursor.take_string(); !path.empty(); path = cursor.take_string())
    if (!add_path(values, directory, path, directories)) return {};
  for (auto path = cursor.take_string(); !path.empty(); path = cursor.take_string()) {
    uint64_t from = cursor.at(), index = cursor.take_uleb();
    cursor.take_uleb();  // modification time
    cursor.take_uleb();  // size
    bool has_directory = index < directories.size();
    if (!values.spend(cursor.at() - from) ||
        !add_path(values, has_directory ? directories[index] : "", path, files))
      return {};
  }
  return files;
}

/// The paths of the line table at `offset` of .debug_line, by file number. Before version 5 there
/// is no file 0, so its path is "". `directory` is the compiler's working directory.
/// Specification: DWARF 5, section 6.2.4, and DWARF 4, section 6.2.4, for versions 2 to 4.
Paths read_files(DwarfValues& values, uint64_t offset, std::string_view directory) {
  DwarfUnit unit{.sections = &values.lines()};
  DwarfCursor cursor(unit.sections->info, offset, unit.sections->order);
  cursor.end_after(unit.take_length(cursor));
  unit.version = cursor.take_number(2);
  if (unit.version < 2 || unit.version > 5) return {};
  if (unit.version == 5) {
    unit.address_size = cursor.take_number(1);
    cursor.skip(1);  // segment selector size
  }
  cursor.skip(unit.offset_size);             // header length
  cursor.skip(unit.version >= 4 ? 5 : 4);    // parameters of line programs
  uint64_t opcodes = cursor.take_number(1);  // and the operand counts of their opcodes
  cursor.skip(opcodes == 0 ? 0 : opcodes - 1);
  if (unit.version < 5) return read_old_lists(values, cursor, directory);
  Paths directories = read_list(values, cursor, unit, nullptr);
  return read_list(values, cursor, unit, &directories);
}

/// Where a variable or function is declared.
struct DeclaredName {
  std::string_view name;
  uint64_t file = 0, line = 0;
  bool is_declaration = false, is_external = false;
};

class LineReader {
 public:
  explicit LineReader(const ObjectFile& object) : values_(object) {}

  SourceLines read() {
    const DwarfSections& sections = values_.sections();
    for (uint64_t at = 0; at < sections.info.size() && values_.spend(1);) {
      DwarfCursor cursor(sections.info, at, sections.order);
      DwarfUnit unit = DwarfUnit::take(cursor, sections);
      if (!cursor.is_good()) break;
      at = unit.end;
      read_unit(cursor, unit);
    }
    return std::move(lines_);
  }

 private:
  void read_unit(DwarfCursor& cursor, DwarfUnit& unit) {
    using enum DwarfSlot;
    if (unit.version < 2 || unit.version > 5 || unit.type != DW_UT_compile) return;
    if (!abbreviations_.read(unit.abbreviation_cursor(), unit)) return;
    if (!values_.spend(abbreviations_.size())) return;
    const DwarfAbbreviation* abbreviation = take_entry(cursor, unit);
    if (!abbreviation || abbreviation->tag != DW_TAG_compile_unit) return;
    if (!abbreviation->has_children) return;
    unit.string_offsets = entry_.number(StringOffsetsBase);
    uint64_t line_table = entry_.has(StatementList) ? entry_.number(StatementList) : UINT64_MAX;
    auto files = read_files(values_, line_table, values_.text(entry_[Directory], unit));
    read_entries(cursor, unit, files);
    std::ranges::move(files, std::back_inserter(lines_.files));
  }

  /// Reads the unit's children and skips theirs.
  void read_entries(DwarfCursor& cursor, const DwarfUnit& unit,
                    const std::vector<std::string>& files) {
    using enum DwarfSlot;
    std::unordered_map<uint64_t, DeclaredName> declarations;  // by bytes into the unit
    for (uint64_t depth = 1; depth > 0 && cursor.is_good();) {
      uint64_t at = cursor.at() - unit.begin;
      const DwarfAbbreviation* abbreviation = take_entry(cursor, unit);
      if (!abbreviation) {
        --depth;
        continue;
      }
      bool is_named =
          abbreviation->tag == DW_TAG_variable || abbreviation->tag == DW_TAG_subprogram;
      if (depth == 1 && is_named) {
        DeclaredName entry{values_.text(entry_[Name], unit), entry_.number(DeclFile),
                           entry_.number(DeclLine), entry_.number(Declaration) != 0,
                           entry_.number(External) != 0};
        auto declaration = declarations.find(entry_.number(Specification));
        if (declaration != declarations.end()) {
          entry.name = declaration->second.name;
          entry.is_external = declaration->second.is_external;
          if (entry.file == 0) entry.file = declaration->second.file;
        }
        if (entry.is_declaration && values_.spend(sizeof entry)) declarations.emplace(at, entry);
        add(entry, files);
      }
      if (abbreviation->has_children) ++depth;
    }
  }

  /// Null at the end of a list of children, and after an error.
  const DwarfAbbreviation* take_entry(DwarfCursor& cursor, const DwarfUnit& unit) {
    uint64_t from = cursor.at(), code = cursor.take_uleb();
    if (code == 0) return nullptr;
    const DwarfAbbreviation* found = abbreviations_.find(code);
    if (found) entry_.take(cursor, abbreviations_.steps(*found), unit);
    if (!found || !values_.spend(cursor.at() - from + found->steps)) cursor.fail();
    return cursor.is_good() ? found : nullptr;
  }

  void add(const DeclaredName& entry, const std::vector<std::string>& files) {
    bool is_known = !entry.name.empty() && entry.line != 0 && entry.line <= UINT32_MAX &&
                    entry.file < files.size();
    if (!is_known || files[entry.file].empty()) return;
    if (!values_.spend(sizeof(SourceLine) + files[entry.file].size())) return;
    auto [place, is_new] = lines_.by_name.try_emplace(entry.name);
    if (!is_new && entry.is_declaration) return;
    SourceLine line{files[entry.file], static_cast<uint32_t>(entry.line)};
    bool is_another = !is_new && !entry.is_external && place->second != line;
    place->second = is_another ? SourceLine{} : std::move(line);
  }

  DwarfValues values_;
  DwarfAbbreviations abbreviations_;  ///< the unit's
  DwarfEntry entry_;                  ///< read last
  SourceLines lines_;
};

}  // namespace

SourceLines read_dwarf_lines(const ObjectFile& object) {
  if (object.outlines.empty()) return LineReader(object).read();
  SourceLines lines;
  for (const auto& outline : object.outlines) {
    const SourceLines& own = outline->dwarf_lines();
    for (const InputSymbol& symbol : outline->symbols) {
      auto found = own.by_name.find(symbol.name);
      if (!symbol.is_in_section() || found == own.by_name.end()) continue;
      auto [line, is_new] = lines.by_name.insert(*found);
      if (!is_new && line->second != found->second) line->second = {};
    }
    lines.files.insert(lines.files.end(), own.files.begin(), own.files.end());
  }
  for (const auto& outline : object.outlines)
    lines.by_name.insert(outline->dwarf_lines().by_name.begin(),
                         outline->dwarf_lines().by_name.end());
  return lines;
}

}  // namespace bpflink
