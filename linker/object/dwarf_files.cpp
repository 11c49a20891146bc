#include "linker/object/dwarf_files.hpp"

#include <utility>

namespace bpflink {
namespace {

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

}  // namespace

Paths read_dwarf_files(DwarfValues& values, uint64_t offset, std::string_view directory) {
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

}  // namespace bpflink
