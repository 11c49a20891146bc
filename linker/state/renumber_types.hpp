// Renumbers the output's types wherever a pass has stored a type id.
#pragma once

#include "bpflink/dedup.hpp"

namespace bpflink {

struct Context;

/// Whether the output's types may be renumbered: the references of an unknown kind are unknown.
bool may_renumber_types(const Context& context);

/// Replaces each output type id by `ids[id]`. Call this while only the type maps, the symbols and
/// complete_functions() have stored ids.
void renumber_types(Context& context, const TypeMap& ids);

}  // namespace bpflink
