#include "random_types.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace bpflink::test {

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::vector<RandomUnit> run() {
    std::vector<RandomUnit> units{unit()};
    for (uint32_t i = below(4) + 1; i > 0; --i) {
      if (chance(20)) {
        units.push_back(unit());
        continue;
      }
      RandomUnit copy = shuffled(units[below(static_cast<uint32_t>(units.size()))]);
      for (uint32_t change = below(4); change > 0; --change) mutate(copy);
      units.push_back(std::move(copy));
    }
    return units;
  }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  std::string name(const char* prefix, uint32_t stock) {
    return prefix + std::to_string(below(stock));
  }

  RandomUnit unit() {
    RandomUnit unit;
    // An integer and a prototype, so that there always is something to refer to.
    unit.push_back({.kind = BTF_KIND_INT, .name = "int", .size = 4, .extra = 32});
    unit.push_back({.kind = BTF_KIND_FUNC_PROTO});
    for (uint32_t count = 3 + below(22); count > 0; --count) unit.push_back(type(unit));
    // What refers anywhere can do so only when all is there.
    for (RandomType& t : unit) {
      if (t.kind == BTF_KIND_PTR) t.type = any_type(unit);
      if (t.kind != BTF_KIND_FUNC_PROTO) continue;
      t.type = any_type(unit);
      for (auto& e : t.elements) e.type = any_type(unit);
    }
    return chance(70) ? shuffled(unit) : unit;
  }

  /// A type that may contain those before it by value.
  RandomType type(const RandomUnit& unit) {
    static constexpr BtfKind kinds[] = {
        BTF_KIND_INT,      BTF_KIND_PTR,      BTF_KIND_PTR,    BTF_KIND_PTR,       BTF_KIND_PTR,
        BTF_KIND_ARRAY,    BTF_KIND_STRUCT,   BTF_KIND_STRUCT, BTF_KIND_STRUCT,    BTF_KIND_STRUCT,
        BTF_KIND_UNION,    BTF_KIND_ENUM,     BTF_KIND_FWD,    BTF_KIND_FWD,       BTF_KIND_TYPEDEF,
        BTF_KIND_CONST,    BTF_KIND_FUNC,     BTF_KIND_VAR,    BTF_KIND_DATASEC,   BTF_KIND_FLOAT,
        BTF_KIND_DECL_TAG, BTF_KIND_TYPE_TAG, BTF_KIND_ENUM64, BTF_KIND_FUNC_PROTO};
    RandomType t{.kind = kinds[below(std::size(kinds))]};
    t.type = any_type(unit);
    switch (t.kind) {
      case BTF_KIND_INT:
        t.name = name("int", 2);
        t.size = 4;
        t.extra = 32;
        break;
      case BTF_KIND_ARRAY:
        t.extra = below(2);
        break;
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION:
        if (chance(75)) t.name = name("s", 5);
        t.size = 8 * below(2);
        for (uint32_t i = below(3); i > 0; --i)
          t.elements.push_back({name("m", 2), any_type(unit), 0});
        break;
      case BTF_KIND_ENUM:
      case BTF_KIND_ENUM64:
        if (chance(80)) t.name = name("s", 3);
        t.size = t.kind == BTF_KIND_ENUM ? 4 : 8;
        t.kind_flag = chance(20);
        // Without name and enumerators it would be no C.
        if (t.name.empty() || chance(50)) t.elements.push_back({name("E", 2), 0, below(2)});
        break;
      case BTF_KIND_FWD:
        t.name = name("s", 5);
        t.kind_flag = chance(20);
        break;
      case BTF_KIND_FUNC:
        t.name = name("f", 3);
        t.vlen = below(2);
        t.type = find(unit, BTF_KIND_FUNC_PROTO);
        break;
      case BTF_KIND_FUNC_PROTO:
        for (uint32_t i = below(3); i > 0; --i) t.elements.push_back({name("p", 2), 0, 0});
        break;
      case BTF_KIND_VAR:
        t.name = name("v", 3);
        break;
      case BTF_KIND_DATASEC:
        t.name = ".data";
        if (uint32_t var = find(unit, BTF_KIND_VAR)) t.elements.push_back({"", var, 0});
        break;
      case BTF_KIND_FLOAT:
        t.name = "double";
        t.size = 8;
        break;
      case BTF_KIND_TYPEDEF:
      case BTF_KIND_DECL_TAG:
      case BTF_KIND_TYPE_TAG:
        t.name = name("t", 3);
        t.extra = UINT32_MAX;
        break;
      default:
        break;
    }
    return t;
  }

  /// A type that others may refer to.
  uint32_t any_type(const RandomUnit& unit) {
    uint32_t id = 1 + below(static_cast<uint32_t>(unit.size()));
    BtfKind kind = unit[id - 1].kind;
    bool is_type = kind != BTF_KIND_VAR && kind != BTF_KIND_DATASEC && kind != BTF_KIND_FUNC &&
                   kind != BTF_KIND_DECL_TAG;
    return is_type ? id : 0;
  }

  uint32_t find(const RandomUnit& unit, BtfKind kind) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < unit.size(); ++i)
      if (unit[i].kind == kind) found.push_back(i + 1);
    return found.empty() ? 0 : found[below(static_cast<uint32_t>(found.size()))];
  }

  RandomUnit shuffled(const RandomUnit& unit) {
    std::vector<uint32_t> places(unit.size() + 1);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin() + 1, places.end(), random_);
    RandomUnit result(unit.size());
    for (uint32_t i = 0; i < unit.size(); ++i) {
      RandomType t = unit[i];
      t.type = places[t.type];
      for (auto& e : t.elements) e.type = places[e.type];
      result[places[i + 1] - 1] = std::move(t);
    }
    return result;
  }

  /// Changes one type so that no other needs to.
  void mutate(RandomUnit& unit) {
    RandomType& t = unit[below(static_cast<uint32_t>(unit.size()))];
    bool is_record = t.kind == BTF_KIND_STRUCT || t.kind == BTF_KIND_UNION;
    if (is_record && !t.name.empty() && chance(60)) {
      // A definition that this unit only declares.
      t = {.kind = BTF_KIND_FWD, .kind_flag = t.kind == BTF_KIND_UNION, .name = t.name};
    } else if (is_record || t.kind == BTF_KIND_INT) {
      t.size += 8;
    } else if (!t.name.empty() && (t.kind == BTF_KIND_ENUM || t.kind == BTF_KIND_ENUM64)) {
      t.elements.clear();
      if (chance(50)) t.kind = BTF_KIND_ENUM64;
    } else if (t.kind == BTF_KIND_PTR) {
      t.type = any_type(unit);
    }
  }

  std::mt19937_64 random_;
};

