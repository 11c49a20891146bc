// Helpers, the kernel functions that programs call by number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bpflink/check.hpp"

namespace bpflink {

/// "bpf_map_lookup_elem" for 1; "bpf_func_300" for a helper newer than this program.
std::string helper_name(uint32_t id);
/// The reverse; nothing if there is no helper of that name.
std::optional<uint32_t> find_helper(std::string_view name);

/// Whether only programs with a GPL license may call a helper.
bool is_gpl_only(uint32_t id);

/// The newest helper of a release.
struct LastHelper {
  LinuxRelease release;
  uint32_t id;
};
/// By release, those that brought helpers.
std::span<const LastHelper> last_helpers();
/// The release that brought a helper; that of the last helper for ids that are not known.
LinuxRelease helper_release(uint32_t id);

}  // namespace bpflink
