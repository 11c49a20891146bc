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
#include "dedup/canonicalize.hpp"

#include <algorithm>

#include "dedup/btf_check.hpp"

namespace bpflink {

namespace {

/// Stands for the class of a type whose references are being followed.
constexpr uint32_t open_class = UINT32_MAX - 1;

class Canonicalizer {
 public:
  Canonicalizer(const CanonicalizeJob& job, TypeTable& table)
      : btf_(*job.btf),
        first_id_(job.btf->first_id()),
        base_classes_(job.base_classes),
        classes_(job.classes),
        table_(table),
        strings_(btf_.string_end()) {}

  std::expected<void, Error> run() {
    for (uint32_t id = first_id_; id < btf_.end_id() && !failure_; ++id) {
      if (class_of(id) != 0) continue;
      if (!try_assign(id)) search(id);
    }
    if (failure_) return std::unexpected(Error{failure_message()});
    return {};
  }

 private:
  uint32_t& class_of(uint32_t id) { return classes_[id - first_id_]; }

  /// The table's offset of a string of the input.
  uint32_t string(uint32_t offset) {
    uint32_t& known = strings_[offset];
    if (known == 0 && offset != 0) known = table_.strings().intern(btf_.string(offset));
    return known;
  }

  /// The reference to a type that is not open, as far as it is known without
  /// following others; 0 if it is not (or if the id is void's).
  Reference reference(uint32_t id) {
    if (id < first_id_) return id == 0 ? 0 : table_.reference_to(base_classes_[id]);
    uint32_t known = class_of(id);
    if (known == omitted_class) failure_ = true;
    if (known != 0 && known < open_class) return table_.reference_to(known);
    const uint32_t* words = btf_.type(id).words().data();
    TagSpace space = tag_space(words);
    if (space == TagSpace::none) return 0;
    uint32_t name = string(words[0]);
    return name == 0 ? 0 : anchor_bit | table_.intern_anchor(space, name);
  }

  /// Writes the canonical form of a type; the references that are not known go
  /// to `unknown_` as ids. Returns whether all are known.
  bool canonicalize(uint32_t id);

  bool try_assign(uint32_t id) {
    unknown_.clear();
    if (!canonicalize(id)) return false;
    intern(id);
    return true;
  }

  void intern(uint32_t id);
  void search(uint32_t root);
  void close_cycles();
  std::string failure_message();

  const Btf& btf_;
  uint32_t first_id_;
  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  TypeTable& table_;
  std::vector<uint32_t> strings_;  ///< the table's offset by the input's
  std::vector<uint32_t> form_;
  std::vector<uint32_t> unknown_;
  std::vector<uint32_t> stack_;
  bool failure_ = false;
};

bool Canonicalizer::canonicalize(uint32_t id) {
  std::span<const uint32_t> words = btf_.type(id).words();
  form_.assign(words.begin(), words.end());
  for_each_string(std::span(form_), [&](uint32_t& offset) { offset = string(offset); });
  for_each_reference(std::span(form_), [&](uint32_t& child) {
    Reference known = reference(child);
    if (known == 0 && child != 0) unknown_.push_back(child);
    child = known;
  });
  return unknown_.empty();
}

void Canonicalizer::intern(uint32_t id) {
  uint8_t kind = kind_of(form_.data());
  // A variable is an object, not a type: two of one name are two variables.
  bool is_object = kind == BTF_KIND_VAR || kind == BTF_KIND_DATASEC;
  class_of(id) = is_object ? table_.add(form_) : table_.intern(form_);
}

void Canonicalizer::search(uint32_t root) {
  stack_.assign(1, root);
  while (!stack_.empty() && !failure_) {
    uint32_t id = stack_.back();
    uint32_t known = class_of(id);
    bool is_open = known == open_class || (known != 0 && table_.is_reserved(known));
    if (known != 0 && !is_open) {
      stack_.pop_back();
      continue;
    }
    unknown_.clear();
    bool complete = canonicalize(id);
    if (!complete && !is_open) {
      class_of(id) = open_class;
      for (uint32_t child : unknown_)
        if (class_of(child) == 0) stack_.push_back(child);
      continue;
    }
    if (!complete) {
      close_cycles();
      canonicalize(id);
    }
    known = class_of(id);
    if (known != 0 && known < open_class)
      table_.define(known, form_);
    else
      intern(id);
    stack_.pop_back();
  }
}

/// Reserves classes for the open types that the type at hand refers to.
void Canonicalizer::close_cycles() {
  for (uint32_t child : unknown_)
    if (class_of(child) == open_class) class_of(child) = table_.reserve();
}

std::string Canonicalizer::failure_message() {
  for (uint32_t id = first_id_; id < btf_.end_id(); ++id) {
    if (class_of(id) == omitted_class) continue;
    uint32_t missing = 0;
    for_each_reference(btf_.type(id).words(), [&](uint32_t child) {
      if (child >= first_id_ && class_of(child) == omitted_class) missing = child;
    });
    if (missing != 0)
      return describe_type(btf_, id) + ": refers to " + describe_type(btf_, missing) +
             ", which is left out";
  }
  return {};
}

}  // namespace

std::expected<void, Error> canonicalize(const CanonicalizeJob& job, TypeTable& table) {
  return Canonicalizer(job, table).run();
}

}  // namespace bpflink
