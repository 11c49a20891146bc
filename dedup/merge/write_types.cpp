// Pass: write one type for each class, in order of first occurrence.
//
// A class becomes a type when it gets an id. The words of its key are nearly those of the type:
// string offsets are translated from the table's to the output's, and references from classes and
// anchors to ids. An untainted tag refers to its definition, or to a declaration if no input
// defines it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dedup/format/builder.hpp"
#include "dedup/merge/deduplication.hpp"
#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"
#include "dedup/sort_by_name.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

/// A class that becomes one type: a class of the table, or class_count() plus a tainted class. All
/// classes of one untainted anchor, a definition and declarations, become the same type.
using OutputClass = uint32_t;

class TypeWriter {
 public:
  explicit TypeWriter(Deduplication& d)
      : d_(d),
        table_(d.table),
        output_classes_(output_class_count()),
        ids_(output_class_count()),
        strings_((table_.strings().size() - table_.strings().begin()) / 2 + 1),
        result_{BtfBuilder(d.options.base), {}},
        next_id_(result_.types.end_id()) {}

  std::expected<DedupResult, Error> run() {
    find_output_classes();
    number_base();
    number_inputs();
    if (d_.options.sort) sort();
    TRY(check_unknown_kinds());
    make_room();
    write_strings();
    for (OutputClass output_class : order_) {
      std::span<const uint32_t> key = key_of(output_class);
      if (vlen_of(key.data()) > max_classic_vlen) allow_wide_vlen(result_.types);
      translate(output_class, result_.types.mutable_words(result_.types.add_type(key)));
    }
    if (d_.options.for_kernel) add_array_index_types();
    make_maps();
    result_.types.set_layout(d_.layout);
    return std::move(result_);
  }

 private:
  size_t output_class_count() const {
    return table_.class_count() + d_.tainted_classes.classes.size();
  }

  /// An untainted tag refers to its definition, or to a declaration if there is none.
  void find_output_classes() {
    representatives_.resize(table_.anchor_count());
    for (uint32_t c = 1; c < table_.class_count(); ++c) {
      if (table_.anchor_of(c) == 0) continue;
      uint32_t& chosen = representatives_[table_.anchor_of(c)];
      if (chosen == 0 || table_.is_better(c, chosen)) chosen = c;
    }
    for (uint32_t c = 0; c < output_classes_.size(); ++c) {
      uint32_t anchor = c < table_.class_count() ? table_.anchor_of(c) : 0;
      output_classes_[c] = anchor != 0 ? representatives_[anchor] : c;
    }
  }

  /// Types of the base keep their ids. Of equal ones the first is used.
  void number_base() {
    for (uint32_t id : d_.base_types)
      if (uint32_t& known = ids_[output_classes_[d_.base_classes[id]]]; known == 0) known = id;
  }

  /// Numbers the types of the inputs in order of first occurrence.
  void number_inputs() {
    for (auto [input, index] : d_.first_types) {
      OutputClass output_class = output_classes_[d_.inputs[input].class_of_type[index]];
      if (ids_[output_class] != 0) continue;
      ids_[output_class] = next_id_++;
      order_.push_back(output_class);
    }
  }

  /// Renumbers the types in order of their names, as resolve_btfids does. Types without a name come
  /// first, and types of one name keep their order.
  void sort() {
    sort_by_name(
        order_, [&](OutputClass output_class) { return key_of(output_class).front(); },
        [&](uint32_t offset) { return table_.strings().at(offset); });
    uint32_t id = result_.types.end_id();
    for (OutputClass output_class : order_) ids_[output_class] = id++;
  }

  /// Types of unknown kinds may refer to anything in their input, so no id and no string offset of
  /// it may change.
  std::expected<void, Error> check_unknown_kinds() {
    for (const Input& input : d_.inputs) {
      const BtfView& types = input.types();
      auto is_unknown = [&](uint32_t id) { return !is_known(kind_of(types.first_word(id))); };
      auto unknown = std::ranges::find_if(input.objects(), is_unknown);
      if (unknown == input.objects().end()) continue;
      if (auto moved = find_moved(input))
        return fail(
            "{}: type [{}] '{}' has unknown kind {}, which may refer to any type or "
            "string, and {}",
            input.name, *unknown, input.btf.name(input.btf.type(*unknown)),
            std::to_underlying(kind_of(types.first_word(*unknown))), moved->message);
      // At most one input gets here: in a second one, its types of unknown kinds would have new
      // ids, because they are objects.
      strings_from_ = &input;
    }
    return {};
  }

  /// The first type of an input that would not keep its id.
  std::optional<Error> find_moved(const Input& input) const {
    uint32_t first_id = input.btf.first_id();
    for (uint32_t i = 0; i < input.class_of_type.size(); ++i) {
      uint32_t c = input.class_of_type[i];
      if (c == omitted_class) return Error{fmt::format("type [{}] would be omitted", first_id + i)};
      if (uint32_t id = ids_[output_classes_[c]]; id != first_id + i)
        return Error{fmt::format("type [{}] would become [{}]", first_id + i, id)};
    }
    return std::nullopt;
  }

  std::span<const uint32_t> key_of(OutputClass output_class) const {
    bool is_class = output_class < table_.class_count();
    return table_.words(is_class ? output_class
                                 : d_.tainted_classes.classes[output_class - table_.class_count()]);
  }

  void make_room() {
    size_t words = 0;
    for (OutputClass output_class : order_) words += key_of(output_class).size();
    // Leave headroom: callers append types.
    auto with_headroom = [](size_t size) { return size + size / 4; };
    reserve(result_.types, with_headroom(order_.size()), with_headroom(words),
            with_headroom(table_.strings().size()));
  }

