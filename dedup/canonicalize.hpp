// From the types of an input to classes of a TypeTable.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/btf_check.hpp"
#include "dedup/type_table.hpp"

namespace bpflink {

/// What stands for the class of a type that was left out.
inline constexpr uint32_t omitted_class = UINT32_MAX;

/// Gives the types of one input after the other their classes in one table.
class Canonicalizer {
 public:
  explicit Canonicalizer(TypeTable& table) : table_(table), successors_(1), last_seen_(1) {}

  /// Fills in `classes`, which has an element for each type from
  /// `btf.first_id()` on: 0, or `omitted_class` where the type is left out.
  /// `base_classes` has one for each id of the base, from 1 on. Fails if a type that stays
  /// refers to one that is left out.
  std::expected<void, Error> run(const Btf& btf, std::span<const uint32_t> base_classes,
                                 std::span<uint32_t> classes);

  /// Makes an input the one at hand without giving its types classes; they have
  /// theirs. For localize().
  void attach(const Btf& btf, std::span<const uint32_t> base_classes, std::span<uint32_t> classes);

  /// The classes of the types of the input at hand, each once, in order of
  /// first occurrence.
  const std::vector<uint32_t>& classes_seen() const { return classes_seen_; }

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
    uint32_t expected;  ///< the class it may be of, or 0
    uint32_t next;      ///< the word to compare next
    bool is_expanded;   ///< the types that it refers to are on the stack above
  };
  enum class Match { no, yes, unknown };

  Match match(Frame& frame);
  Match match_common(std::span<const uint32_t> words, std::span<const uint32_t> form);
  template <int Words, int Name, int Type>
  Match match_elements(std::span<const uint32_t> words, std::span<const uint32_t> form,
                       Frame& frame);
  Match match_reference(uint32_t id, Reference expected);
  bool is_anchor(uint32_t id, Reference expected);

  void search(uint32_t root);
  void try_expected(Frame& frame);
  void open(uint32_t id);
  void expand(Frame& frame);
  void assign(uint32_t id);
  void translate(std::span<const uint32_t> words);
  uint32_t intern_form();
  void set_class(uint32_t id, uint32_t type_class);
  void close_cycles();
  Error omission_error();

  TypeTable& table_;
  /// By class: the class of the type that followed one of that class last time.
  std::vector<uint32_t> successors_;

  std::vector<uint32_t> last_seen_;  ///< by class: the last run that gave it
  uint32_t run_ = 0;

  // The input at hand.
  const Btf* btf_ = nullptr;
  const TypeSection* types_ = nullptr;
  uint32_t first_id_ = 1;
  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  std::vector<uint32_t> strings_;  ///< the table's offset by the input's, 0 if not yet known
  std::vector<uint32_t> classes_seen_;
  bool omission_ = false;
  uint32_t last_ = 0;  ///< the class that was given last

  // The type at hand.
  std::vector<uint32_t> form_;
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
  struct {
    uint32_t id;
    uint32_t expected;
  } wanted_{};  ///< the type that a match depends on, and the class it should have
  std::vector<Frame> stack_;
};

}  // namespace bpflink
