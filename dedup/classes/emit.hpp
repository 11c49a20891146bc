// From the classes of all inputs to the output.
#pragma once

#include <span>
#include <vector>

#include "bpflink/dedup.hpp"
#include "dedup/ambiguity/fold.hpp"
#include "dedup/ambiguity/instances.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/unit.hpp"

namespace bpflink {

/// All that is known about which types are equal when inputs have ended.
struct Identity {
  const TypeTable& table;
  /// By anchor: the class that all types of an untainted one are of.
  std::vector<uint32_t> representatives;
  const Taint& taint;
  /// Of the tainted classes.
  const InstanceGraph& graph;
  const Coloring& coloring;
};

/// Adds strings that are different, each with its NUL, to a builder without a base that
/// has none of them yet. The first one gets the offset that the last one's NUL has, and 1.
void add_new_strings(BtfBuilder& types, std::string_view strings);

/// Makes room for so many types, words of these and bytes of strings.
void reserve(BtfBuilder& types, size_t count, size_t words, size_t string_bytes);

/// Numbers the types that are left in order of first occurrence, writes them
/// down, and turns the units' classes into their type maps.
DedupResult emit(const Identity& identity, std::vector<Unit>& units, const DedupOptions& options);

}  // namespace bpflink
