#include "dedup/classes/type_reader.hpp"

#include <algorithm>
#include <numeric>

#include "dedup/classes/canonicalize.hpp"
#include "dedup/classes/class_cycles.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

struct TypeReader::Impl {
  TypeTable table;
  Canonicalizer canonicalizer{table};
  std::vector<uint32_t> definitions;  ///< by anchor: a class that defines it, or 0
  uint32_t known_classes = 1;         ///< classes below that are listed there
  bool has_rivals = false;            ///< whether some anchor has more than one definition
  std::vector<uint32_t> own;          ///< as `definitions`, within is_ambiguous()
  bool is_strange = false;
  bool is_working = false;  ///< stays so where memory runs out, and then this is of no more use
};

TypeReader::TypeReader() : impl_(std::make_unique<Impl>()) {
  impl_->canonicalizer.see_nothing();
}
TypeReader::~TypeReader() = default;

std::expected<Btf, Error> TypeReader::find_types(std::span<const std::byte> blob) {
  return parse_unchecked(blob, nullptr, 1);
}

namespace {

/// Takes from DECL_TAGs and objects the tags of what is no object.
void keep_objects(const TypeSection& types, std::vector<uint32_t>& objects) {
  std::erase_if(objects, [&](uint32_t id) {
    const uint32_t* words = types.at(id).words().data();
    uint32_t target = words[2];
    bool is_known = target >= types.first_id && target < types.end_id();
    return !is_object(words) && !(is_known && is_object(types.at(target).words().data()));
  });
}

}  // namespace

/// Lists the definitions among the classes that are new.
void TypeReader::list_definitions() {
  const TypeTable& table = impl_->table;
  impl_->definitions.resize(table.anchor_count());
  for (uint32_t& c = impl_->known_classes; c < table.class_count(); ++c) {
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || is_declaration(table.form(c))) continue;
    impl_->has_rivals |= impl_->definitions[anchor] != 0;
    impl_->definitions[anchor] = c;
  }
}

/// Whether a name has several definitions among the classes of an input.
bool TypeReader::is_ambiguous(std::span<const uint32_t> classes) {
  list_definitions();
  if (!impl_->has_rivals) return false;
  const TypeTable& table = impl_->table;
  std::vector<uint32_t>& definitions = impl_->own;
  definitions.resize(table.anchor_count());
  bool result = false;
  for (uint32_t c : classes) {
    uint32_t anchor = c == omitted_class ? 0 : table.anchor_of(c);
    if (anchor == 0 || is_declaration(table.form(c))) continue;
    result |= definitions[anchor] != 0 && definitions[anchor] != c;
    definitions[anchor] = c;
  }
  for (uint32_t c : classes)
    if (c != omitted_class) definitions[table.anchor_of(c)] = 0;
  return result;
}

std::expected<void, Error> TypeReader::sort(const Btf& btf, std::span<const std::byte> blob,
                                            std::vector<uint32_t> objects, SortedTypes& sorted) {
  if (sort(btf, std::move(objects), sorted)) return {};
  // All checks decide what is wrong, if anything is.
  auto checked = Btf::parse(blob);
  return checked ? std::expected<void, Error>() : std::unexpected(checked.error());
}

bool TypeReader::sort(const Btf& btf, std::vector<uint32_t> objects, SortedTypes& sorted) {
  if (impl_->is_working) return false;
  impl_->is_working = true;
  const TypeSection& types = type_section(btf);
  std::vector<uint32_t> classes(types.end_id() - types.first_id);
  keep_objects(types, objects);
  uint32_t known_before = impl_->table.class_count();
  for (uint32_t id : objects) classes[id - types.first_id] = omitted_class;
  Canonicalizer& canonicalizer = impl_->canonicalizer;
  bool is_valid =
      canonicalizer.run(btf, {}, classes, Checks::to_do) && canonicalizer.check_rest(objects);
  // What could not be sorted may have left classes that are new in no input.
  impl_->is_strange |= !is_valid || canonicalizer.is_strange();
  if (is_valid) {
    std::vector<uint32_t> firsts;
    for (uint32_t index = 0; index < classes.size(); ++index)
      if (classes[index] >= known_before && classes[index] != omitted_class)
        firsts.push_back(index);
    bool has_ambiguous = is_ambiguous(classes);
    sorted = {this, std::move(classes), std::move(firsts), has_ambiguous, {}};
  }
  impl_->is_working = false;
  return is_valid;
}

bool TypeReader::is_sound() const {
  if (impl_->is_working) return true;
  std::vector<uint32_t> all(impl_->table.class_count() - 1);
  std::iota(all.begin(), all.end(), 1);
  return !may_contain_themselves(impl_->table, std::move(all));
}

bool TypeReader::is_usable() const {
  return !impl_->is_working && !impl_->is_strange && impl_->table.reserved().empty();
}

TypeTable& TypeReader::table() {
  return impl_->table;
}

}  // namespace bpflink
