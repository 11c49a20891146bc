// Types as users name them: "struct NAME", or NAME alone.
#pragma once

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// What the user asks about: a keyword, the kinds that it stands for, and a name.
struct Subject {
  std::string_view keyword;
  std::vector<BtfKind> kinds;
  std::string_view name = {};

  bool is_tag() const { return kinds.size() > 1; }
  bool matches(const BtfView& btf, BtfType type) const {
    return btf.name(type) == name && has_kind_of(type);
  }
  bool has_kind_of(BtfType type) const {
    if (std::ranges::find(kinds, type.kind()) == kinds.end()) return false;
    return type.kind() != BtfKind::Fwd || type.kind_flag() == (keyword == "union");
  }
};

/// The subjects that `what` means: one for "struct NAME", one of each keyword for a name alone.
/// They are views of `what`.
std::expected<std::vector<Subject>, Error> parse_subjects(std::string_view what);

/// ", did you mean 'struct foo'?" if a type has a name similar to that of the subjects, otherwise
/// "".
std::string suggest_type(const BtfView& btf, const std::vector<Subject>& subjects);

}  // namespace bpflink
