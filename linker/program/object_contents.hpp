// The parts of an Object, each collected in a file of its own.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpflink/object.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Access to the internals of an Object, for the library's own code.
struct ObjectAccess {
  /// Object::parse() with a name for locations.
  static std::expected<Object, Error> parse(std::string name, std::span<const std::byte> image);
  /// A view of a file that is read. A map may be no struct, and has no attributes then.
  static Object view(std::shared_ptr<const ObjectFile> file);
  static const ObjectFile& file(const Object& object);
};

/// The items of a list by their names; of several of one name, the first.
template <typename Item>
using NameIndex = std::unordered_map<std::string_view, const Item*>;

/// The contents of an Object: views into the ObjectFile, except for `names`.
struct ObjectContents {
  std::vector<Program> programs;
  std::vector<Map> maps;
  std::vector<DataSection> data_sections;
  std::vector<Extern> externs;
  std::vector<StructOps> struct_ops;
  /// Names that are composed here.
  std::vector<std::unique_ptr<std::string>> names;

  // Made when the lists are complete.
  NameIndex<Program> programs_by_name;
  NameIndex<Map> maps_by_name;
  NameIndex<Variable> variables_by_name;
  NameIndex<Extern> externs_by_name;
};

/// An object's symbols by section, and their declarations.
class ObjectIndex {
 public:
  explicit ObjectIndex(const ObjectFile& file);

  const ObjectFile& file;

  /// The named symbols in a section except section symbols, by ascending offset.
  const std::vector<const InputSymbol*>& symbols_in(const InputSection& section) const {
    return symbols_[section.index];
  }
  /// The VAR or FUNC of a symbol, or null. If a section has several static variables of a name, the
  /// one at the symbol's offset.
  const BtfDeclaration* declaration_of(const InputSymbol& symbol) const;
  /// The type of the VAR or FUNC of a symbol, or 0.
  uint32_t type_of(const InputSymbol& symbol) const {
    const BtfDeclaration* declaration = declaration_of(symbol);
    return declaration ? declaration->type().type() : 0;
  }
  /// The DATASEC of that name, or 0.
  uint32_t datasec(std::string_view name) const;
  /// The target of a data relocation: the symbol that it names, or the one at the place that it
  /// points to; or null.
  const InputSymbol* pointee(const Relocation& relocation) const;

 private:
  std::vector<std::vector<const InputSymbol*>> symbols_;  // by section index
  std::vector<const BtfDeclaration*> of_symbol_;          // by the index of a global symbol
  std::unordered_multimap<std::string_view, const BtfDeclaration*> statics_;
  std::unordered_map<std::string_view, uint32_t> datasecs_;
};

void collect_programs(const ObjectIndex&, ObjectContents&);
void collect_maps(const ObjectIndex&, ObjectContents&);
void collect_data_sections(const ObjectIndex&, ObjectContents&);
void collect_externs(const ObjectIndex&, ObjectContents&);
void collect_struct_ops(const ObjectIndex&, ObjectContents&);

}  // namespace bpflink
