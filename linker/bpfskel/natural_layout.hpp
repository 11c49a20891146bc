// Whether C lays out a type like the BPF object.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The layouts of an object's types. Many variables may have one type: each is judged once.
class NaturalLayouts {
 public:
  /// The types must outlive it.
  explicit NaturalLayouts(const BtfView& btf) : btf_(btf) {}

  const BtfView& btf() const { return btf_; }
  /// Whether the C declaration of type `id` gives it the same size and member offsets. It does not
  /// if an unnamed struct or union, which the declaration spells out, is packed or over-aligned, or
  /// if it or what it contains is empty, which C++ lays out differently. A named one is defined by
  /// the user.
  bool is_natural(uint32_t id);

 private:
  bool find(uint32_t id);

  BtfView btf_;
  std::unordered_map<uint32_t, bool> known_;    ///< types
  std::unordered_map<uint32_t, bool> records_;  ///< of records, without what is in their members
};

}  // namespace bpflink
