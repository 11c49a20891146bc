// Writes each type in its canonical form and interns that.
//
// A form holds the classes of the types that it refers to, so these come first.
// References to anchors are by name and need nothing done before; what is left
// to wait for are chains like a pointer to const int, and anonymous structs.
// Where a type refers to one that has no class yet, a depth-first search with a
// stack of its own goes there first. C cannot make a cycle that misses all
// anchors, but a type that refers to itself through a typedef's name can: the
// type that closes a cycle gets a class reserved, whose words follow when the
// search is back at it.
//
// Units that include the same headers have the same types in the same order.
// So the class that followed the last type's class before is tried first, by
// comparing the type with its form word by word; only where that fails is a
// form written, hashed and looked up. In a kernel nine types of ten are found
// by trying.
#include "dedup/canonicalize.hpp"

#include <algorithm>

namespace bpflink {

namespace {

// What stands for a class that is not known yet: 0, or any of these bits.
/// The types that this one refers to are being looked at.
constexpr uint32_t open_bit = 0x20000000;
/// The type is an anchor; which one, the bits below open_bit tell.
constexpr uint32_t is_anchor_bit = 0x40000000;

/// Stands for a reference that is not known yet; equals none in a form.
constexpr Reference unknown_reference = UINT32_MAX;

bool is_class(uint32_t known) {
  return known != 0 && known < open_bit;
}

}  // namespace

std::expected<void, Error> Canonicalizer::run(const Btf& btf,
                                              std::span<const uint32_t> base_classes,
                                              std::span<uint32_t> classes) {
  attach(btf, base_classes, classes);
  classes_seen_.clear();
  ++run_;
  omission_ = false;
  last_ = 0;

  for (uint32_t id = first_id_; id < types_->end_id() && !omission_; ++id) {
    uint32_t known = class_of(id);
    if (is_class(known) || known == omitted_class || assign_expected(id)) continue;
    search(id);
  }
  if (omission_) return std::unexpected(omission_error());
  return {};
}

void Canonicalizer::attach(const Btf& btf, std::span<const uint32_t> base_classes,
                           std::span<uint32_t> classes) {
  btf_ = &btf;
  types_ = &type_section(btf);
  first_id_ = btf.first_id();
  base_classes_ = base_classes;
  classes_ = classes;
  strings_.assign(btf.string_end(), 0);
}

void Canonicalizer::localize(std::span<const uint32_t> ids) {
  for (uint32_t id : ids) class_of(id) = table_.reserve();
  for (uint32_t id : ids) {
    translate(types_->at(id).words());
    table_.define(class_of(id), form_);
  }
}

/// The table's offset of a string of the input.
inline uint32_t Canonicalizer::string(uint32_t offset) {
  uint32_t known = strings_[offset];
  return known != 0 || offset == 0 ? known : intern_string(offset);
}

uint32_t Canonicalizer::intern_string(uint32_t offset) {
  return strings_[offset] = table_.strings().intern(btf_->string(offset));
}

/// The reference to a type, if it is known without following others.
inline Reference Canonicalizer::reference(uint32_t id) {
  if (id < first_id_) return id == 0 ? 0 : table_.reference_to(base_classes_[id - 1]);
  uint32_t known = class_of(id);
  if (is_class(known)) return table_.reference_to(known);
  return reference_to_unassigned(id);
}

Reference Canonicalizer::reference_to_unassigned(uint32_t id) {
  uint32_t& known = class_of(id);
  if (known == omitted_class) omission_ = true;
  if (known == omitted_class || known == open_bit) return unknown_reference;
  if (known != 0) return anchor_bit | (known & (open_bit - 1));
  const uint32_t* words = types_->at(id).words().data();
  TagSpace space = tag_space(words);
  if (space == TagSpace::none) return unknown_reference;
  uint32_t name = string(words[0]);
  if (name == 0) return unknown_reference;
  uint32_t anchor = table_.intern_anchor(space, name);
  known = is_anchor_bit | anchor;
  return anchor_bit | anchor;
}

/// Whether a type with these words has this canonical form.
bool Canonicalizer::matches(std::span<const uint32_t> words, std::span<const uint32_t> form) {
  if (words.size() != form.size() || words[1] != form[1]) return false;
  if (string(words[0]) != form[0]) return false;
  uint8_t kind = kind_of(words.data());
  KindShape shape = kind_shape(kind);
  if ((shape.refers ? reference(words[2]) : words[2]) != form[2]) return false;
  const uint32_t* word = words.data() + common_words;
  const uint32_t* end = words.data() + words.size();
  const uint32_t* other = form.data() + common_words;
  if (shape.element_name == 0 && shape.element_type == 1 && shape.element_words == 3) {
    for (; word != end; word += 3, other += 3)
      if (word[2] != other[2] || string(word[0]) != other[0] || reference(word[1]) != other[1])
        return false;
    return true;
  }
  if (shape.element_name == 0 && shape.element_type == 1) {
    for (; word != end; word += 2, other += 2)
      if (string(word[0]) != other[0] || reference(word[1]) != other[1]) return false;
    return true;
  }
  if (shape.element_name == 0) {
    for (; word != end; word += shape.element_words, other += shape.element_words)
      if (string(word[0]) != other[0] ||
          !std::equal(word + 1, word + shape.element_words, other + 1))
        return false;
    return true;
  }
  if (kind == BTF_KIND_ARRAY)
    return reference(word[0]) == other[0] && reference(word[1]) == other[1] && word[2] == other[2];
  // Variables and sections are never equal.
  if (kind == BTF_KIND_VAR || kind == BTF_KIND_DATASEC) return false;
  return std::equal(word, end, other);
}

/// Writes the canonical form of a type to `form_`, and the ids whose references
/// are not known to `unknown_`.
void Canonicalizer::translate(std::span<const uint32_t> words) {
  form_.assign(words.begin(), words.end());
  unknown_.clear();
  for_each_string(std::span(form_), [&](uint32_t& offset) { offset = string(offset); });
  for_each_reference(std::span(form_), [&](uint32_t& child) {
    Reference known = reference(child);
    if (known == unknown_reference) unknown_.push_back(child);
    child = known;
  });
}

uint32_t Canonicalizer::intern_form() {
  uint8_t kind = kind_of(form_.data());
  // A variable is an object, not a type: two of one name are two variables.
  bool is_object = kind == BTF_KIND_VAR || kind == BTF_KIND_DATASEC;
  return is_object ? table_.add(form_) : table_.intern(form_);
}

void Canonicalizer::set_class(uint32_t id, uint32_t type_class) {
  class_of(id) = type_class;
  if (successors_.size() < table_.class_count()) {
    successors_.resize(table_.class_count());
    last_seen_.resize(table_.class_count());
  }
  successors_[last_] = type_class;
  last_ = type_class;
  if (last_seen_[type_class] == run_) return;
  last_seen_[type_class] = run_;
  classes_seen_.push_back(type_class);
}

/// Gives a type the class that is expected next, if it is of that class.
bool Canonicalizer::assign_expected(uint32_t id) {
  uint32_t expected = successors_[last_];
  if (expected == 0 || !matches(types_->at(id).words(), table_.words(expected))) return false;
  set_class(id, expected);
  return true;
}

/// Puts the types that a type refers to and that have no class on the stack.
bool Canonicalizer::push_unknown(uint32_t id) {
  size_t size = stack_.size();
  for_each_reference(types_->at(id).words(), [&](uint32_t child) {
    if (reference(child) == unknown_reference && class_of(child) == 0) stack_.push_back(child);
  });
  return stack_.size() != size;
}

void Canonicalizer::search(uint32_t root) {
  stack_.assign(1, root);
  while (!stack_.empty() && !omission_) {
    uint32_t id = stack_.back();
    uint32_t known = class_of(id);
    bool is_reserved = is_class(known) && table_.is_reserved(known);
    if (is_class(known) && !is_reserved) {
      stack_.pop_back();
      continue;
    }
    bool is_open = is_reserved || (known & open_bit) != 0;
    if (!is_open) {
      reference(id);  // so that the mark says which anchor it is, if it is one
      class_of(id) |= open_bit;
      if (push_unknown(id)) continue;
    }
    stack_.pop_back();
    assign_open(id);
  }
}

/// Gives a type its class now that those that it refers to have theirs.
void Canonicalizer::assign_open(uint32_t id) {
  if (!is_class(class_of(id)) && assign_expected(id)) return;
  translate(types_->at(id).words());
  if (!unknown_.empty()) {
    close_cycles();
    translate(types_->at(id).words());
  }
  uint32_t type_class = class_of(id);
  if (is_class(type_class))
    table_.define(type_class, form_);
  else
    type_class = intern_form();
  set_class(id, type_class);
}

/// Reserves classes for the open types that the type at hand refers to.
void Canonicalizer::close_cycles() {
  for (uint32_t child : unknown_)
    if (class_of(child) == open_bit) class_of(child) = table_.reserve();
}

Error Canonicalizer::omission_error() {
  for (uint32_t id = first_id_; id < btf_->end_id(); ++id) {
    if (class_of(id) == omitted_class) continue;
    uint32_t missing = 0;
    for_each_reference(btf_->type(id).words(), [&](uint32_t child) {
      if (child >= first_id_ && class_of(child) == omitted_class) missing = child;
    });
    if (missing != 0)
      return {describe_type(*btf_, id) + ": refers to " + describe_type(*btf_, missing) +
              ", which is left out"};
  }
  return {};
}

}  // namespace bpflink
