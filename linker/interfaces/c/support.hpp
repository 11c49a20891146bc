// What all of the C interface uses: results, descriptions, strings.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "bpflink/bpflink.h"
#include "bpflink/btf.hpp"
#include "bpflink/btf_query.hpp"
#include "linker/error.hpp"

namespace bpflink::c_api {

/// Runs `call`, which gives a status, and turns exceptions into one.
template <typename Call>
bpflink_status guarded(Call call) noexcept {
  try {
    return call();
  } catch (const std::exception&) {  // the library throws nothing but std::bad_alloc
    return BPFLINK_ERROR_MEMORY;
  }
}

inline bpflink_byte_order order_for_c(std::endian order) {
  return order == std::endian::big ? BPFLINK_BIG_ENDIAN : BPFLINK_LITTLE_ENDIAN;
}

/// Arrays of descriptions for C.
class Arrays {
 public:
  /// Keeps what `for_c` makes of each item.
  template <typename Items, typename ForC>
  bpflink_array keep(const Items& items, ForC for_c) {
    using Description = std::invoke_result_t<ForC, decltype(*items.begin())>;
    auto array = std::make_shared<std::vector<Description>>();
    array->reserve(items.size());
    for (const auto& item : items) array->push_back(for_c(item));
    kept_.push_back(array);
    return {array->data(), array->size(), sizeof(Description)};
  }

 private:
  std::vector<std::shared_ptr<const void>> kept_;
};

/// A view of a string table, whose strings end with NUL, as C has it.
inline const char* c_string(std::string_view text) {
  return text.data() ? text.data() : "";
}

/// A copy that bpflink_free() frees; null where memory ran out.
inline char* copy_string(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) return nullptr;
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  return copy;
}

/// What `make` returns, as a copy that bpflink_free() frees; null where memory ran out.
template <typename Make>
char* give_text(Make make) noexcept {
  try {
    return copy_string(make());
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Gives bytes to the caller, who frees them with bpflink_free().
inline bpflink_status give_bytes(std::span<const std::byte> bytes, void** out, size_t* size) {
  *out = std::malloc(std::max<size_t>(bytes.size(), 1));
  if (!*out) return BPFLINK_ERROR_MEMORY;
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(*out));
  *size = bytes.size();
  return BPFLINK_OK;
}

/// Gives the reason of a failure to a caller who wants it.
inline bpflink_status give_reason(const Error& error, char** out,
                                  bpflink_status status = BPFLINK_ERROR_INPUT) {
  if (out) *out = copy_string(error.message);
  return status;
}

}  // namespace bpflink::c_api

struct bpflink_btf {
  const bpflink::Btf* view = nullptr;      ///< what is read
  std::optional<bpflink::Btf> owned = {};  ///< unless it is an object's
  std::vector<std::byte> blob = {};        ///< what `owned` reads, unless it is the caller's
  /// Made by the first look-up.
  mutable std::optional<bpflink::BtfIndex> index = {};
  /// The types that were described.
  mutable std::unordered_map<uint32_t, bpflink_type> types = {};
  mutable bpflink::c_api::Arrays arrays = {};
};
