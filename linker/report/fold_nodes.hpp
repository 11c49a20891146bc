// A model with fewer nodes, for pages.
#pragma once

#include "linker/report/model.hpp"

namespace bpflink {

/// The model, or if it has more nodes than a page should have, one in which groups take the place
/// of the small ones: of nodes of one kind, section, input, program and dominator whose names begin
/// with one word. The sums stay the same. Roots, and what the chains to other nodes pass through,
/// stay nodes of their own. A comparison names single nodes, so a model with one is not changed.
OutputModel fold_small_nodes(const OutputModel& model);

}  // namespace bpflink
