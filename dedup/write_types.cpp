// Pass: numbers the types that are left, in order of first occurrence, and writes them down.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "dedup/deduplication.hpp"
#include "dedup/format/builder.hpp"
#include "dedup/messages.hpp"
#include "dedup/run_threads.hpp"

namespace bpflink {

namespace {

/// What a type is in the end, as a number: of an untainted type the class that represents it; of a
/// tainted one its meaning, counted from the last class on.
using Identity = uint32_t;

class TypeWriter {
 public:
  explicit TypeWriter(Deduplication& d)
      : d_(d),
        table_(d.table),
        identities_(identity_count()),
        ids_(identity_count()),
        strings_(table_.strings().size() / 2 + 1),
        result_{BtfBuilder(d.options.base), {}},
        next_id_(result_.types.end_id()) {}

  std::expected<DedupResult, Error> run() {
    find_identities();
    number_base();
    number_inputs();
    if (d_.options.sort) sort();
    if (auto ok = check_unknown_kinds(); !ok) return std::unexpected(ok.error());
    make_room();
    write_strings();
    for (Identity identity : order_) {
      std::span<const uint32_t> key = key_of(identity);
      if (vlen_of(key.data()) > max_classic_vlen) allow_wide_vlen(result_.types);
      translate(identity, result_.types.mutable_words(result_.types.add_type(key)));
    }
    if (d_.options.for_kernel) index_arrays();
    make_maps();
    result_.types.set_layout(d_.layout);
    return std::move(result_);
  }

 private:
  size_t identity_count() const { return table_.class_count() + d_.meanings.classes.size(); }
  void find_identities();
  void number_base();
  void number_inputs();
  void sort();
  std::expected<void, Error> check_unknown_kinds();
  std::optional<Error> find_change(const Input& input) const;
  std::span<const uint32_t> key_of(Identity identity) const;
  void make_room();
  void write_strings();
  void add_string(uint32_t offset);
  void translate(Identity identity, std::span<uint32_t> words) const;
  void index_arrays();
  uint32_t find_index_type() const;
  void make_maps();

