#include "linker/kernels/helper_names.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <iterator>
#include <string_view>
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

}  // namespace

std::string helper_name(uint32_t id) {
  static const std::vector<std::string_view> names = list_names();
  return id < names.size() ? fmt::format("bpf_{}", names[id]) : fmt::format("bpf_func_{}", id);
}

}  // namespace bpflink
