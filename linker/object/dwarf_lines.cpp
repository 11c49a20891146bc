// Why not libdw, which comes from elfutils as libelf does: an input can ask for any amount of work,
// and libdw has no limit to set. One call of dwarf_siblingof() steps over all descendants of an
// entry and all attributes of each. With version 0.188, an object of 300 kB (150,000 nested entries
// of 75,000 empty attributes) keeps that call busy for 22 seconds, and the time grows with the
// square of the size. The reader here counts what it reads and stops beyond what compilers write.
// Also, libdw considers a section relocated although its addends are in a .rela section, and
// dwarf_decl_file() rejects file 0, which clang writes in DWARF 5. Otherwise libdw would do: it
// links statically for 0.3 MB, reads both byte orders, and withstood 53,000 mutated objects.
#include "linker/object/dwarf_lines.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "linker/object/dwarf_values.hpp"
#include "linker/object/object_file.hpp"

namespace bpflink {
namespace {

// Specification: DWARF 5, section 7.5, tables 7.2, 7.3 and 7.5.
enum UnitType : uint8_t { DW_UT_compile = 0x01 };
enum Tag : uint8_t { DW_TAG_compile_unit = 0x11, DW_TAG_subprogram = 0x2e, DW_TAG_variable = 0x34 };
enum Attribute : uint8_t {
  DW_AT_name = 0x03,
  DW_AT_stmt_list = 0x10,
  DW_AT_comp_dir = 0x1b,
  DW_AT_decl_file = 0x3a,
  DW_AT_decl_line = 0x3b,
  DW_AT_declaration = 0x3c,
  DW_AT_external = 0x3f,
  DW_AT_specification = 0x47,
  DW_AT_str_offsets_base = 0x72,
};

enum LineContent : uint8_t { DW_LNCT_path = 1, DW_LNCT_directory_index = 2 };

using Paths = std::vector<std::string>;

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
      DwarfValue value = values.read(cursor, form, 0, unit);
      if (content == DW_LNCT_path) path = value.text;
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
  DwarfCursor cursor = values.lines(offset);
  DwarfUnit unit;
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

/// The format of one kind of entry. `attributes` points to the attribute list, which is read again
/// for each entry.
struct Abbreviation {
  uint64_t tag;
  bool has_children;
  DwarfCursor attributes;
};

/// The attributes of an entry that this reader uses.
struct Entry {
  std::string_view name, directory;
  uint64_t file = 0, line = 0, line_table = UINT64_MAX, string_offsets = 0;
  uint64_t specification = 0;  ///< the declaration of this definition, in bytes into the unit
  bool is_declaration = false, is_external = false;
};

class LineReader {
 public:
  explicit LineReader(const ObjectFile& object) : values_(object) {}

  SourceLines read() {
    for (DwarfCursor cursor = values_.info(0); cursor.left() > 0 && values_.spend(1);) {
      uint64_t begin = cursor.at();
      DwarfUnit unit;
      uint64_t length = unit.take_length(cursor);
      DwarfCursor of_unit = cursor;
      of_unit.end_after(length);
      read_unit(of_unit, begin, unit);
      cursor.skip(length);
    }
    return std::move(lines_);
  }

 private:
  void read_unit(DwarfCursor& cursor, uint64_t begin, DwarfUnit unit);
  void read_entries(DwarfCursor& cursor, uint64_t begin, const DwarfUnit& unit,
                    const std::vector<std::string>& files);
  void read_abbreviations(uint64_t offset);
  /// Null at the end of a list of children, and after an error.
  const Abbreviation* take_abbreviation(DwarfCursor& cursor);
  Entry take_entry(DwarfCursor& cursor, const Abbreviation& abbreviation, const DwarfUnit& unit);
  void add(const Entry& entry, const std::vector<std::string>& files);

