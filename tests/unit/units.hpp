// Units of types with short names for what tests need.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "bpflink/dedup.hpp"

namespace bpflink::test {

struct Unit {
  BtfBuilder b;

  uint32_t add(BtfKind kind, const char* name, uint32_t third, std::vector<uint32_t> extra = {},
               uint32_t vlen = 0, bool flag = false) {
    return b.add_type(b.add_string(name), BtfBuilder::info(kind, vlen, flag), third, extra);
  }
  uint32_t integer(const char* name, uint32_t size = 4) {
    return add(BtfKind::Int, name, size, {0x01000000 | size * 8});
  }
  uint32_t ptr(uint32_t type) { return add(BtfKind::Ptr, "", type); }
  uint32_t fwd(const char* name, bool is_union = false) {
    return add(BtfKind::Fwd, name, 0, {}, 0, is_union);
  }
  uint32_t array(uint32_t type, uint32_t index, uint32_t length) {
    return add(BtfKind::Array, "", 0, {type, index, length});
  }

  struct Member {
    const char* name;
    uint32_t type;
    uint32_t offset = UINT32_MAX;  ///< in bits; the next multiple of 64 if not given
  };
  uint32_t record(const char* name, const std::vector<Member>& members,
                  BtfKind kind = BtfKind::Struct, bool flag = false) {
    std::vector<uint32_t> words;
    uint32_t next = 0;
    for (const Member& m : members) {
      words.insert(words.end(),
                   {b.add_string(m.name), m.type, m.offset == UINT32_MAX ? next : m.offset});
      next += 64;
    }
    return add(kind, name, next / 8, words, static_cast<uint32_t>(members.size()), flag);
  }
  uint32_t enumeration(const char* name, std::vector<std::pair<const char*, uint32_t>> values,
                       bool is_signed = false, uint32_t size = 4) {
    std::vector<uint32_t> words;
    for (auto [label, value] : values) words.insert(words.end(), {b.add_string(label), value});
    return add(BtfKind::Enum, name, size, words, static_cast<uint32_t>(values.size()), is_signed);
  }
};

/// Deduplicates units and checks the result with the oracle.
DedupResult dedup(const std::vector<const Unit*>& units);

/// How many types of a kind are left.
uint32_t count(const DedupResult& result, BtfKind kind);

}  // namespace bpflink::test
