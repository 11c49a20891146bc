// Whether C lays out a type like the BPF object.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Hosts for which a declaration is: with pointers and `long` of 8 bytes, as in BPF, or of 4.
enum class Host : uint8_t { Bits64, Bits32 };

/// The layouts of an object's types on a kind of hosts. Many variables may have one type: each is
/// judged once.
class NaturalLayouts {
 public:
  /// The types must outlive it.
  NaturalLayouts(const BtfView& btf, Host host) : btf_(btf), host_(host) {}

  const BtfView& btf() const { return btf_; }
  /// Whether the C declaration of type `id` gives it the same size and member offsets. It does not
  /// if an unnamed struct or union, which the declaration spells out, is packed or over-aligned, or
  /// if it or what it contains is empty, which C++ lays out differently. A named one is defined by
  /// the user. On hosts of 32 bits, which may align to 4 at most, it does not either if an unnamed
  /// one contains a pointer or `long`; of these by themselves, is_widened() tells.
  bool is_natural(uint32_t id);
  /// Whether a type or its elements need a number of 8 bytes in their place: pointers and `long`,
  /// on hosts where they have 4.
  bool is_widened(uint32_t id);

 private:
  bool find(uint32_t id);

  BtfView btf_;
  Host host_;
  std::unordered_map<uint32_t, bool> known_;    ///< types
  std::unordered_map<uint32_t, bool> widened_;  ///< the same
  std::unordered_map<uint32_t, bool> records_;  ///< of records, without what is in their members
};

}  // namespace bpflink