  DwarfValues values_;
  std::unordered_map<uint64_t, Abbreviation> abbreviations_;  ///< the unit's, by code
  SourceLines lines_;
};

void LineReader::read_abbreviations(uint64_t offset) {
  abbreviations_.clear();
  DwarfCursor cursor = values_.abbreviations(offset);
  for (uint64_t code = cursor.take_uleb(); code != 0; code = cursor.take_uleb()) {
    uint64_t from = cursor.at(), tag = cursor.take_uleb();
    bool has_children = cursor.take_number(1) != 0;
    abbreviations_.try_emplace(code, Abbreviation{tag, has_children, cursor});
    for (uint64_t name = 1, form = 1; name != 0 || form != 0;) {
      name = cursor.take_uleb();
      form = cursor.take_uleb();
      if (form == DW_FORM_implicit_const) cursor.take_uleb();
    }
    if (!values_.spend(cursor.at() - from + sizeof(Abbreviation))) return;
  }
}

const Abbreviation* LineReader::take_abbreviation(DwarfCursor& cursor) {
  uint64_t code = cursor.take_uleb();
  if (code == 0) return nullptr;
  auto found = abbreviations_.find(code);
  if (found != abbreviations_.end()) return &found->second;
  cursor.fail();
  return nullptr;
}

Entry LineReader::take_entry(DwarfCursor& cursor, const Abbreviation& abbreviation,
                             const DwarfUnit& unit) {
  Entry entry;
  DwarfCursor attributes = abbreviation.attributes;
  uint64_t from = cursor.at();
  while (cursor.is_good()) {
    uint64_t name = attributes.take_uleb(), form = attributes.take_uleb();
    if (name == 0 && form == 0) break;
    uint64_t constant = form == DW_FORM_implicit_const ? attributes.take_uleb() : 0;
    DwarfValue value = values_.read(cursor, form, constant, unit);
    if (name == DW_AT_name) entry.name = value.text;
    if (name == DW_AT_comp_dir) entry.directory = value.text;
    if (name == DW_AT_stmt_list) entry.line_table = value.number;
    if (name == DW_AT_decl_file) entry.file = value.number;
    if (name == DW_AT_decl_line) entry.line = value.number;
    if (name == DW_AT_declaration) entry.is_declaration = value.number != 0;
    if (name == DW_AT_external) entry.is_external = value.number != 0;
    if (name == DW_AT_specification) entry.specification = value.number;
    if (name == DW_AT_str_offsets_base) entry.string_offsets = value.number;
  }
  bool has_room =
      values_.spend(attributes.at() - abbreviation.attributes.at() + cursor.at() - from);
  if (!has_room) cursor.fail();
  return cursor.is_good() ? entry : Entry{};
}

void LineReader::read_unit(DwarfCursor& cursor, uint64_t begin, DwarfUnit unit) {
  unit.version = cursor.take_number(2);
  if (unit.version < 2 || unit.version > 5) return;
  bool is_new = unit.version == 5;
  if (is_new && cursor.take_number(1) != DW_UT_compile) return;
  if (is_new) unit.address_size = cursor.take_number(1);
  uint64_t table = cursor.take_number(unit.offset_size);
  if (!is_new) unit.address_size = cursor.take_number(1);
  if (!cursor.is_good()) return;
  read_abbreviations(table);
  const Abbreviation* abbreviation = take_abbreviation(cursor);
  if (!abbreviation || abbreviation->tag != DW_TAG_compile_unit) return;
  Entry of_unit = take_entry(cursor, *abbreviation, unit);
  if (!abbreviation->has_children) return;
  unit.string_offsets = of_unit.string_offsets;
  auto files = read_files(values_, of_unit.line_table, of_unit.directory);
  read_entries(cursor, begin, unit, files);
  std::ranges::move(files, std::back_inserter(lines_.files));
}

/// Reads the unit's children and skips theirs.
void LineReader::read_entries(DwarfCursor& cursor, uint64_t begin, const DwarfUnit& unit,
                              const std::vector<std::string>& files) {
  std::unordered_map<uint64_t, Entry> declarations;  // by bytes into the unit
  for (uint64_t depth = 1; depth > 0 && cursor.is_good();) {
    uint64_t at = cursor.at() - begin;
    const Abbreviation* abbreviation = take_abbreviation(cursor);
    if (!abbreviation) {
      --depth;
      continue;
    }
    Entry entry = take_entry(cursor, *abbreviation, unit);
    bool is_named = abbreviation->tag == DW_TAG_variable || abbreviation->tag == DW_TAG_subprogram;
    if (depth == 1 && is_named) {
      auto declaration = declarations.find(entry.specification);
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

void LineReader::add(const Entry& entry, const std::vector<std::string>& files) {
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
