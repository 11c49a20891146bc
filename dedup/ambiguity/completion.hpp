// What an ambiguous name means in a part that does not define it.
#pragma once

#include "dedup/ambiguity/ambiguous_names.hpp"
#include "dedup/ambiguity/reach.hpp"
#include "dedup/ambiguity/refine.hpp"
#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// By part: the definitions that names without one stand for there, where there
/// is evidence for one. `parts` lists the tainted classes of each part.
Adjacency complete_parts(const TypeTable& table, const AmbiguousNames& names, const Reach& reach,
                         const Adjacency& parts);

}  // namespace bpflink
