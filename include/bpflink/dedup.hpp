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
  /// Threads to use; 0: chosen by the size of the inputs. The output does not depend on it.
  unsigned threads = 0;
  /// The base that all inputs were split from, or null. Must outlive the Deduplicator. It is an
  /// error of run() if an input is split from another one, or not at all.
  const Btf* base = nullptr;
  /// Whether the blobs of all inputs outlive the Deduplicator. If not, add() copies types and
  /// strings.
  bool borrow_inputs = false;
  /// Whether the output's types are in order of their names, for loaders that search for a name:
  /// anonymous types first, then in the order of strcmp(), types of one name in order of first
  /// occurrence. Otherwise all types are in order of first occurrence.
  bool sort = false;
  /// Whether the output stands alone: the types of the base, and of what the base is split from,
  /// come first, then the types that the inputs add. Forward declarations of the base may then be
  /// resolved by an input's definition. Without a base it has no effect.
  bool flatten = false;
  /// Whether to change types that gcc writes and no kernel accepts: an integer that is both signed
  /// and char becomes signed, a declaration of a struct has no size and one of an enum that of int,
  /// an array of unknown length, or any array if there is a base, gets the others' index type. A
  /// struct that differs from the base's only in what an input defines and the base declares is the
  /// base's.
  bool for_kernel = false;
};

/// Whether the types of `btf`, without its base's, are in the order of DedupOptions::sort.
bool is_sorted_by_name(const BtfView& btf);

/// Maps the type ids of one input to those of the output.
class TypeMap {
 public:
  /// A map of no types.
  TypeMap() = default;
  /// `ids` are the output's, for the input's from first_id on.
  TypeMap(uint32_t first_id, std::vector<uint32_t> ids)
      : first_id_(first_id), ids_(std::move(ids)) {}

  /// The output's id for the input's `id`, which is below end_id(); 0 for void and omitted types.
  /// Ids of the base map to themselves, unless DedupOptions::flatten or distill() made the map.
  uint32_t operator[](uint32_t id) const {
    if (id >= first_id_) return ids_[id - first_id_];
    return base_ids_ ? (*base_ids_)[id] : id;
  }
  /// Maps an id of the input itself, not of a base, to another id of the output.
  void set(uint32_t id, uint32_t output) { ids_[id - first_id_] = output; }
  /// The input's first id, without those of its base.
  uint32_t first_id() const { return first_id_; }
  /// One past the input's last id.
  uint32_t end_id() const { return first_id_ + static_cast<uint32_t>(ids_.size()); }
  /// end_id() as a size: how many ids, void among them, can be looked up.
  size_t size() const { return end_id(); }

 private:
  friend void compose(std::vector<TypeMap>& maps, const TypeMap& next);

  uint32_t first_id_ = 1;
  std::vector<uint32_t> ids_;
  /// By id of the base, where they do not map to themselves. All maps with one base share it.
  std::shared_ptr<const std::vector<uint32_t>> base_ids_;
};

/// Composes maps: each id that `maps` map to x then maps to next[x], ids of a base among them.
void compose(std::vector<TypeMap>& maps, const TypeMap& next);

/// The result of a deduplication.
struct DedupResult {
  /// The types that are left, in order of first occurrence. More may be added before `finish()`,
  /// and strings of a `.BTF.ext` with `add_string()`. Split from the base of the options, if there
  /// is one and the types are not flattened.
  BtfBuilder types;
  /// For each input, in order of addition: output ids by input ids.
  std::vector<TypeMap> type_maps;
  /// The part of run()'s time that went into finding types of equal contents.
  double classify_seconds = 0;
};

/// An input for Deduplicator::add().
struct DedupInput {
  /// Its name in messages.
  std::string name;
  /// Its types. Not null. They and, unless inputs are borrowed, their blob may be released when
  /// add() returns.
  const Btf* btf = nullptr;
  /// The types to omit, or empty, as for Deduplicator::add().
  std::vector<bool> omit{};
};

/// Merges equal types of any number of inputs. Use: `add` each input, `run`.
class Deduplicator {
 public:
  /// Begins without inputs.
  explicit Deduplicator(DedupOptions options = {});
  /// Moves; what was moved from may only be assigned to or destroyed.
  Deduplicator(Deduplicator&&) noexcept;
  /// Moves, as above.
  Deduplicator& operator=(Deduplicator&&) noexcept;
  ~Deduplicator();

  /// Adds an input, called `name` in messages. `btf` and, unless inputs are borrowed, its blob may
  /// be released when add() returns.
  ///
  /// `omit` is empty, or has an element for each id of the input, true for types to omit (index 0
  /// is unused). It is an error of `run()` if a type that stays refers to an omitted one.
  void add(std::string name, const Btf& btf, const std::vector<bool>& omit = {});

  /// Adds several inputs, in their order.
  void add(std::vector<DedupInput> inputs);

  /// Reads a blob as Btf::parse() does, with the base of the options, and adds it. Errors: those of
  /// Btf::parse(), except that run() reports a type that contains itself. Nothing is added then.
  std::expected<Btf, Error> add_blob(std::string name, std::span<const std::byte> blob);

  /// Deduplicates. Call once. Errors: a type refers to an omitted one; layout sections of inputs
  /// contradict each other; types of an input with unknown kinds would be renumbered; more than
  /// 2^29 types or 2^32 bytes of strings; strings that overlap in an input take more than a
  /// kernel's 16 MB when each is stored alone; a struct would contain itself after a forward
  /// declaration is resolved. With `flatten`, the same of the base's types.
  std::expected<DedupResult, Error> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