/// The units without type `index` of unit `u`; what referred to it refers to
/// void.
std::vector<RandomUnit> without(std::vector<RandomUnit> units, size_t u, uint32_t index) {
  RandomUnit& unit = units[u];
  auto renumber = [&](uint32_t& id) { id = id == index + 1 ? 0 : id > index + 1 ? id - 1 : id; };
  unit.erase(unit.begin() + index);
  for (RandomType& t : unit) {
    renumber(t.type);
    for (auto& e : t.elements) renumber(e.type);
  }
  return units;
}

}  // namespace

std::vector<RandomUnit> random_units(uint64_t seed) {
  return Generator(seed).run();
}

std::vector<std::byte> encode(const RandomUnit& unit) {
  BtfBuilder b;
  for (const RandomType& t : unit) {
    std::vector<uint32_t> extra;
    uint32_t third = t.type;
    switch (t.kind) {
      case BTF_KIND_ARRAY:
        extra = {t.type, 1, t.extra};
        third = 0;
        break;
      case BTF_KIND_INT:
        extra = {t.extra};
        third = t.size;
        break;
      case BTF_KIND_VAR:
      case BTF_KIND_DECL_TAG:
        extra = {t.extra};
        break;
      case BTF_KIND_FWD:
        third = 0;
        break;
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION:
      case BTF_KIND_ENUM:
      case BTF_KIND_ENUM64:
      case BTF_KIND_FLOAT:
      case BTF_KIND_DATASEC:
        third = t.size;
        break;
      default:
        break;
    }
    for (const auto& e : t.elements) {
      if (t.kind == BTF_KIND_DATASEC)
        extra.insert(extra.end(), {e.type, 0, 4});
      else if (t.kind == BTF_KIND_ENUM)
        extra.insert(extra.end(), {b.add_string(e.name), e.value});
      else if (t.kind == BTF_KIND_FUNC_PROTO)
        extra.insert(extra.end(), {b.add_string(e.name), e.type});
      else if (t.kind == BTF_KIND_ENUM64)
        extra.insert(extra.end(), {b.add_string(e.name), e.value, 0});
      else
        extra.insert(extra.end(), {b.add_string(e.name), e.type, e.value});
    }
    uint32_t vlen = t.kind == BTF_KIND_FUNC ? t.vlen : static_cast<uint32_t>(t.elements.size());
    b.add_type(b.add_string(t.name), BtfBuilder::info(t.kind, vlen, t.kind_flag), third, extra);
  }
  auto blob = b.finish(std::endian::native);
  return blob ? *blob : std::vector<std::byte>();
}

RandomUnit concatenate(const std::vector<RandomUnit>& units) {
  RandomUnit all;
  for (const RandomUnit& unit : units) {
    auto base = static_cast<uint32_t>(all.size());
    for (RandomType t : unit) {
      if (t.type != 0) t.type += base;
      for (auto& e : t.elements)
        if (e.type != 0) e.type += base;
      all.push_back(std::move(t));
    }
  }
  return all;
}

std::vector<RandomUnit> shrink(std::vector<RandomUnit> units,
                               const std::function<bool(const std::vector<RandomUnit>&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t u = 0; u < units.size() && units.size() > 1; ++u) {
      std::vector<RandomUnit> fewer = units;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(u));
      if (!fails(fewer)) continue;
      units = std::move(fewer);
      smaller = true;
    }
    for (size_t u = 0; u < units.size(); ++u) {
      for (uint32_t i = 0; i < units[u].size(); ++i) {
        std::vector<RandomUnit> fewer = without(units, u, i);
        if (!fails(fewer)) continue;
        units = std::move(fewer);
        smaller = true;
        --i;
      }
    }
  }
  return units;
}

std::string to_text(const std::vector<RandomUnit>& units) {
  std::string text;
  for (size_t u = 0; u < units.size(); ++u) {
    text += "unit " + std::to_string(u) + "\n";
    for (uint32_t i = 0; i < units[u].size(); ++i) {
      const RandomType& t = units[u][i];
      text += "  [" + std::to_string(i + 1) + "] " + std::string(btf_kind_name(t.kind)) + " '" +
              t.name + "' flag " + std::to_string(t.kind_flag) + " size " + std::to_string(t.size) +
              " type " + std::to_string(t.type) + " {";
      for (const auto& e : t.elements)
        text += " " + e.name + ":" + std::to_string(e.type) + "/" + std::to_string(e.value);
      text += " }\n";
    }
  }
  return text;
}

}  // namespace bpflink::test
