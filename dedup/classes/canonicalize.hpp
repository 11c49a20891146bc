// From the types of an input to classes of a TypeTable.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/zeroed_array.hpp"
#include "dedup/format/adopted_strings.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

/// What stands for the class of a type that was left out.
inline constexpr uint32_t omitted_class = UINT32_MAX;

// What stands for a class that is not known yet: 0, or any of these bits.
/// The types that this one refers to are being looked at.
inline constexpr uint32_t open_bit = 0x20000000;
/// The type is an anchor; which one, the bits below open_bit tell.
inline constexpr uint32_t is_anchor_bit = 0x40000000;

/// Stands for a reference that is not known yet; equals none in a form.
inline constexpr Reference unknown_reference = UINT32_MAX;

inline bool is_class(uint32_t known) {
  return known - 1 < open_bit - 1;
}

/// Whether the ids and string offsets of an input have been checked, or will be as
/// they are met.
enum class Checks { done, to_do };

/// The strings of an input for a table to begin with, where the input is so large that it
/// is worth that; else null.
std::shared_ptr<const AdoptedStrings> adopt_strings(const Btf& btf);

/// Gives the types of one input after the other their classes in one table.
class Canonicalizer {
 public:
  explicit Canonicalizer(TypeTable& table) : table_(table) {}

  /// Not to note the classes of an input, for who does not ask for classes_seen().
  void see_nothing() { sees_ = false; }

  /// To be called with parts of the input that assign_range() is done with.
  using Consumed = std::function<void(std::span<const std::byte>)>;
  void set_consumed(Consumed consumed) { consumed_ = std::move(consumed); }

  /// Fills in `classes`, which has an element for each type from
  /// `btf.first_id()` on: 0, or `omitted_class` where the type is left out.
  /// `base_classes` has one for each id of the base, from 1 on. Fails if a type that stays
  /// refers to one that is left out.
  std::expected<void, Error> run(const Btf& btf, std::span<const uint32_t> base_classes,
                                 std::span<uint32_t> classes, Checks checks = Checks::done);

  // run() in parts: to start, then to give the types with ids in a range their
  // classes, and to take for seen what `other` has seen in the same input after
  // that; `classes` are this table's by the other's. What was seen can be forgotten,
  // for it to be seen again; returns how much that is. A table without strings begins
  // with those of the input if it gets them: `strings` is what adopt_strings() has made.
  void start(const Btf& btf, std::span<const uint32_t> base_classes, std::span<uint32_t> classes,
             Checks checks, std::shared_ptr<const AdoptedStrings> strings);
  void assign_range(uint32_t begin, uint32_t end);
  size_t forget_seen();
  void see(const Canonicalizer& other, size_t begin, size_t end, std::span<const uint32_t> classes);

  /// Takes for seen what run() would see in an input whose types have these classes.
  void see_all(std::span<const uint32_t> classes);

  /// Whether there was something wrong in an input whose checks were to do. Its
  /// classes then mean nothing.
  bool is_invalid() const { return is_invalid_; }
  /// Whether such an input has types that refer to FUNCs, VARs or DATASECs and should not.
  bool is_strange() const { return is_strange_; }
  /// Checks the `omitted` types of such an input, and the demands of tags. Returns whether
  /// the whole input is in order then.
  bool check_rest(std::span<const uint32_t> omitted);
  /// Adds what another's checks of the same input have found.
  void take_checks(const Canonicalizer& other);

  /// Makes an input the one at hand without giving its types classes; they have
  /// theirs. For localize().
  void attach(const Btf& btf, std::span<const uint32_t> base_classes, std::span<uint32_t> classes);

  /// Whether this input is the one at hand.
  bool is_at(const Btf& btf, std::span<const uint32_t> classes) const {
    return btf_ == &btf && classes_.data() == classes.data();
  }

  /// Frees most memory, for when there are no more inputs.
  void release();

  /// The classes of the types of the input at hand, each once, in order of
  /// first occurrence.
  const std::vector<uint32_t>& classes_seen() const { return classes_seen_; }
  /// Where in the classes of the input at hand each of them stands for the first time; empty
  /// for small inputs.
  const std::vector<uint32_t>& firsts() const { return firsts_; }

  /// The objects among the types of the input at hand, with their classes.
  struct Object {
    uint32_t id;
    uint32_t type_class;
  };
  const std::vector<Object>& objects() const { return objects_; }

  /// Gives these types of the input at hand classes of their own, which refer to
  /// each other as classes instead of by name.
  void localize(std::span<const uint32_t> ids);

 private:
  uint32_t& class_of(uint32_t id) { return classes_[id - first_id_]; }
  const char* text(uint32_t offset) const;
  bool is_same(uint32_t offset) const;
  uint32_t string(uint32_t offset);
  uint32_t reject() {
    is_invalid_ = true;
    return 0;
  }
  uint32_t intern_string(uint32_t offset);
  void note_string(uint32_t offset, uint32_t known) {
    strings_[offset] = known;
    known_strings_.push_back(offset);
  }
  Reference reference(uint32_t id);
  Reference reference_to_unassigned(uint32_t id);

  const uint32_t* words_of(uint32_t id) const {
    return types_->words.data() + types_->starts[id - first_id_];
  }

