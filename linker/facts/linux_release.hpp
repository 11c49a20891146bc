// Releases of Linux as uname -r, options and paths have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bpflink/check.hpp"

namespace bpflink {

/// KERNEL_VERSION(a, b, c), as in <linux/version.h>, for a text that begins with a release: "6.12",
/// "6.12.3-generic", "7.3-rc7". A missing third number is 0. Nothing for another text.
std::optional<uint32_t> version_code(std::string_view text);

/// Whether the text begins with a release of three numbers, which libbpf needs.
bool has_three_numbers(std::string_view text);

/// The third number of a release that is no more than three numbers; the one in a distribution's
/// name, such as "6.1.0-50-amd64", is not an update's.
std::optional<uint16_t> exact_update(std::string_view text);

/// "5.14" for "5.14.0-70.el9"; a text that is not a release stays as it is.
std::string series_of(const std::string& release);

/// "Linux 5.12".
std::string linux_name(LinuxRelease release);

/// When Linux got something.
struct Introduction {
  LinuxRelease since;  ///< all releases from this one on have it
  /// Releases before this one do not. Of those between, it is not known: updates brought it to some
  /// of them, or none was asked.
  LinuxRelease perhaps = since;
};

/// Later than each release: of what no kernel has.
inline constexpr LinuxRelease not_yet{UINT16_MAX, 0};
/// The newest release that the tables of facts/ were asked of, or read from, and the one after it.
/// A test fails where a newer kernel is read.
inline constexpr LinuxRelease newest_asked{7, 3}, after_asked{7, 4};
inline constexpr Introduction in_no_kernel{not_yet, after_asked};

/// The release of such a number.
constexpr LinuxRelease release_of(uint32_t code) {
  return {static_cast<uint16_t>(code >> 16), static_cast<uint16_t>(code >> 8 & 0xff)};
}

}  // namespace bpflink
