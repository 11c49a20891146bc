// Whether split BTF continues the base that it is checked with.
//
// A kernel does not compare a module's BTF with the vmlinux that it was made with. If that was
// another build, string offsets and type ids mean something else:
//
//   strings of the other base   0..1000    "list" at 1000, "node" at 1005
//   strings of this base        0..1002    1005 is "de", within a string
//
// Writers keep only strings that types use. So the largest offset in use is that of the last
// string, which tells where the strings of the base ended. Types without strings may refer to types
// past the end. Without a base, the same tells that one is needed.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dedup/check/checks.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"

namespace bpflink {
namespace {

constexpr std::string_view other_base = "made with another base, such as another build of vmlinux";

/// The offsets of the names that the types have.
std::vector<uint32_t> used_offsets(const BtfView& types) {
  std::vector<uint32_t> offsets;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    for_each_string(types.words_of(id), [&](uint32_t offset) {
      if (offset != 0) offsets.push_back(offset);
    });
  return offsets;
}

uint32_t largest_reference(const BtfView& types) {
  uint32_t largest = 0;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    for_each_reference(types.words_of(id), [&](uint32_t to) { largest = std::max(largest, to); });
  return largest;
}

/// For types without strings of their own: the largest reference is past the end.
std::string find_misfit_by_ids(const BtfView& types) {
  uint32_t largest = largest_reference(types);
  if (largest < types.end_id()) return "";
  return fmt::format("{}: it refers to type {}, and the last one is {}", other_base, largest,
                     types.end_id() - 1);
}

}  // namespace

bool refers_beyond_end(const BtfView& types) {
  uint32_t largest = largest_reference(types);
  return largest >= types.end_id() && largest <= max_type_id;
}

std::string find_misfit(const BtfView& types) {
  std::string_view strings = types.strings();
  bool has_base = types.base() != nullptr;
  if (strings.size() < 2) return has_base ? find_misfit_by_ids(types) : "";
  std::vector<uint32_t> offsets = used_offsets(types);
  size_t end_of_second_last = strings.rfind('\0', strings.size() - 2);
  uint64_t last = end_of_second_last == strings.npos ? 0 : end_of_second_last + 1;
  uint64_t largest = offsets.empty() ? 0 : *std::ranges::max_element(offsets);
  if (largest < last) return "";
  uint64_t made_with = largest - last, given = types.string_begin();
  auto fits_given = [&](uint32_t offset) {
    return offset < types.string_end() && begins_string(types, offset);
  };
  auto fits_other = [&](uint32_t offset) {
    return offset <= made_with || strings[static_cast<size_t>(offset - made_with) - 1] == '\0';
  };
  if (made_with == given || std::ranges::all_of(offsets, fits_given) ||
      !std::ranges::all_of(offsets, fits_other))
    return "";
  // Some wrong offsets do not make split BTF of types that have no base: most are past the end
  // then.
  auto is_outside = [&](uint32_t offset) { return offset >= types.string_end(); };
  auto outside = static_cast<size_t>(std::ranges::count_if(offsets, is_outside));
  if (!has_base) return outside > offsets.size() - outside ? std::string(lacks_base) : "";
  return fmt::format("{}: its names follow {} of strings, and this base has {}", other_base,
                     count_of(made_with, "byte"), given);
}

}  // namespace bpflink
