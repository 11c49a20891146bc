#include "linker/facts/helpers.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace bpflink {
namespace {

/// All names by number. The kernel's header lists them with commas in older versions and without in
/// newer ones, so each name is followed by a space.
std::vector<std::string_view> list_names() {
#define BPFLINK_HELPER(name, ...) #name " "
  // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the header decides about commas
  constexpr std::string_view texts[] = {__BPF_FUNC_MAPPER(BPFLINK_HELPER)};
#undef BPFLINK_HELPER
  std::vector<std::string_view> names;
  for (std::string_view text : texts)
    for (size_t space; (space = text.find(' ')) != text.npos; text.remove_prefix(space + 1))
      names.push_back(text.substr(0, space));
  // The helpers that Linux 6.2 added, the last of all: new functions are kfuncs.
  constexpr std::string_view last[] = {"cgrp_storage_get", "cgrp_storage_delete"};
  constexpr size_t first_of_last = 210;
  for (size_t i = 0; i < std::size(last); ++i)
    if (names.size() == first_of_last + i) names.push_back(last[i]);
  return names;
}

const std::vector<std::string_view>& names() {
  static const std::vector<std::string_view> all = list_names();
  return all;
}

// From the numbers of FN() in include/uapi/linux/bpf.h of each release.
constexpr LastHelper lasts[] = {
    {{3, 19}, 3},   {{4, 1}, 11},   {{4, 2}, 16},   {{4, 3}, 22},   {{4, 4}, 25},   {{4, 5}, 26},
    {{4, 6}, 30},   {{4, 8}, 36},   {{4, 9}, 41},   {{4, 10}, 44},  {{4, 11}, 45},  {{4, 12}, 47},
    {{4, 13}, 50},  {{4, 14}, 53},  {{4, 15}, 57},  {{4, 16}, 59},  {{4, 17}, 64},  {{4, 18}, 80},
    {{4, 19}, 83},  {{4, 20}, 90},  {{5, 0}, 92},   {{5, 1}, 98},   {{5, 2}, 108},  {{5, 3}, 110},
    {{5, 5}, 115},  {{5, 6}, 118},  {{5, 7}, 124},  {{5, 8}, 135},  {{5, 9}, 141},  {{5, 10}, 155},
    {{5, 11}, 162}, {{5, 12}, 163}, {{5, 13}, 165}, {{5, 14}, 168}, {{5, 15}, 175}, {{5, 16}, 179},
    {{5, 17}, 185}, {{5, 18}, 193}, {{5, 19}, 203}, {{6, 0}, 207},  {{6, 1}, 209},  {{6, 2}, 211}};

/// The helpers that kernels mark gpl_only. tests/kernel/gpl-helpers.sh compares this list with the
/// running kernel.
constexpr uint32_t gpl_helpers[] = {4,   6,   22,  25,  27,  35,  36,  45,  55,  56,  58,
                                    67,  69,  100, 110, 111, 112, 113, 114, 115, 119, 121,
                                    126, 127, 150, 158, 163, 165, 169, 170, 171, 172, 173,
                                    175, 176, 177, 191, 204, 205, 206, 207};

}  // namespace

std::string helper_name(uint32_t id) {
  return id < names().size() ? fmt::format("bpf_{}", names()[id]) : fmt::format("bpf_func_{}", id);
}

bool is_gpl_only(uint32_t id) {
  return std::ranges::binary_search(gpl_helpers, id);
}

std::optional<uint32_t> find_helper(std::string_view name) {
  constexpr std::string_view prefix = "bpf_";
  if (!name.starts_with(prefix)) return std::nullopt;
  auto found = std::ranges::find(names(), name.substr(prefix.size()));
  auto id = static_cast<uint32_t>(found - names().begin());
  return id == 0 || found == names().end() ? std::nullopt : std::optional(id);
}

std::span<const LastHelper> last_helpers() {
  return lasts;
}

LinuxRelease helper_release(uint32_t id) {
  auto last = std::ranges::lower_bound(lasts, id, {}, &LastHelper::id);
  return last == std::end(lasts) ? std::rbegin(lasts)->release : last->release;
}

}  // namespace bpflink
