// Units of types, with which tests write BTF in few words
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/dedup.hpp"

namespace bpflink::test {

/// The blob, which must be within the kernel's limits
inline std::vector<std::byte> finish(const BtfBuilder& builder,
                                     std::endian order = std::endian::native) {
  auto blob = builder.finish(order);
  REQUIRE(blob);
  return std::move(*blob);
}

struct Unit {
  BtfBuilder b{};

  uint32_t add(BtfKind kind, std::string_view name, uint32_t third,
               const std::vector<uint32_t>& extra = {}, uint32_t vlen = 0, bool flag = false) {
    return b.add_type(b.add_string(name), BtfBuilder::info(kind, vlen, flag), third, extra);
  }
  uint32_t integer(std::string_view name, uint32_t size = 4, bool is_signed = true) {
    return add(BtfKind::Int, name, size, {uint32_t{is_signed} << 24 | size * 8});
  }
  uint32_t ptr(uint32_t type) { return add(BtfKind::Ptr, "", type); }
  uint32_t fwd(std::string_view name, bool is_union = false) {
    return add(BtfKind::Fwd, name, 0, {}, 0, is_union);
  }
  uint32_t array(uint32_t type, uint32_t index, uint32_t length) {
    return add(BtfKind::Array, "", 0, {type, index, length});
  }

  uint32_t prototype(uint32_t result, const std::vector<std::string_view>& names, uint32_t type) {
    std::vector<uint32_t> words;
    for (std::string_view name : names) words.insert(words.end(), {b.add_string(name), type});
    return add(BtfKind::FuncProto, "", result, words, static_cast<uint32_t>(names.size()));
  }
  uint32_t function(std::string_view name, uint32_t prototype,
                    BtfLinkage linkage = BtfLinkage::Static) {
    return add(BtfKind::Func, name, prototype, {}, std::to_underlying(linkage));
  }
  uint32_t variable(std::string_view name, uint32_t type) {
    return add(BtfKind::Var, name, type, {std::to_underlying(BtfLinkage::Global)});
  }
  uint32_t tag(std::string_view text, uint32_t type, int32_t component = -1) {
    return add(BtfKind::DeclTag, text, type, {static_cast<uint32_t>(component)});
  }

  struct Member {
    std::string_view name;
    uint32_t type;
    uint32_t offset = UINT32_MAX;  ///< in bits; the next multiple of 64 if not given
  };
  uint32_t record(std::string_view name, const std::vector<Member>& members,
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
  uint32_t enumeration(std::string_view name,
                       std::vector<std::pair<std::string_view, uint32_t>> values,
                       bool is_signed = false, uint32_t size = 4) {
    std::vector<uint32_t> words;
    for (auto [label, value] : values) words.insert(words.end(), {b.add_string(label), value});
    return add(BtfKind::Enum, name, size, words, static_cast<uint32_t>(values.size()), is_signed);
  }
};

/// A blob, as long as its Btf is read
struct Parsed {
  explicit Parsed(std::vector<std::byte> bytes, const Btf* base = nullptr)
      : blob(std::move(bytes)), btf(Btf::parse(blob, base).value()) {}
  explicit Parsed(const BtfBuilder& types, const Btf* base = nullptr)
      : Parsed(finish(types), base) {}

  std::vector<std::byte> blob;
  Btf btf;
};

/// The result for one blob alone
inline DedupResult deduplicated(const Btf& btf) {
  Deduplicator dedup;
  dedup.add("blob", btf);
  auto result = dedup.run();
  REQUIRE(result);
  return std::move(*result);
}

/// Deduplicates units and compares the result with the oracle.
DedupResult dedup(const std::vector<const Unit*>& units);

/// The number of types of a kind in the result
uint32_t count(const DedupResult& result, BtfKind kind);

}  // namespace bpflink::test
