// The members of Btf and BtfBuilder, for the library itself.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/base_index.hpp"
#include "dedup/merge/huge_pages.hpp"

namespace bpflink {

struct Btf::Impl {
  BtfView view;
  const Btf* base = nullptr;
  std::endian order = std::endian::native;
  LargeVector<uint32_t> starts;     ///< shown by view.starts()
  std::vector<uint32_t> objects;    ///< ids of the objects (is_object()), in order
  std::vector<uint32_t> own_words;  ///< shown by view.words(), unless that is the blob
  std::string own_strings;          ///< shown by view.strings(), unless that is the blob
  std::vector<BtfKindLayout> layout;
  /// Made by base_index() when it is first needed. A copy makes its own.
  struct LazyIndex {
    LazyIndex() = default;
    LazyIndex(const LazyIndex&) {}
    LazyIndex& operator=(const LazyIndex&) = delete;

    std::once_flag once;
    std::unique_ptr<const BaseIndex> index;
  } lazy_index;

  /// Makes `view` show the types in `words` that begin at `starts`.
  void show(std::span<const uint32_t> words, std::string_view strings) {
    view = BtfView(words, {starts.data(), starts.size()}, strings,
                   base != nullptr ? &base->impl_->view : nullptr);
  }
};

struct BtfAccess {
  using Impl = Btf::Impl;
  static const std::shared_ptr<Impl>& impl(const Btf& btf) { return btf.impl_; }
  static Btf wrap(std::shared_ptr<Impl> impl) { return Btf(std::move(impl)); }

  using BuilderImpl = BtfBuilder::Impl;
  static BuilderImpl& impl(const BtfBuilder& types) { return *types.impl_; }
  /// Makes a builder show what it has.
  static void show(BtfBuilder& types);
};

/// Finds where the types begin in the words of a blob, and checks them. Errors: those of
/// Btf::parse() about types, except that one contains itself.
std::expected<void, Error> find_types(BtfAccess::Impl& blob);

/// The ids of the objects (is_object()) among the types of `btf` itself, in order.
inline std::span<const uint32_t> objects_of(const Btf& btf) {
  return BtfAccess::impl(btf)->objects;
}

}  // namespace bpflink
