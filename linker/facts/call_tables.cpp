#include "linker/facts/call_tables.hpp"

#include <array>

#include "linker/facts/linux_release.hpp"

namespace bpflink {
namespace {

#include "linker/facts/call_tables.inc"

static_assert(releases.back() == newest_asked);

}  // namespace

constinit const CallTables call_tables{releases, helpers, programs, kfuncs};

}  // namespace bpflink
