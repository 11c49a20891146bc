// Renumbers the output's types wherever a pass has stored a type id.
#pragma once

#include "bpflink/dedup.hpp"

namespace bpflink {

struct Context;

/// Whether the output's types may get other numbers: what a type of an unknown kind refers to is
/// not known.
bool may_renumber_types(const Context& context);

/// The output's types have the ids that `ids` gives for those that they had. To be called before
/// anything but the type maps, the symbols and complete_functions() has noted one.
void renumber_types(Context& context, const TypeMap& ids);

}  // namespace bpflink
