#include "linker/types/map_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

using Attributes = std::vector<MapAttribute>;

const MapAttribute* find(const Attributes& attributes, std::string_view name) {
  auto found = std::ranges::find(attributes, name, &MapAttribute::name);
  return found != attributes.end() ? &*found : nullptr;
}

class MapComparison {
 public:
  MapComparison(const MapPair& maps, std::string_view path, bool is_inner)
      : maps_(maps), types_(maps.types), path_(path), is_inner_(is_inner) {}

  std::optional<TypeDifference> run() {
    uint32_t declared = skip_modifiers(types_, maps_.declared);
    uint32_t defined = skip_modifiers(types_, maps_.defined);
    if (declared == defined) return std::nullopt;
    if (!is_composite(types_.kind(declared)) || types_.kind(declared) != types_.kind(defined))
      return TypeComparison(types_, types_, maps_.policy).run(declared, defined, path_);
    a_ = read_map_attributes(types_, declared);
    b_ = read_map_attributes(types_, defined);
    for (const MapAttribute& attribute : a_) {
      const MapAttribute* other = find(b_, attribute.name);
      if (other == nullptr && !may_be_absent(attribute, b_))
        return differ(attribute, type_of(declared, a_, attribute), "", 0, "no such attribute");
      if (other == nullptr) continue;
      if (auto difference = compare(attribute, type_of(declared, a_, attribute), *other,
                                    type_of(defined, b_, *other)))
        return difference;
    }
    if (maps_.may_leave_out) return std::nullopt;
    for (const MapAttribute& attribute : b_)
      if (find(a_, attribute.name) == nullptr && !may_be_absent(attribute, a_))
        return differ(attribute, 0, "no such attribute", type_of(defined, b_, attribute), "");
    return std::nullopt;
  }

 private:
  bool as_libbpf() const { return maps_.policy == ComparePolicy::LibbpfCompatible; }

  /// The type of an attribute's member.
  uint32_t type_of(uint32_t definition, const Attributes& all, const MapAttribute& one) const {
    return types_.type(definition).member(static_cast<uint32_t>(&one - all.data())).type;
  }

  std::string path_of(const MapAttribute& attribute) const {
    return fmt::format("{}.{}", path_, attribute.name);
  }

  std::optional<TypeDifference> differ(const MapAttribute& attribute, uint32_t a,
                                       std::string note_a, uint32_t b, std::string note_b) const {
    return TypeDifference{path_of(attribute), "", {a, std::move(note_a)}, {b, std::move(note_b)}};
  }

  /// The size of a key or value; 0 if it has none.
  uint64_t size_of(const MapAttribute& attribute) const {
    if (attribute.form != MapAttribute::Form::Type) return 0;
    return type_size(types_, attribute.type_id).value_or(0);
  }

  /// Whether omitting the attribute defines the same map, given the other definition's attributes.
  bool may_be_absent(const MapAttribute& attribute, const Attributes& others) const {
    if (!as_libbpf()) return false;
    std::string_view name = attribute.name;
    if (name == "map_extra") return true;
    if (attribute.form != MapAttribute::Form::Number) return false;
    if (name == "max_entries" || name == "map_flags" || name == "numa_node" || name == "pinning")
      return attribute.number == 0;
    auto follows_from = [&](std::string_view source) {
      const MapAttribute* found = find(others, source);
      return found != nullptr && size_of(*found) == attribute.number;
    };
    if (name == "key_size") return follows_from("key");
    if (name != "value_size") return false;
    // The slots of a map of maps or programs are file descriptors.
    return follows_from("value") ||
           (find(others, "values") != nullptr && attribute.number == sizeof(int));
  }

  /// Whether libbpf considers the maps or programs in two arrays `values` alike.
  bool hold_alike(const MapAttribute& a, const MapAttribute& b) const {
    if (a.type_id == 0 || b.type_id == 0) return a.type_id == b.type_id;
    if (types_.kind(a.type_id) != types_.kind(b.type_id)) return false;
    if (types_.kind(a.type_id) == BtfKind::FuncProto) return true;
    if (is_inner_) return false;  // maps are not nested deeper
    MapPair inner{types_, maps_.policy, a.type_id, b.type_id, false};
    return !MapComparison(inner, path_, true).run();
  }

  std::optional<TypeDifference> compare(const MapAttribute& a, uint32_t type_a,
                                        const MapAttribute& b, uint32_t type_b) const {
    using Form = MapAttribute::Form;
    auto whole = [&] { return differ(a, type_a, "", type_b, ""); };
    if (skip_modifiers(types_, type_a) == skip_modifiers(types_, type_b)) return std::nullopt;
    if (as_libbpf() && a.name == "map_extra") return std::nullopt;
    if (a.form != b.form) return whole();
    if (a.form == Form::Number) {
      if (a.number == b.number) return std::nullopt;
      return differ(a, type_a, fmt::format("value {}", a.number), type_b,
                    fmt::format("value {}", b.number));
    }
    if (as_libbpf() && a.form == Form::Values) return hold_alike(a, b) ? std::nullopt : whole();
    if (as_libbpf() && a.form == Form::Type && size_of(a) != size_of(b)) return whole();
    ComparePolicy policy = as_libbpf() ? maps_.policy : ComparePolicy::CCompatibleSameLength;
    TypeComparison comparison(types_, types_, policy);
    if (a.form == Form::Type) return comparison.run(a.type_id, b.type_id, path_of(a) + "->");
    if (a.form != Form::Values) return comparison.run(type_a, type_b, path_of(a));
    // The number of values does not matter.
    auto element = [&](uint32_t id) {
      return types_.type(skip_modifiers(types_, id)).array_element_type();
    };
    return comparison.run(element(type_a), element(type_b), path_of(a) + "[]");
  }

  MapPair maps_;
  const BtfView& types_;
  std::string_view path_;
  bool is_inner_;
  Attributes a_, b_;
};

}  // namespace

std::optional<TypeDifference> compare_maps(const MapPair& maps, std::string_view path) {
  return MapComparison(maps, path, false).run();
}

}  // namespace bpflink
