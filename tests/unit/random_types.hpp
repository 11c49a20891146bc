// Random units of types, for tests to run over.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink::test {

/// A type with strings as text and types as indices into its unit, from 1 on.
struct RandomType {
  BtfKind kind = BTF_KIND_INT;
  bool kind_flag = false;
  std::string name{};
  uint32_t vlen = 0;  ///< linkage of a FUNC; otherwise the elements are counted
  uint32_t size = 0;
  uint32_t type = 0;
  uint32_t extra = 0;
  struct Element {
    std::string name{};
    uint32_t type = 0;
    uint32_t value = 0;
  };
  std::vector<Element> elements{};
};

using RandomUnit = std::vector<RandomType>;

/// A few units that share many of their types: each is a copy of another in
/// another order, with changes, and all names come from a small stock.
std::vector<RandomUnit> random_units(uint64_t seed);

std::vector<std::byte> encode(const RandomUnit& unit);

/// All units in one, one after another.
RandomUnit concatenate(const std::vector<RandomUnit>& units);

/// Leaves out of `units` whatever can be left out with `fails` still true.
std::vector<RandomUnit> shrink(std::vector<RandomUnit> units,
                               const std::function<bool(const std::vector<RandomUnit>&)>& fails);

/// The units as a numbered list.
std::string to_text(const std::vector<RandomUnit>& units);

}  // namespace bpflink::test
