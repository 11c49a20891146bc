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
// a type is expected to be of the class that came last time after the class of
// the type before it, be that in this input or in one before. Where it is not, a
// table of guesses may know a class that begins with the same words. To compare a
// type with the form of a class (follow.cpp) needs neither a form of its own nor a
// hash. In a kernel nine types of ten are as expected, and two thirds of the
// others are as guessed.
//
// Most of the words of a large input are string offsets that are compared with
// the table's. So that they can be compared as they are, the table takes the
// strings of a large first input with their offsets.
#include "dedup/classes/canonicalize.hpp"

#include <algorithm>
#include <bit>

#include "dedup/classes/large_inputs.hpp"

namespace bpflink {

namespace {

/// After how many types the caller hears what is done; some 5 MB.
constexpr uint32_t consumed_interval = 1 << 17;

/// How many guesses are kept at most, a power of two.
constexpr size_t most_guesses = 1 << 17;

/// How many words ahead to ask the memory for: more than a unit has, as types
/// refer to others all over it.
constexpr size_t prefetch_distance = 1 << 14;

/// How many types an input must have for first occurrences to be noted.
constexpr size_t least_types_for_firsts = large_from(1 << 14);

/// How large an input must be for its strings to be taken as they are.
constexpr size_t least_words_to_adopt = large_from(1 << 18);

/// Whether a type is what only tags and DATASECs refer to.
bool is_function_or_object(const uint32_t* words) {
  return kind_of(words) == BTF_KIND_FUNC || is_object(words);
}

}  // namespace

std::shared_ptr<const AdoptedStrings> adopt_strings(const Btf& btf) {
  bool is_split = btf.strings().size() != btf.string_end();
  if (is_split || type_section(btf).words.size() < least_words_to_adopt) return nullptr;
  return std::make_shared<const AdoptedStrings>(btf.strings());
}

std::expected<void, Error> Canonicalizer::run(const Btf& btf,
                                              std::span<const uint32_t> base_classes,
                                              std::span<uint32_t> classes, Checks checks) {
  start(btf, base_classes, classes, checks,
        table_.strings().is_empty() ? adopt_strings(btf) : nullptr);
  assign_range(first_id_, types_->end_id());
  if (omission_ && must_check_) return std::unexpected(Error{});  // ids may be out of range
  if (omission_) return std::unexpected(omission_error());
  return {};
}

void Canonicalizer::start(const Btf& btf, std::span<const uint32_t> base_classes,
                          std::span<uint32_t> classes, Checks checks,
                          std::shared_ptr<const AdoptedStrings> strings) {
  attach(btf, base_classes, classes);
  must_check_ = checks == Checks::to_do;
  is_invalid_ = is_strange_ = false;
  tags_.clear();
  history_.resize(table_.class_count());
  begin_to_see(classes.size());
  objects_.clear();
  size_t expected_classes = std::max<size_t>(table_.class_count(), types_->starts.size());
  if (guesses_.size() < std::min(expected_classes, most_guesses))
    guesses_.assign(std::min(std::bit_ceil(2 * expected_classes), most_guesses), 0);
  patience_ = 4 * types_->words.size();
  history_.reserve(table_.expect(types_->words.size()));
  omission_ = false;
  if (strings && table_.strings().is_empty()) adopt(std::move(strings));
}

/// Begins to note what there is in an input of so many types.
void Canonicalizer::begin_to_see(size_t types) {
  ++run_;
  classes_seen_.clear();
  firsts_.clear();
  has_firsts_ = types >= least_types_for_firsts;
}

/// Makes the strings of the input at hand those of the table, which has none.
void Canonicalizer::adopt(std::shared_ptr<const AdoptedStrings> strings) {
  adopted_ = strings.get();
  adopted_end_ = strings->size();
  table_.strings().adopt(std::move(strings));
}

/// Asks the memory for what will be read some time after a type.
inline void Canonicalizer::prefetch(uint32_t id) const {
  size_t at = types_->starts[id - first_id_] + prefetch_distance;
  if (at < types_->words.size()) __builtin_prefetch(&types_->words[at]);
}

/// Gives a type its class, which comes after one with this history: the class that came
/// there last time, the one that came there before that, or one that is searched for.
/// Returns the class, or 0 if the type has none.
inline uint32_t Canonicalizer::assign_after(History before, uint32_t id) {
  if (unify_if_like(id, before.next)) return before.next;
  if (unify_if_like(id, before.other)) return before.other;
  search(id);
  history_.resize(table_.class_count());
  bool is_done = !omission_ && !is_invalid_ && is_class(class_of(id));
  return is_done ? class_of(id) : 0;
}

void Canonicalizer::assign_range(uint32_t begin, uint32_t end) {
  uint32_t before = 0;
  uint32_t consumed = begin;
  for (uint32_t id = begin; id < end; ++id) {
    if (id % consumed_interval == 0) report_consumed(consumed, id);
    prefetch(id);
    uint32_t known = class_of(id);
    if (!is_class(known)) {
      if (known == omitted_class) continue;
      known = assign_after(history_[before], id);
      if (known == 0) return;
    }
    note(before, id, known);
    before = known;
  }
  report_consumed(consumed, end);
}

/// Notes the class of a type, which comes after one of the class `before`.
inline void Canonicalizer::note(uint32_t before, uint32_t id, uint32_t type_class) {
  History& history = history_[before];
  if (history.next == type_class && history.next_run == run_) return;
  if (!table_.is_local(type_class)) {
    if (history.next != type_class) history.other = std::exchange(history.next, type_class);
    history.next_run = run_;
  }
  if (sees_ && history_[type_class].run != run_) see(type_class, id - first_id_);
}

void Canonicalizer::see(uint32_t type_class, uint32_t index) {
  history_[type_class].run = run_;
  classes_seen_.push_back(type_class);
  if (has_firsts_) firsts_.push_back(index);
}

void Canonicalizer::see_all(std::span<const uint32_t> classes) {
  begin_to_see(classes.size());
  history_.resize(table_.class_count());
  for (uint32_t index = 0; index < classes.size(); ++index) {
    uint32_t type_class = classes[index];
    if (type_class != omitted_class && history_[type_class].run != run_) see(type_class, index);
  }
}

size_t Canonicalizer::forget_seen() {
  ++run_;
  return classes_seen_.size();
}

void Canonicalizer::see(const Canonicalizer& other, size_t begin, size_t end,
                        std::span<const uint32_t> classes) {
  history_.resize(table_.class_count());
  for (size_t i = begin; i < end; ++i) {
    uint32_t type_class = classes[other.classes_seen_[i]];
    if (history_[type_class].run != run_) see(type_class, other.firsts_[i]);
  }
}

/// Tells the caller that the types from `begin` to before `end` are done.
void Canonicalizer::report_consumed(uint32_t& begin, uint32_t end) {
  if (!consumed_ || begin >= end) return;
  uint32_t first = types_->starts[begin - first_id_];
  uint32_t last = types_->starts[end - first_id_];
  consumed_(std::as_bytes(types_->words.subspan(first, last - first)));
  begin = end;
}

void Canonicalizer::attach(const Btf& btf, std::span<const uint32_t> base_classes,
                           std::span<uint32_t> classes) {
  btf_ = &btf;
  types_ = &type_section(btf);
  first_id_ = btf.first_id();
  base_classes_ = base_classes;
  classes_ = classes;
  for (uint32_t offset : known_strings_) strings_[offset] = 0;
  known_strings_.clear();
  string_end_ = btf.string_end();
  if (strings_.size() < string_end_)
    strings_ = ZeroedWords(std::max<size_t>(string_end_, 2 * strings_.size()));
  text_ = btf.strings().data();
  text_base_ = btf.string_end() - static_cast<uint32_t>(btf.strings().size());
  adopted_end_ = 1;
  adopted_ = nullptr;
}

void Canonicalizer::release() {
  history_ = std::vector<History>();
  guesses_ = std::vector<uint32_t>();
  classes_seen_ = std::vector<uint32_t>();
  strings_ = ZeroedWords();
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

uint32_t Canonicalizer::intern_string(uint32_t offset) {
  uint32_t known = table_.strings().intern(text(offset));
  note_string(offset, known);
  return known;
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

/// Gives classes to a type and to all that it refers to without naming them.
void Canonicalizer::search(uint32_t root) {
  stack_.push_back({root});
  while (!stack_.empty() && !omission_ && !is_invalid_) {
    Frame& frame = stack_.back();
    uint32_t known = class_of(frame.id);
    bool is_reserved = is_class(known) && table_.is_reserved(known);
    bool is_done =
        !is_reserved && (is_class(known) || (!frame.is_expanded && unify_with_guess(frame)));
    if (is_done) {
      stack_.pop_back();
    } else if (!frame.is_expanded) {
      if (must_check_) check(frame.id);
      if (!is_invalid_) expand(frame);
    } else {
      assign(frame);
      stack_.pop_back();
    }
  }
  stack_.clear();
}

/// Checks what a type that is not plainly equal to another refers to.
void Canonicalizer::check(uint32_t id) {
  std::span<const uint32_t> words = types_->at(id).words();
  for_each_string(words, [&](uint32_t offset) { is_invalid_ |= offset >= string_end_; });
  uint8_t kind = kind_of(words.data());
  bool takes_any = kind == BTF_KIND_DECL_TAG || kind == BTF_KIND_DATASEC;
  for_each_reference(words, [&](uint32_t child) {
    if (child >= types_->end_id())
      is_invalid_ = true;
    else if (!takes_any && child >= first_id_)
      is_strange_ |= is_function_or_object(words_of(child));
  });
  // How many components a tag's target has may depend on ids that were not checked yet.
  if (kind == BTF_KIND_DECL_TAG) tags_.push_back(id);
  if (kind == BTF_KIND_FUNC || kind == BTF_KIND_DATASEC)
    is_invalid_ = is_invalid_ || !check_demands(*btf_, id);
}

bool Canonicalizer::check_rest(std::span<const uint32_t> omitted) {
  for (size_t i = 0; i < omitted.size() && !is_invalid_; ++i) check(omitted[i]);
  return !is_invalid_ && std::ranges::all_of(tags_, [&](uint32_t id) {
    return check_demands(*btf_, id).has_value();
  });
}

void Canonicalizer::take_checks(const Canonicalizer& other) {
  is_invalid_ |= other.is_invalid_;
  tags_.insert(tags_.end(), other.tags_.begin(), other.tags_.end());
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
    if (reference(child) == unknown_reference && class_of(child) == 0) stack_.push_back({child});
  });
}

/// Gives a type its class when those that it refers to have theirs.
void Canonicalizer::assign(const Frame& frame) {
  std::span<const uint32_t> words = types_->at(frame.id).words();
  translate(words);
  if (!unknown_.empty()) {
    close_cycles();
    translate(words);
  }
  uint32_t& type_class = class_of(frame.id);
  if (is_class(type_class)) {
    table_.define(type_class, form_);
    return;
  }
  type_class = intern_form(frame.id);
  if (frame.summary != 0) guesses_[frame.summary >> 1 & (guesses_.size() - 1)] = type_class;
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