  /// Adds the types' strings in order of first occurrence.
  void write_strings() {
    if (strings_from_ != nullptr) begin_with_strings(result_.types, strings_from_->btf.strings());
    std::vector<bool> is_listed(strings_.size());
    for (OutputClass output_class : order_) {
      for_each_string(key_of(output_class), [&](uint32_t offset) {
        const uint32_t begin = table_.strings().begin();
        if (offset <= begin || is_listed[(offset - begin) / 2]) return;
        is_listed[(offset - begin) / 2] = true;
        add_string(offset);
      });
    }
    add_new_strings(result_.types, pending_strings_);
  }

  uint32_t& string_of(uint32_t offset) { return strings_[(offset - table_.strings().begin()) / 2]; }

  /// Adds a string of the table, which has each string once. Most strings follow each other in the
  /// table; such runs are copied as one.
  void add_string(uint32_t offset) {
    std::string_view text = table_.strings().at(offset);
    if (d_.options.base != nullptr || strings_from_ != nullptr) {
      string_of(offset) = result_.types.add_string(text);
      return;
    }
    if (text.data() != pending_strings_.data() + pending_strings_.size()) {
      add_new_strings(result_.types, pending_strings_);
      pending_strings_ = text.substr(0, 0);
    }
    pending_strings_ = {pending_strings_.data(), pending_strings_.size() + text.size() + 1};
    string_of(offset) = next_string_;
    next_string_ += static_cast<uint32_t>(text.size()) + 1;
  }

  /// Translates the words of a key to the words of a type.
  void translate(OutputClass output_class, std::span<uint32_t> words) {
    for_each_string(words, [&](uint32_t& offset) {
      if (offset > table_.strings().begin()) offset = string_of(offset);
    });
    const TaintedClasses& tainted = d_.tainted_classes;
    const uint32_t* child = nullptr;
    if (output_class >= table_.class_count())
      child = tainted.references.edges(output_class - table_.class_count()).data();
    for_each_reference(words, [&](uint32_t& r) {
      if (child != nullptr && r != 0 && tainted.is_tainted(r))
        r = ids_[table_.class_count() + *child++];
      else
        r = ids_[r & anchor_bit ? representatives_[r & ~anchor_bit] : r];
    });
  }

  /// Gives an index type to arrays without one, which the kernel requires.
  void add_array_index_types() {
    uint32_t index_type = find_index_type();
    for (uint32_t id = result_.types.first_id(); id < result_.types.end_id(); ++id) {
      std::span<uint32_t> words = result_.types.mutable_words(id);
      if (kind_of(words.data()) == BtfKind::Array && words[4] == 0) words[4] = index_type;
    }
  }

  /// The index type of the first array that has one, the base's first. If there is no such array,
  /// the first integer, or 0.
  uint32_t find_index_type() const {
    uint32_t first_integer = 0;
    for (uint32_t id = 1; id < result_.types.end_id(); ++id) {
      BtfType type = result_.types.type(id);
      if (type.kind() == BtfKind::Array && type.array_index_type() != 0)
        return type.array_index_type();
      if (type.kind() == BtfKind::Int && first_integer == 0) first_integer = id;
    }
    return first_integer;
  }

  /// Makes the type maps from the inputs' classes, in their place.
  void make_maps() {
    for (uint32_t c = 0; c < output_classes_.size(); ++c)
      output_classes_[c] = ids_[output_classes_[c]];
    result_.type_maps.reserve(d_.inputs.size());
    for (Input& input : d_.inputs) {
      for (uint32_t& type_class : input.class_of_type)
        type_class = type_class == omitted_class ? 0 : output_classes_[type_class];
      result_.type_maps.emplace_back(input.btf.first_id(), std::move(input.class_of_type));
    }
  }

  Deduplication& d_;
  const ClassTable& table_;
  std::vector<OutputClass> output_classes_;  ///< by class, then by tainted class
  std::vector<uint32_t> ids_;                ///< of the output, by OutputClass
  /// By anchor: the class that it refers to where it is not tainted.
  std::vector<uint32_t> representatives_;
  /// The output's string offset by half the table's, from the end of the base's on: every string
  /// but the empty one takes at least two bytes.
  std::vector<uint32_t> strings_;
  std::vector<OutputClass> order_;  ///< of the output's ids
  DedupResult result_;
  uint32_t next_id_;
  uint32_t next_string_ = 1;          ///< the output's next offset, where there is no base
  std::string_view pending_strings_;  ///< strings of the table that follow each other, to be added
  /// The input with types of unknown kinds, or null. They may refer to any string, so the output's
  /// string section begins with the input's.
  const Input* strings_from_ = nullptr;
};

}  // namespace

std::expected<DedupResult, Error> write_types(Deduplication& d) {
  return TypeWriter(d).run();
}

void compose(std::vector<TypeMap>& maps, const TypeMap& next) {
  std::shared_ptr<const std::vector<uint32_t>> old_base, new_base;
  for (TypeMap& map : maps) {
    if (!new_base || map.base_ids_ != old_base || new_base->size() != map.first_id_) {
      old_base = map.base_ids_;
      auto ids = std::make_shared<std::vector<uint32_t>>(map.first_id_);
      for (uint32_t id = 0; id < map.first_id_; ++id) (*ids)[id] = next[map[id]];
      new_base = std::move(ids);
    }
    for (uint32_t& id : map.ids_) id = next[id];
    map.base_ids_ = new_base;
  }
}

}  // namespace bpflink
