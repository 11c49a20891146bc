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
// Units that include the same headers have the same types in the same order. So
// where an input is made of many units, a type is expected to be like the one
// that followed the last occurrence of the type before it, and what it refers to
// like what that one refers to. Comparing these two, which are the input's own
// words, needs no form, no hash and no lookup, and nothing that is far away in
// memory. In a kernel nine types of ten are as expected.
#include "dedup/canonicalize.hpp"

#include <algorithm>

namespace bpflink {

namespace {

// What stands for a class that is not known yet: 0, or any of these bits.
/// The types that this one refers to are being looked at.
constexpr uint32_t open_bit = 0x20000000;
/// The type is an anchor; which one, the bits below open_bit tell.
constexpr uint32_t is_anchor_bit = 0x40000000;

/// After how many types the caller hears what is done; some 5 MB.
constexpr uint32_t consumed_interval = 1 << 17;

/// Stands for a reference that is not known yet; equals none in a form.
constexpr Reference unknown_reference = UINT32_MAX;

bool is_class(uint32_t known) {
  return known != 0 && known < open_bit;
}

}  // namespace

std::expected<void, Error> Canonicalizer::run(const Btf& btf,
                                              std::span<const uint32_t> base_classes,
                                              std::span<uint32_t> classes) {
  start(btf, base_classes, classes);
  assign_range(first_id_, types_->end_id());
  if (omission_) return std::unexpected(omission_error());
  return {};
}

void Canonicalizer::start(const Btf& btf, std::span<const uint32_t> base_classes,
                          std::span<uint32_t> classes) {
  attach(btf, base_classes, classes);
  classes_seen_.clear();
  objects_.clear();
  ++run_;
  omission_ = false;
}

void Canonicalizer::assign_range(uint32_t begin, uint32_t end) {
  uint32_t expected = 0;
  uint32_t consumed = begin;
  for (uint32_t id = begin; id < end && !omission_; ++id) {
    uint32_t known = class_of(id);
    if (known == omitted_class) continue;
    before_ = 0;
    if (!is_class(known)) search(id, is_expected(expected, id) ? expected : 0);
    // As expected, or else known from elsewhere, or else new: then what was
    // expected may come next.
    if (is_expected(expected, id) && class_of(expected) == class_of(id))
      ++expected;
    else if (before_ != 0)
      expected = before_ + 1;
    if (id % consumed_interval == 0 && consumed_) report_consumed(consumed, id);
  }
}

/// Reports the types from `begin` on that are well before `end`: those right
/// before it are compared with the next.
void Canonicalizer::report_consumed(uint32_t& begin, uint32_t end) {
  if (end < begin + 2 * consumed_interval) return;
  uint32_t first = types_->starts[begin - first_id_];
  begin = end - consumed_interval;
  uint32_t last = types_->starts[begin - first_id_];
  consumed_(std::as_bytes(types_->words.subspan(first, last - first)));
}

/// Whether a type can be compared with the one that is expected to be like it.
bool Canonicalizer::is_expected(uint32_t expected, uint32_t id) {
  return expected != 0 && expected < id && is_class(class_of(expected));
}

void Canonicalizer::attach(const Btf& btf, std::span<const uint32_t> base_classes,
                           std::span<uint32_t> classes) {
  btf_ = &btf;
  types_ = &type_section(btf);
  first_id_ = btf.first_id();
  base_classes_ = base_classes;
  classes_ = classes;
  strings_ = ZeroedWords(btf.string_end());
}

void Canonicalizer::localize(std::span<const uint32_t> ids) {
  // An object has a class of its own already.
  for (uint32_t id : ids)
    if (!is_object(types_->at(id).words().data())) class_of(id) = table_.reserve();
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

/// Compares the types that two types refer to. Where that depends on a type
/// without class, notes which.
inline Canonicalizer::Match Canonicalizer::match_reference(uint32_t id, uint32_t other) {
  if (id == other) return Match::yes;
  if (id < first_id_ || other < first_id_)
    return reference(id) == reference(other) ? Match::yes : Match::no;
  uint32_t known = class_of(id);
  uint32_t model = class_of(other);
  if (known == model && is_class(known)) return Match::yes;
  return match_unequal(id, other);
}

/// As match_reference(), for types that are not already of the same class.
Canonicalizer::Match Canonicalizer::match_unequal(uint32_t id, uint32_t other) {
  Reference model = reference(other);
  if (model == unknown_reference) return Match::no;
  if (class_of(id) != 0) return reference(id) == model ? Match::yes : Match::no;
  const uint32_t* words = types_->at(id).words().data();
  const uint32_t* other_words = types_->at(other).words().data();
  if (model & anchor_bit) {
    if (words[0] != other_words[0] || tag_space(words) != tag_space(other_words))
      return reference(id) == model ? Match::yes : Match::no;
    class_of(id) = is_anchor_bit | (model & ~anchor_bit);
    return Match::yes;
  }
  if (words[0] != other_words[0] || words[1] != other_words[1]) return Match::no;
  wanted_ = {id, other};
  return Match::unknown;
}

/// Compares the elements of two types from `frame.next` on.
template <int Words, int Name, int Type>
Canonicalizer::Match Canonicalizer::match_elements(std::span<const uint32_t> words,
                                                   std::span<const uint32_t> others, Frame& frame) {
  for (size_t i = frame.next; i < words.size(); i += Words) {
    for (int w = 0; w < Words; ++w)
      if (w != Type && words[i + w] != others[i + w]) return Match::no;
    Match match = match_reference(words[i + Type], others[i + Type]);
    if (match == Match::yes) continue;
    frame.next = static_cast<uint32_t>(i);
    return match;
  }
  return Match::yes;
}

/// Compares what all types have, which is done once, before any elements.
Canonicalizer::Match Canonicalizer::match_common(std::span<const uint32_t> words,
                                                 std::span<const uint32_t> others) {
  if (words.size() != others.size() || words[0] != others[0] || words[1] != others[1])
    return Match::no;
  if (kind_shape(kind_of(words.data())).refers) return match_reference(words[2], others[2]);
  return words[2] == others[2] ? Match::yes : Match::no;
}

/// Compares the type of a frame with the one that it is expected to be like,
/// going on where that stopped the last time.
Canonicalizer::Match Canonicalizer::match(Frame& frame) {
  std::span<const uint32_t> words = types_->at(frame.id).words();
  std::span<const uint32_t> others = types_->at(frame.expected).words();
  if (frame.next == 0) {
    if (Match common = match_common(words, others); common != Match::yes) return common;
    frame.next = common_words;
  }
  switch (kind_of(words.data())) {
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return match_elements<3, 0, 1>(words, others, frame);
    case BTF_KIND_FUNC_PROTO:
      return match_elements<2, 0, 1>(words, others, frame);
    case BTF_KIND_ARRAY: {
      if (words[5] != others[5]) return Match::no;
      Match element = match_reference(words[3], others[3]);
      return element == Match::yes ? match_reference(words[4], others[4]) : element;
    }
    case BTF_KIND_VAR:
    case BTF_KIND_DATASEC:
      return Match::no;  // these are never equal
    default:
      return std::equal(words.begin() + common_words, words.end(), others.begin() + common_words)
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

uint32_t Canonicalizer::intern_form(uint32_t id) {
  if (!is_object(form_.data())) return table_.intern(form_);
  uint32_t type_class = table_.add(form_);
  objects_.push_back({id, type_class});
  return type_class;
}

void Canonicalizer::see(std::span<const uint32_t> classes) {
  occurrences_.resize(table_.class_count());
  for (uint32_t c : classes) {
    if (c == 0 || occurrences_[c].run == run_) continue;
    occurrences_[c] = {run_, 0};
    classes_seen_.push_back(c);
  }
}

void Canonicalizer::set_class(uint32_t id, uint32_t type_class) {
  class_of(id) = type_class;
  if (occurrences_.size() < table_.class_count()) occurrences_.resize(table_.class_count());
  Occurrence& last = occurrences_[type_class];
  before_ = last.run == run_ ? last.id : 0;
  if (before_ == 0) classes_seen_.push_back(type_class);
  last = {run_, id};
}

/// Gives classes to a type, which may be like the one expected (0 for none), and
/// to all that it refers to without naming them.
void Canonicalizer::search(uint32_t root, uint32_t expected) {
  stack_.push_back({root, expected, 0, false});
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
      set_class(frame.id, class_of(frame.expected));
      stack_.pop_back();
      return;
    case Match::no:
      frame.expected = 0;
      return;
    case Match::unknown:
      open_like(frame.id, frame.expected);
      stack_.push_back({wanted_.id, wanted_.expected, 0, false});
  }
}

void Canonicalizer::open(uint32_t id) {
  if (is_class(class_of(id))) return;  // a class is reserved for it already
  reference(id);                       // so that the mark says which anchor it is, if it is one
  class_of(id) |= open_bit;
}

/// As open(), for a type that has the name and kind of another.
void Canonicalizer::open_like(uint32_t id, uint32_t other) {
  if (class_of(id) != 0) return open(id);
  Reference model = reference(other);
  class_of(id) = open_bit | (model & anchor_bit ? is_anchor_bit | (model & ~anchor_bit) : 0);
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
    type_class = intern_form(id);
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
