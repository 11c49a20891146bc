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
// So the class that followed the last type's class before is expected next, and
// of the types that it refers to the classes that its form has. The search first
// tries these, by comparing types with forms word by word; only where that fails
// is a form written, hashed and looked up. In a kernel more than nine types of
// ten are as expected.
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
    if (!is_class(known) && known != omitted_class) search(id);
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

/// Whether a type that has no class yet is the anchor that a form refers to.
bool Canonicalizer::is_anchor(uint32_t id, Reference expected) {
  uint32_t& known = class_of(id);
  if (known != 0) return reference_to_unassigned(id) == expected;
  const uint32_t* words = types_->at(id).words().data();
  uint32_t anchor = expected & ~anchor_bit;
  if (tag_space(words) != table_.anchor_space(anchor) ||
      string(words[0]) != table_.anchor_name(anchor))
    return false;
  known = is_anchor_bit | anchor;
  return true;
}

/// Compares a reference with what the form at hand has in its place.
inline Canonicalizer::Match Canonicalizer::match_reference(uint32_t id, Reference expected) {
  if (id < first_id_) {
    Reference known = id == 0 ? 0 : table_.reference_to(base_classes_[id - 1]);
    return known == expected ? Match::yes : Match::no;
  }
  uint32_t known = class_of(id);
  if (is_class(known)) return table_.reference_to(known) == expected ? Match::yes : Match::no;
  if (expected & anchor_bit) return is_anchor(id, expected) ? Match::yes : Match::no;
  // Worth following only if it may still turn out to be of that class. What is
  // an anchor may not, and must not be waited for.
  if (known != 0 || expected == 0) return Match::no;
  return reference_to_unassigned(id) == unknown_reference ? Match::unknown : Match::no;
}

/// Compares the elements of a type with those of a form, from `frame.next` on.
/// Where that depends on a type without class, notes which.
template <int Words, int Name, int Type>
Canonicalizer::Match Canonicalizer::match_elements(std::span<const uint32_t> words,
                                                   std::span<const uint32_t> form, Frame& frame) {
  for (size_t i = frame.next; i < words.size(); i += Words) {
    const uint32_t* word = &words[i];
    const uint32_t* other = &form[i];
    if (Name >= 0 && string(word[0]) != other[0]) return Match::no;
    for (int w = std::max(Name, Type) + 1; w < Words; ++w)
      if (word[w] != other[w]) return Match::no;
    if (Type < 0) continue;
    Match match = match_reference(word[Type], other[Type]);
    if (match == Match::yes) continue;
    if (match == Match::unknown) wanted_ = {word[Type], other[Type]};
    frame.next = static_cast<uint32_t>(i);
    return match;
  }
  return Match::yes;
}

/// Compares what all types have, which is done once, before any elements.
Canonicalizer::Match Canonicalizer::match_common(std::span<const uint32_t> words,
                                                 std::span<const uint32_t> form) {
  if (words.size() != form.size() || words[1] != form[1]) return Match::no;
  if (string(words[0]) != form[0]) return Match::no;
  if (!kind_shape(kind_of(words.data())).refers)
    return words[2] == form[2] ? Match::yes : Match::no;
  Match match = match_reference(words[2], form[2]);
  if (match == Match::unknown) wanted_ = {words[2], form[2]};
  return match;
}

/// Compares the type of a frame with the form of the class that it is expected
/// to be of, going on where that stopped the last time.
Canonicalizer::Match Canonicalizer::match(Frame& frame) {
  std::span<const uint32_t> words = types_->at(frame.id).words();
  std::span<const uint32_t> form = table_.words(frame.expected);
  if (frame.next == 0) {
    if (Match common = match_common(words, form); common != Match::yes) return common;
    frame.next = common_words;
  }
  switch (kind_of(words.data())) {
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return match_elements<3, 0, 1>(words, form, frame);
    case BTF_KIND_FUNC_PROTO:
      return match_elements<2, 0, 1>(words, form, frame);
    case BTF_KIND_ENUM:
      return match_elements<2, 0, -1>(words, form, frame);
    case BTF_KIND_ENUM64:
      return match_elements<3, 0, -1>(words, form, frame);
    case BTF_KIND_ARRAY:
      if (frame.next == common_words) {
        Match match = match_reference(words[3], form[3]);
        if (match == Match::unknown) wanted_ = {words[3], form[3]};
        if (match != Match::yes) return match;
      }
      if (words[5] != form[5]) return Match::no;
      frame.next = common_words + 1;
      if (Match match = match_reference(words[4], form[4]); match != Match::unknown) return match;
      wanted_ = {words[4], form[4]};
      return Match::unknown;
    case BTF_KIND_VAR:
    case BTF_KIND_DATASEC:
      return Match::no;  // these are never equal
    default:
      return std::equal(words.begin() + common_words, words.end(), form.begin() + common_words)
                 ? Match::yes
                 : Match::no;
  }
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

/// Gives classes to a type and to all that it refers to without naming them.
void Canonicalizer::search(uint32_t root) {
  stack_.push_back({root, successors_[last_], 0, false});
  while (!stack_.empty() && !omission_) {
    Frame& frame = stack_.back();
    uint32_t known = class_of(frame.id);
    bool is_reserved = is_class(known) && table_.is_reserved(known);
    if (is_class(known) && !is_reserved) {
      stack_.pop_back();
    } else if (frame.expected != 0 && !is_reserved) {
      try_expected(frame);
    } else if (!frame.is_expanded) {
      expand(frame);
    } else {
      uint32_t id = frame.id;
      stack_.pop_back();
      assign(id);
    }
  }
  stack_.clear();
}

void Canonicalizer::try_expected(Frame& frame) {
  switch (match(frame)) {
    case Match::yes:
      set_class(frame.id, frame.expected);
      stack_.pop_back();
      return;
    case Match::no:
      frame.expected = 0;
      return;
    case Match::unknown:
      open(frame.id);
      stack_.push_back({wanted_.id, wanted_.expected, 0, false});
  }
}

void Canonicalizer::open(uint32_t id) {
  if (is_class(class_of(id))) return;  // a class is reserved for it already
  reference(id);                       // so that the mark says which anchor it is, if it is one
  class_of(id) |= open_bit;
}

/// Puts the types that a type refers to and that have no class on the stack.
void Canonicalizer::expand(Frame& frame) {
  frame.is_expanded = true;
  uint32_t id = frame.id;
  open(id);
  for_each_reference(types_->at(id).words(), [&](uint32_t child) {
    if (reference(child) == unknown_reference && class_of(child) == 0)
      stack_.push_back({child, 0, 0, false});
  });
}

/// Gives a type its class when those that it refers to have theirs.
void Canonicalizer::assign(uint32_t id) {
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
