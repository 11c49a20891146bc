// Reading the types of many inputs, with several threads.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"

namespace bpflink {

class TypeReader;
class TypeTable;

/// The types of an input, sorted into the classes of a reader.
struct SortedTypes {
  const TypeReader* reader = nullptr;  ///< null where they are not sorted
  /// By index; of VARs, DATASECs and their tags, which are objects, `omitted_class`.
  std::vector<uint32_t> classes;
  /// The indices where one of them is new to the reader, in order.
  std::vector<uint32_t> firsts;
  /// Whether a name may have several definitions among these.
  bool is_ambiguous = false;
  /// The ids of types to leave out.
  std::vector<uint32_t> left_out;
};

/// Checks the types of inputs and sorts them at the same time, when they are in the
/// processor's cache: what turns out to be equal to a type that was checked need not be
/// checked. For one thread.
class TypeReader {
 public:
  TypeReader();
  ~TypeReader();
  TypeReader(const TypeReader&) = delete;
  TypeReader& operator=(const TypeReader&) = delete;

  /// Reads a blob like Btf::parse(), but for what types refer to, which sort() checks.
  static std::expected<Btf, Error> find_types(std::span<const std::byte> blob);

  /// Checks what `btf`, the reading of `blob`, refers to, and sorts the types, unless there
  /// is anything strange about them. `objects` are the ids of all VARs, DATASECs and
  /// DECL_TAGs.
  std::expected<void, Error> sort(const Btf& btf, std::span<const std::byte> blob,
                                  std::vector<uint32_t> objects, SortedTypes& sorted);
  /// Sorts types that have been checked, unless there is anything strange about them.
  /// Returns whether it has.
  bool sort(const Btf& btf, std::vector<uint32_t> objects, SortedTypes& sorted);

  /// Whether none of the types that were sorted contains itself. If one may, the inputs must
  /// be looked at one by one with Btf::parse().
  bool is_sound() const;

  /// Whether what was sorted is of use: all classes can be found again in another table,
  /// and where an object or FUNC is left out nothing else is missing.
  bool is_usable() const;

  TypeTable& table();

 private:
  struct Impl;

  void list_definitions();
  bool is_ambiguous(std::span<const uint32_t> classes);

  std::unique_ptr<Impl> impl_;
};

/// Inputs of which some are sorted already.
struct SortedInputs {
  std::vector<DedupInput> inputs;
  std::vector<SortedTypes> sorted;  ///< for each input
  std::vector<std::unique_ptr<TypeReader>> readers;

  /// As Deduplicator::add() of the inputs, of which all VARs and DATASECs must be left out.
  void add_to(Deduplicator& deduplicator) &&;

  /// Has DedupInput::omit say what of an input is left out.
  void mark_left_out(size_t i);
};

}  // namespace bpflink