  Deduplication& d_;
  const ClassTable& table_;
  std::vector<Identity> identities_;  ///< by element
  std::vector<uint32_t> ids_;         ///< the output's id by identity, and later by element
  /// By anchor: what represents it where it is not tainted.
  std::vector<uint32_t> representatives_;
  /// The output's offset by half the table's: no two strings begin side by side, as
  /// only the empty one is so short.
  std::vector<uint32_t> strings_;
  std::vector<Identity> order_;
  DedupResult result_;
  uint32_t next_id_;
  uint32_t next_string_ = 1;  ///< the output's next offset, where there is no base
  std::string_view run_;      ///< strings of the table that are still to be added
  /// The input whose string section the output's begins with, or null. Its types of unknown kinds
  /// may refer to any string.
  const Input* keeps_strings_of_ = nullptr;
};

/// The type that an untainted tag means is its definition, if there is one, or a declaration.
/// Enums that are only declared may differ in size; the least is one that does not depend on the
/// order of inputs.
void TypeWriter::find_identities() {
  representatives_.resize(table_.anchor_count());
  auto is_better = [&](uint32_t c, uint32_t than) {
    if (table_.is_definition(c) != table_.is_definition(than)) return table_.is_definition(c);
    return !table_.is_definition(c) &&
           std::ranges::lexicographical_compare(table_.words(c), table_.words(than));
  };
  for (uint32_t c = 1; c < table_.class_count(); ++c) {
    if (table_.anchor_of(c) == 0) continue;
    uint32_t& chosen = representatives_[table_.anchor_of(c)];
    if (chosen == 0 || is_better(c, chosen)) chosen = c;
  }
  for (uint32_t element = 0; element < identities_.size(); ++element) {
    uint32_t anchor = element < table_.class_count() ? table_.anchor_of(element) : 0;
    identities_[element] = anchor != 0 ? representatives_[anchor] : element;
  }
}

/// Types of the base keep their ids; of several equal ones the first is used.
void TypeWriter::number_base() {
  for (uint32_t id = 1; id < d_.base_elements.size(); ++id)
    if (uint32_t& known = ids_[identities_[d_.base_elements[id]]]; known == 0) known = id;
}

/// Gives the types of the inputs ids in order of first occurrence.
void TypeWriter::number_inputs() {
  for (auto [input, index] : d_.firsts) {
    Identity identity = identities_[d_.inputs[input].elements[index]];
    if (ids_[identity] != 0) continue;
    ids_[identity] = next_id_++;
    order_.push_back(identity);
  }
}

/// Gives the types ids in order of their names, as resolve_btfids does: those without one come
/// first, and what has one name stays in its order.
void TypeWriter::sort() {
  std::ranges::stable_sort(
      order_, {}, [&](Identity identity) { return table_.strings().at(key_of(identity).front()); });
  uint32_t id = result_.types.end_id();
  for (Identity identity : order_) ids_[identity] = id++;
}

/// Types of unknown kinds are not renumbered, so what they may refer to must stay where it is.
std::expected<void, Error> TypeWriter::check_unknown_kinds() {
  for (const Input& input : d_.inputs) {
    const BtfView& types = input.types();
    auto is_unknown = [&](uint32_t id) { return !is_known(kind_of(types.first_word(id))); };
    auto unknown = std::ranges::find_if(input.objects(), is_unknown);
    if (unknown == input.objects().end()) continue;
    if (auto change = find_change(input))
      return fail(
          "{}: type [{}] '{}' has unknown kind {}, which may refer to any type or "
          "string, and {}",
          input.name, *unknown, input.btf.name(input.btf.type(*unknown)),
          std::to_underlying(kind_of(types.first_word(*unknown))), change->message);
    // There is but one: as objects, the types of unknown kinds of another had become new ones.
    keeps_strings_of_ = &input;
  }
  return {};
}

/// What changes of an input whose types and strings must all stay where they are.
std::optional<Error> TypeWriter::find_change(const Input& input) const {
  uint32_t first_id = input.btf.first_id();
  for (uint32_t i = 0; i < input.elements.size(); ++i) {
    uint32_t element = input.elements[i];
    if (element == omitted_class)
      return Error{fmt::format("type [{}] would be omitted", first_id + i)};
    if (uint32_t id = ids_[identities_[element]]; id != first_id + i)
      return Error{fmt::format("type [{}] would become [{}]", first_id + i, id)};
  }
  return std::nullopt;
}

std::span<const uint32_t> TypeWriter::key_of(Identity identity) const {
  bool is_class = identity < table_.class_count();
  return table_.words(is_class ? identity : d_.meanings.classes[identity - table_.class_count()]);
}

void TypeWriter::make_room() {
  size_t words = 0;
  for (Identity identity : order_) words += key_of(identity).size();
  // Who adds some types more would otherwise have all moved.
  auto with_more = [](size_t size) { return size + size / 4; };
  reserve(result_.types, with_more(order_.size()), with_more(words),
          with_more(table_.strings().size()));
}

/// Adds the types' strings in order of first occurrence.
void TypeWriter::write_strings() {
  if (keeps_strings_of_ != nullptr)
    begin_with_strings(result_.types, keeps_strings_of_->btf.strings());
  std::vector<bool> is_listed(strings_.size());
  for (Identity identity : order_) {
    for_each_string(key_of(identity), [&](uint32_t offset) {
      if (offset == 0 || is_listed[offset / 2]) return;
      is_listed[offset / 2] = true;
      add_string(offset);
    });
  }
  add_new_strings(result_.types, run_);
}

/// Adds a string of the table, which has none twice. Those that follow one another there are
/// copied together, and most do.
void TypeWriter::add_string(uint32_t offset) {
  std::string_view text = table_.strings().at(offset);
  if (d_.options.base != nullptr || keeps_strings_of_ != nullptr) {
    strings_[offset / 2] = result_.types.add_string(text);
    return;
  }
  if (text.data() != run_.data() + run_.size()) {
    add_new_strings(result_.types, run_);
    run_ = text.substr(0, 0);
  }
  run_ = {run_.data(), run_.size() + text.size() + 1};
  strings_[offset / 2] = next_string_;
  next_string_ += static_cast<uint32_t>(text.size()) + 1;
}

/// Translates the words of a key to those of a type.
void TypeWriter::translate(Identity identity, std::span<uint32_t> words) const {
  for_each_string(words, [&](uint32_t& offset) {
    if (offset != 0) offset = strings_[offset / 2];
  });
  const Meanings& meanings = d_.meanings;
  const uint32_t* meaning = nullptr;
  if (identity >= table_.class_count())
    meaning = meanings.references.edges(identity - table_.class_count()).data();
  for_each_reference(words, [&](uint32_t& r) {
    if (meaning != nullptr && r != 0 && meanings.is_tainted(r))
      r = ids_[table_.class_count() + *meaning++];
    else
      r = ids_[r & anchor_bit ? representatives_[r & ~anchor_bit] : r];
  });
}

/// Gives arrays that have none an index type, which no kernel does without.
void TypeWriter::index_arrays() {
  uint32_t index_type = find_index_type();
  for (uint32_t id = result_.types.first_id(); id < result_.types.end_id(); ++id) {
    std::span<uint32_t> words = result_.types.mutable_words(id);
    if (kind_of(words.data()) == BtfKind::Array && words[4] == 0) words[4] = index_type;
  }
}

/// The index type of the first array that has one, the base's before others; without such an array,
/// the first integer, or 0 if there is none.
uint32_t TypeWriter::find_index_type() const {
  uint32_t first_integer = 0;
  for (uint32_t id = 1; id < result_.types.end_id(); ++id) {
    bool is_base = id < result_.types.first_id();
    BtfType type = is_base ? d_.options.base->type(id) : result_.types.type(id);
    if (type.kind() == BtfKind::Array && type.array_index_type() != 0)
      return type.array_index_type();
    if (type.kind() == BtfKind::Int && first_integer == 0) first_integer = id;
  }
  return first_integer;
}

/// Makes type maps of the inputs' elements, which lead to the ids of what they stand for.
void TypeWriter::make_maps() {
  auto ids = std::make_shared<std::vector<uint32_t>>(identities_.size());
  for (uint32_t element = 0; element < ids->size(); ++element)
    (*ids)[element] = ids_[identities_[element]];
  result_.type_maps.reserve(d_.inputs.size());
  for (Input& input : d_.inputs)
    result_.type_maps.emplace_back(input.btf.first_id(), std::move(input.elements), ids);
}

}  // namespace

std::expected<DedupResult, Error> write_types(Deduplication& d) {
  return TypeWriter(d).run();
}

}  // namespace bpflink