  // Comparison with classes that are known, in follow.cpp.
  void prefetch(uint32_t id) const;
  struct Known;
  bool unify_if_like(uint32_t id, uint32_t type_class);
  bool unify(uint32_t id, uint32_t type_class);
  bool confirm();
  bool is_like(const uint32_t* words, const uint32_t* form);
  template <int Words, int Name, int Type>
  bool accept_elements(const uint32_t* words, const uint32_t* form);
  bool accept_string(uint32_t offset, uint32_t wanted);
  bool accept_other_string(uint32_t offset, uint32_t wanted);
  bool accept(uint32_t id, Reference wanted);
  bool accept_other(uint32_t id, Reference wanted);
  bool accept_outside(uint32_t id, Reference wanted);
  bool accept_unassigned(uint32_t id, Reference wanted);
  bool accept_anchor(uint32_t id, uint32_t anchor);
  bool assume(uint32_t id, uint32_t type_class);
  void make_room_to_assume();
  uint32_t summarize(std::span<const uint32_t> words);
  uint64_t summarize_reference(uint32_t id);

  /// A type that the search is at.
  struct Frame {
    uint32_t id;
    bool is_expanded = false;  ///< the types that it refers to are on the stack above
    uint32_t summary = 0;      ///< what it says, or 0 if no guess is made
  };
  void search(uint32_t root);
  bool unify_with_guess(Frame& frame);
  void open(uint32_t id);
  void expand(Frame& frame);
  void assign(const Frame& frame);
  void translate(std::span<const uint32_t> words);
  uint32_t intern_form(uint32_t id);
  void close_cycles();
  Error omission_error();

  void check(uint32_t id);
  void adopt(std::shared_ptr<const AdoptedStrings> strings);
  void begin_to_see(size_t types);
  void note(uint32_t before, uint32_t id, uint32_t type_class);
  void see(uint32_t type_class, uint32_t index);
  void report_consumed(uint32_t& begin, uint32_t end);

  TypeTable& table_;
  Consumed consumed_;
  /// What the types so far, of all inputs, tell of a class.
  struct alignas(16) History {
    uint32_t next = 0;      ///< the class of the type after the last one of this, or 0
    uint32_t next_run = 0;  ///< the last input where it was that one
    uint32_t other = 0;     ///< the class that it was before that
    uint32_t run = 0;       ///< the last input that had types of it
  };
  /// By class; of 0, `next` is the class of the first type of the last input.
  std::vector<History> history_{1};
  /// By some bits of a summary of what a type says: the class of the last such
  /// type that was not as expected, or 0.
  std::vector<uint32_t> guesses_;
  uint32_t run_ = 0;

  uint32_t assign_after(History before, uint32_t id);

  // The input at hand.
  const Btf* btf_ = nullptr;
  const TypeSection* types_ = nullptr;
  uint32_t first_id_ = 1;
  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  ZeroedWords strings_;      ///< the table's offset by the input's, 0 if not yet known
  uint32_t string_end_ = 0;  ///< of the input's offsets
  /// The offsets whose element of `strings_` is not 0: few of many inputs' elements are
  /// used, and to forget these takes less than to fill all with 0.
  std::vector<uint32_t> known_strings_;
  const char* text_ = nullptr;  ///< its strings, without those of a base
  uint32_t text_base_ = 0;      ///< the offset of the first of these
  /// The input's strings up to here are the table's, and have the same offsets,
  /// but for those that are there twice.
  uint32_t adopted_end_ = 1;
  const AdoptedStrings* adopted_ = nullptr;  ///< the table's, if that end is not 1
  std::vector<uint32_t> classes_seen_;
  std::vector<uint32_t> firsts_;
  bool sees_ = true;
  bool has_firsts_ = false;  ///< where they are wanted
  std::vector<Object> objects_;
  bool omission_ = false;
  bool must_check_ = false;
  bool is_invalid_ = false;
  bool is_strange_ = false;
  std::vector<uint32_t> tags_;  ///< DECL_TAGs whose demands are still to be checked

  // The type at hand.
  std::vector<uint32_t> form_;
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
  /// A type that was given a class without a comparison yet.
  struct Assumption {
    uint32_t id;
    uint32_t type_class;
  };
  std::vector<Assumption> assumed_;
  size_t assumed_count_ = 0;  ///< how many of these there are at the moment
  size_t patience_ = 0;       ///< words that may yet be compared in vain
  std::vector<Frame> stack_;
};

/// A string of the input.
inline const char* Canonicalizer::text(uint32_t offset) const {
  return offset >= text_base_ ? text_ + (offset - text_base_) : btf_->string(offset).data();
}

/// Whether a string of the input has the same offset in the table.
inline bool Canonicalizer::is_same(uint32_t offset) const {
  return offset == 0 || (offset < adopted_end_ && adopted_->has(offset));
}

/// The table's offset of a string of the input.
inline uint32_t Canonicalizer::string(uint32_t offset) {
  if (is_same(offset)) return offset;
  if (offset >= string_end_) return reject();
  uint32_t known = strings_[offset];
  return known != 0 ? known : intern_string(offset);
}

/// As unify(), where the class may plainly be another, or 0.
inline bool Canonicalizer::unify_if_like(uint32_t id, uint32_t type_class) {
  return type_class != 0 && words_of(id)[1] == table_.form(type_class)[1] && unify(id, type_class);
}

/// The reference to a type, if it is known without following others.
inline Reference Canonicalizer::reference(uint32_t id) {
  if (id < first_id_) return id == 0 ? 0 : table_.reference_to(base_classes_[id - 1]);
  uint32_t known = class_of(id);
  if (is_class(known)) return table_.reference_to(known);
  return reference_to_unassigned(id);
}

}  // namespace bpflink
