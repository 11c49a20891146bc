#include "bpflink/object.hpp"

#include <exception>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/program/object_contents.hpp"

namespace bpflink {

struct Object::Impl {
  InputFile input;
  std::shared_ptr<const ObjectFile> file;
  ObjectContents contents;
};

namespace {

std::string_view first_string_of(const InputSection& section) {
  std::string_view text(reinterpret_cast<const char*>(section.data.data()), section.data.size());
  return text.substr(0, text.find('\0'));
}

template <typename Item>
void add_names(std::span<const Item> items, NameIndex<Item>& index) {
  index.reserve(index.size() + items.size());
  for (const Item& item : items) index.emplace(item.name, &item);
}

void index_names(ObjectContents& contents) {
  add_names<Program>(contents.programs, contents.programs_by_name);
  add_names<Map>(contents.maps, contents.maps_by_name);
  for (size_t i = 0; i < contents.data_sections.size(); ++i) {
    DataSection& section = contents.data_sections[i];
    for (Variable& variable : section.variables) variable.data_section = static_cast<uint32_t>(i);
    add_names<Variable>(section.variables, contents.variables_by_name);
  }
  add_names<Extern>(contents.externs, contents.externs_by_name);
}

template <typename Item>
const Item* find(const NameIndex<Item>& index, std::string_view name) {
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

std::expected<Object, Error> Object::open(const std::string& path) {
  auto input = TRY(InputFile::open(path));
  auto object = parse(input.bytes());
  if (object) object->impl_->input = std::move(input);
  return object;
}

std::expected<Object, Error> Object::parse(std::span<const std::byte> image) {
  return ObjectAccess::parse("object", image);
}

const ObjectFile& ObjectAccess::file(const Object& object) {
  return *object.impl_->file;
}

std::expected<Object, Error> ObjectAccess::parse(std::string name,
                                                 std::span<const std::byte> image) {
  auto file = TRY(ObjectFile::read(std::move(name), image));
  Object object = view(std::move(file));
  for (const Map& map : object.maps())
    if (map.var_id != 0) {
      const BtfView& types = *object.btf();
      uint32_t definition = skip_modifiers(types, types.type(map.var_id).type());
      if (types.kind(definition) != BtfKind::Struct)
        return fail("map '{}' is not a struct", map.name);
    }
  return object;
}

Object ObjectAccess::view(std::shared_ptr<const ObjectFile> file) {
  auto impl = std::make_unique<Object::Impl>();
  impl->file = std::move(file);
  ObjectIndex index(*impl->file);
  collect_programs(index, impl->contents);
  collect_maps(index, impl->contents);
  collect_data_sections(index, impl->contents);
  collect_externs(index, impl->contents);
  collect_struct_ops(index, impl->contents);
  index_names(impl->contents);
  return Object(std::move(impl));
}

Object::Object(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

std::endian Object::byte_order() const {
  return impl_->file->byte_order;
}

std::string_view Object::license() const {
  for (const InputSection& section : impl_->file->sections)
    if (section.role == SectionRole::License) return first_string_of(section);
  return "";
}

const Btf* Object::btf() const {
  return impl_->file->btf ? &*impl_->file->btf : nullptr;
}
std::span<const Program> Object::programs() const {
  return impl_->contents.programs;
}
std::span<const Map> Object::maps() const {
  return impl_->contents.maps;
}
std::span<const DataSection> Object::data_sections() const {
  return impl_->contents.data_sections;
}
std::span<const Extern> Object::externs() const {
  return impl_->contents.externs;
}
std::span<const StructOps> Object::struct_ops() const {
  return impl_->contents.struct_ops;
}

const Program* Object::find_program(std::string_view name) const {
  return find(impl_->contents.programs_by_name, name);
}
const Map* Object::find_map(std::string_view name) const {
  return find(impl_->contents.maps_by_name, name);
}
const Variable* Object::find_variable(std::string_view name) const {
  return find(impl_->contents.variables_by_name, name);
}
const Extern* Object::find_extern(std::string_view name) const {
  return find(impl_->contents.externs_by_name, name);
}

}  // namespace bpflink
