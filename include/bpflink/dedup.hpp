// Deduplication of BTF from many inputs into one blob.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// How to deduplicate.
struct DedupOptions {
  /// Threads to use; 0 lets the library decide from the size of the inputs.
  /// The output does not depend on it.
  unsigned threads = 0;
  /// The base that all inputs were split from, or null. Not changed; must
  /// outlive the Deduplicator.
  const Btf* base = nullptr;
  /// Whether the blobs of all inputs outlive the Deduplicator. Then nothing is
  /// copied; else add() copies types and strings.
  bool borrow_inputs = false;
  /// Whether the output's types are in order of their names, for loaders that
  /// search for a name: those without one first, then as strcmp() orders them, and
  /// types of one name as they would come otherwise. Without, types are in order
  /// of first occurrence.
  bool sort = false;
  /// Whether the output stands alone: the types of the base, and of all that it is
  /// split from, come first, then what the inputs add to them. Declarations of the
  /// base may then stand for what an input defines. Without a base, as false.
  bool flatten = false;
  /// Whether types become what a kernel takes, as gcc writes some that none does: an integer that
  /// is both signed and char becomes signed, a forward declaration loses its size, and an array of
  /// unknown length gets an index type, the one that others have. What is equal then is one type.
  bool for_kernel = false;
};

/// Whether the types of `btf`, without those of its base, are in the order that
/// DedupOptions::sort asks for.
BPFLINK_API bool is_sorted_by_name(const BtfView& btf);

/// From the type ids of one input to those of the output.
class TypeMap {
 public:
  /// A map of no types.
  TypeMap() = default;
  /// `ids` are the output's, for the input's from first_id on.
  TypeMap(uint32_t first_id, std::vector<uint32_t> ids)
      : first_id_(first_id), elements_(std::move(ids)) {
    for (uint32_t& id : elements_) id = ~id;
  }
  /// The output's ids are those of `outputs` at `elements`, of which there is one for each
  /// of the input's ids from first_id on: many maps may share what they lead to. An element
  /// of UINT32_MAX is an omitted type.
  TypeMap(uint32_t first_id, std::vector<uint32_t> elements,
          std::shared_ptr<const std::vector<uint32_t>> outputs)
      : first_id_(first_id), elements_(std::move(elements)), outputs_(std::move(outputs)) {}

  /// The output's id for the input's `id`, which is below end_id(). Void is 0,
  /// as are omitted types. Ids of the base map to themselves where the output has the
  /// same base, that is, unless the map was made by DedupOptions::flatten or distill().
  uint32_t operator[](uint32_t id) const {
    if (id < first_id_) return base_outputs_ ? (*base_outputs_)[id] : id;
    uint32_t element = elements_[id - first_id_];
    return outputs_ && element < outputs_->size() ? (*outputs_)[element] : ~element;
  }
  /// Changes where an id of the input itself (not of a base) leads to, as a
  /// linker does that adds what it left out.
  void set(uint32_t id, uint32_t output) { elements_[id - first_id_] = ~output; }
  /// The input's first id, without those of its base.
  uint32_t first_id() const { return first_id_; }
  /// One past the input's last id.
  uint32_t end_id() const { return first_id_ + static_cast<uint32_t>(elements_.size()); }
  /// end_id() as a size: how many ids, void among them, can be looked up.
  size_t size() const { return end_id(); }

 private:
  friend void compose(std::vector<TypeMap>& maps, const TypeMap& next);
  using Ids = std::shared_ptr<const std::vector<uint32_t>>;

  uint32_t first_id_ = 1;
  /// By index: a place in `outputs_`, or the output's id, inverted, which no place is as large as.
  std::vector<uint32_t> elements_;
  Ids outputs_;
  Ids base_outputs_;  ///< by id of the base, where they do not map to themselves
};

/// Has `maps` lead to where `next` leads from what they lead to: where `next` is of the types
/// that they map to, to ids of what became of these. So do ids of a base that they have.
BPFLINK_API void compose(std::vector<TypeMap>& maps, const TypeMap& next);

/// What a deduplication made.
struct DedupResult {
  /// The types that are left, in order of first occurrence; more may be added
  /// before `finish()`, strings of a `.BTF.ext` with `add_string()`. Split from the
  /// base of the options, if there is one, but for those that were flattened.
  BtfBuilder types;
  /// For each input, in order of addition: output id by input id.
  std::vector<TypeMap> type_maps;
  /// Of the time that run() took, what went into finding types that are equal by their contents.
  double classify_seconds = 0;
};

/// An input, for Deduplicator::add() to add with others.
struct DedupInput {
  /// What it is called in messages.
  std::string name;
  /// Its types. Not null; may be released when add() returns, and its blob, too,
  /// unless inputs are borrowed.
  const Btf* btf = nullptr;
  /// The types to leave out, or empty, as for Deduplicator::add().
  std::vector<bool> omit{};
};

/// Merges equal types of any number of inputs. Use: `add` each input, `run`.
class BPFLINK_API Deduplicator {
 public:
  /// Begins without inputs.
  explicit Deduplicator(DedupOptions options = {});
  /// Moves; what was moved from may only be assigned to or destroyed.
  Deduplicator(Deduplicator&&) noexcept;
  /// Moves, as above.
  Deduplicator& operator=(Deduplicator&&) noexcept;
  ~Deduplicator();

  /// Adds an input, called `name` in messages. `btf` may be released when add()
  /// returns, and its blob, too, unless inputs are borrowed.
  ///
  /// Where `omit` is not empty it has an element for each id of the input
  /// (index 0 unused); types for which it is true are left out. No type that
  /// stays may refer to one that is left out: that is an error of `run()`.
  void add(std::string name, const Btf& btf, const std::vector<bool>& omit = {});

  /// Adds inputs as if one after the other.
  void add(std::vector<DedupInput> inputs);

  /// Reads a blob as Btf::parse() does, with the base of the options, and adds
  /// it. Errors: those of Btf::parse(), but for that of a type that contains
  /// itself, which run() tells; nothing is added then.
  std::expected<Btf, Error> add_blob(std::string name, std::span<const std::byte> blob);

  /// Deduplicates. Call once. Errors: a type that stays refers to one that is
  /// omitted; layout sections of inputs contradict each other; types would be
  /// renumbered of an input that has some of unknown kinds; more types or
  /// strings than 29-bit classes and 32-bit offsets can tell apart; strings that begin within
  /// others, each of which is one of its own, take more than a kernel's 16 MB; a member's type is
  /// only declared, and the declaration stands for what the member is in. The same of the base's
  /// types where they are flattened.
  std::expected<DedupResult, Error> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
