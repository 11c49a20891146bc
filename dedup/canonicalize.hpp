// From the types of an input to classes of a TypeTable.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/btf_check.hpp"
#include "dedup/type_table.hpp"
#include "dedup/zeroed_words.hpp"

namespace bpflink {

/// What stands for the class of a type that was left out.
inline constexpr uint32_t omitted_class = UINT32_MAX;

/// Gives the types of one input after the other their classes in one table.
class Canonicalizer {
 public:
  explicit Canonicalizer(TypeTable& table) : table_(table) {}

  /// To be called with parts of the input that assign_range() is done with.
  using Consumed = std::function<void(std::span<const std::byte>)>;
  void set_consumed(Consumed consumed) { consumed_ = std::move(consumed); }

  /// Fills in `classes`, which has an element for each type from
  /// `btf.first_id()` on: 0, or `omitted_class` where the type is left out.
  /// `base_classes` has one for each id of the base, from 1 on. Fails if a type that stays
  /// refers to one that is left out.
  std::expected<void, Error> run(const Btf& btf, std::span<const uint32_t> base_classes,
                                 std::span<uint32_t> classes);

  // run() in parts: to start, then to give the types with ids in a range their
  // classes, and to take classes for seen that others have given.
  void start(const Btf& btf, std::span<const uint32_t> base_classes, std::span<uint32_t> classes);
  void assign_range(uint32_t begin, uint32_t end);
  void see(std::span<const uint32_t> classes);

  /// Makes an input the one at hand without giving its types classes; they have
  /// theirs. For localize().
  void attach(const Btf& btf, std::span<const uint32_t> base_classes, std::span<uint32_t> classes);

  /// The classes of the types of the input at hand, each once, in order of
  /// first occurrence.
  const std::vector<uint32_t>& classes_seen() const { return classes_seen_; }

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
  uint32_t string(uint32_t offset);
  uint32_t intern_string(uint32_t offset);
  Reference reference(uint32_t id);
  Reference reference_to_unassigned(uint32_t id);

  /// A type that the search is at.
  struct Frame {
    uint32_t id;
    uint32_t expected;  ///< the type before it that it may be equal to, or 0
    uint32_t next;      ///< the word to compare next
    bool is_expanded;   ///< the types that it refers to are on the stack above
  };
  enum class Match { no, yes, unknown };

  Match match(Frame& frame);
  bool is_expected(uint32_t expected, uint32_t id);
  Match match_common(std::span<const uint32_t> words, std::span<const uint32_t> others);
  template <int Words, int Name, int Type>
  Match match_elements(std::span<const uint32_t> words, std::span<const uint32_t> others,
                       Frame& frame);
  Match match_reference(uint32_t id, uint32_t other);
  Match match_unequal(uint32_t id, uint32_t other);

  void search(uint32_t root, uint32_t expected);
  void try_expected(Frame& frame);
  void open(uint32_t id);
  void open_like(uint32_t id, uint32_t other);
  void expand(Frame& frame);
  void assign(uint32_t id);
  void translate(std::span<const uint32_t> words);
  uint32_t intern_form(uint32_t id);
  void set_class(uint32_t id, uint32_t type_class);
  void close_cycles();
  Error omission_error();

  void report_consumed(uint32_t& begin, uint32_t end);

  TypeTable& table_;
  Consumed consumed_;
  /// By class: the last type of it, and the run that this type was in.
  struct Occurrence {
    uint32_t run;
    uint32_t id;
  };
  std::vector<Occurrence> occurrences_;
  uint32_t run_ = 0;
  uint32_t before_ = 0;  ///< the occurrence before that of the class given last

  // The input at hand.
  const Btf* btf_ = nullptr;
  const TypeSection* types_ = nullptr;
  uint32_t first_id_ = 1;
  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  ZeroedWords strings_;  ///< the table's offset by the input's, 0 if not yet known
  std::vector<uint32_t> classes_seen_;
  std::vector<Object> objects_;
  bool omission_ = false;

  // The type at hand.
  std::vector<uint32_t> form_;
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
  struct {
    uint32_t id;
    uint32_t expected;
  } wanted_{};  ///< the type that a match depends on, and which it should equal
  std::vector<Frame> stack_;
};

}  // namespace bpflink
