// The Linux release that a blob needs: that of the newest feature it uses.
#include "dedup/check/checks.hpp"
#include "dedup/check/features.hpp"
#include "dedup/check/releases.hpp"

namespace bpflink {

BtfRequirement find_requirement(const BtfView& types, bool has_layout, BtfUse use) {
  BtfRequirement needed;
  if (has_layout) needed = {releases::layouts, "a layout section", 0};
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (!is_known(type.kind())) continue;
    for (const Feature& feature : btf_features()) {
      if (feature.since <= needed.release) break;
      if (!uses(feature, types, type, use)) continue;
      needed = {feature.since, feature.what, id};
      break;
    }
  }
  return needed;
}

}  // namespace bpflink
