#include "random_types.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>

namespace bpflink::test {

namespace {

/// Removes id `id`: higher ids decrease, and references to it become void.
void close_gap(RandomUnit& unit, uint32_t id) {
  for (RandomType& t : unit)
    for_each_id(t, [&](uint32_t& to) { to = to == id ? 0 : to > id ? to - 1 : to; });
}

/// The inputs without the type at `index` of a base or input
RandomInputs without_type(RandomInputs inputs, bool in_base, size_t u, uint32_t index) {
  uint32_t id = index + (in_base ? inputs.first_id_of_base(u) : inputs.first_id());
  RandomUnit& unit = in_base ? inputs.bases[u] : inputs.inputs[u];
  unit.erase(unit.begin() + index);
  if (!in_base) {
    close_gap(unit, id);
    return inputs;
  }
  for (size_t b = u; b < inputs.bases.size(); ++b) close_gap(inputs.bases[b], id);
  for (RandomUnit& input : inputs.inputs) close_gap(input, id);
  return inputs;
}

/// The words of a type after the common three
std::vector<uint32_t> extra_words(const RandomType& t,
                                  const std::function<uint32_t(const std::string&)>& place) {
  std::vector<uint32_t> extra;
  if (t.kind == BtfKind::Array) extra = {t.type, t.index, t.number};
  if (t.kind == BtfKind::Int || t.kind == BtfKind::Var || t.kind == BtfKind::DeclTag)
    extra = {t.number};
  for (const auto& e : t.elements) {
    auto low = static_cast<uint32_t>(e.value), high = static_cast<uint32_t>(e.value >> 32);
    if (t.kind == BtfKind::Datasec)
      extra.insert(extra.end(), {e.type, low, 4});
    else if (t.kind == BtfKind::Enum)
      extra.insert(extra.end(), {place(e.name), low});
    else if (t.kind == BtfKind::FuncProto)
      extra.insert(extra.end(), {place(e.name), e.type});
    else if (t.kind == BtfKind::Enum64)
      extra.insert(extra.end(), {place(e.name), low, high});
    else
      extra.insert(extra.end(), {place(e.name), e.type, low});
  }
  return extra;
}

/// The third common word
uint32_t size_or_type(const RandomType& t) {
  switch (t.kind) {
    case BtfKind::Array:
    case BtfKind::Fwd:
      return 0;
    case BtfKind::Int:
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Enum:
    case BtfKind::Enum64:
    case BtfKind::Float:
    case BtfKind::Datasec:
      return t.size;
    default:
      return t.type;
  }
}

}  // namespace

uint32_t RandomInputs::first_id_of_base(size_t place) const {
  uint32_t id = 1;
  for (size_t i = 0; i < place; ++i) id += static_cast<uint32_t>(bases[i].size());
  return id;
}

RandomUnit permuted(const RandomUnit& unit, uint32_t first_id, Random& random,
                    std::vector<uint32_t>& places) {
  places.resize(first_id + unit.size());
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin() + first_id, places.end(), random);
  RandomUnit result(unit.size());
  for (uint32_t i = 0; i < unit.size(); ++i) {
    RandomType t = unit[i];
    for_each_id(t, [&](uint32_t& to) { to = places[to]; });
    result[places[first_id + i] - first_id] = std::move(t);
  }
  return result;
}

RandomUnit concatenate(const std::vector<RandomUnit>& units, uint32_t first_id) {
  RandomUnit all;
  for (const RandomUnit& unit : units) {
    auto shift = static_cast<uint32_t>(all.size());
    for (RandomType t : unit) {
      for_each_id(t, [&](uint32_t& to) {
        if (to >= first_id) to += shift;
      });
      all.push_back(std::move(t));
    }
  }
  return all;
}

std::vector<std::byte> encode(const RandomUnit& unit, uint32_t first_string) {
  std::string strings;
  std::map<std::string, uint32_t> offsets;
  uint32_t uses = 0;
  auto place = [&](const std::string& text) -> uint32_t {
    if (text.empty()) return 0;
    auto offset = static_cast<uint32_t>(first_string + strings.size());
    auto [found, is_new] = offsets.emplace(text, offset);
    if (!is_new && ++uses % 5 != 0) return found->second;
    strings.append(text).push_back('\0');
    return offset;
  };
  if (first_string == 0) strings.push_back('\0');
  std::vector<uint32_t> words;
  for (const RandomType& t : unit) {
    uint32_t vlen = t.kind == BtfKind::Func ? t.number : static_cast<uint32_t>(t.elements.size());
    words.insert(words.end(),
                 {place(t.name), BtfBuilder::info(t.kind, vlen, t.kind_flag), size_or_type(t)});
    std::vector<uint32_t> extra = extra_words(t, place);
    words.insert(words.end(), extra.begin(), extra.end());
  }
  if (strings.empty()) strings.push_back('\0');
  auto type_bytes = static_cast<uint32_t>(4 * words.size());
  // The 16-bit magic number, the version and no flags, in the host's byte order
  bool is_little = std::endian::native == std::endian::little;
  uint32_t header[] = {is_little ? 0x0001eb9f : 0xeb9f0100,  24, 0, type_bytes, type_bytes,
                       static_cast<uint32_t>(strings.size())};
  words.insert(words.begin(), std::begin(header), std::end(header));
  std::vector<std::byte> blob(4 * words.size() + strings.size());
  std::memcpy(blob.data(), words.data(), 4 * words.size());
  std::memcpy(&blob[4 * words.size()], strings.data(), strings.size());
  return blob;
}

RandomInputs shrink(RandomInputs inputs, const std::function<bool(const RandomInputs&)>& fails) {
  bool is_smaller = true;
  auto keep = [&](RandomInputs fewer) {
    if (!fails(fewer)) return false;
    inputs = std::move(fewer);
    return is_smaller = true;
  };
  auto drop_types = [&](bool in_base, size_t u) {
    auto size = [&] { return (in_base ? inputs.bases[u] : inputs.inputs[u]).size(); };
    for (uint32_t i = 0; i < size();)
      if (!keep(without_type(inputs, in_base, u, i))) ++i;
  };
  while (is_smaller) {
    is_smaller = false;
    for (size_t u = 0; u < inputs.inputs.size() && inputs.inputs.size() > 1;) {
      RandomInputs fewer = inputs;
      fewer.inputs.erase(fewer.inputs.begin() + static_cast<ptrdiff_t>(u));
      if (!keep(std::move(fewer))) ++u;
    }
    for (size_t u = 0; u < inputs.inputs.size(); ++u) drop_types(false, u);
    for (size_t u = 0; u < inputs.bases.size(); ++u) drop_types(true, u);
    for (size_t u = 0; u < inputs.inputs.size(); ++u)
      for (size_t i = 0; i < inputs.inputs[u].size(); ++i)
        for (size_t e = 0; e < inputs.inputs[u][i].elements.size();) {
          RandomInputs fewer = inputs;
          auto& elements = fewer.inputs[u][i].elements;
          elements.erase(elements.begin() + static_cast<ptrdiff_t>(e));
          if (!keep(std::move(fewer))) ++e;
        }
    if (!inputs.bases.empty() && inputs.bases.back().empty()) {
      RandomInputs fewer = inputs;
      fewer.bases.pop_back();
      keep(std::move(fewer));
    }
  }
  return inputs;
}

std::string to_text(const RandomInputs& inputs) {
  std::string text;
  auto add = [&](const std::string& title, const RandomUnit& unit, uint32_t id) {
    text += title + "\n";
    for (const RandomType& t : unit) {
      text += "  [" + std::to_string(id++) + "] " + std::string(btf_kind_name(t.kind));
      if (!t.name.empty()) text += " '" + t.name + "'";
      if (t.kind_flag) text += " flag";
      if (t.size != 0) text += " size " + std::to_string(t.size);
      if (size_or_type(t) == t.type && t.kind != BtfKind::Fwd)
        text += " -> " + std::to_string(t.type);
      if (t.kind == BtfKind::Array)
        text += " of " + std::to_string(t.type) + " by " + std::to_string(t.index);
      if (t.number != 0) text += " number " + std::to_string(static_cast<int32_t>(t.number));
      if (t.is_omitted) text += " omitted";
      for (const auto& e : t.elements)
        text += ", " + e.name + " -> " + std::to_string(e.type) + " at " + std::to_string(e.value);
      text += "\n";
    }
  };
  for (size_t u = 0; u < inputs.bases.size(); ++u)
    add("base " + std::to_string(u), inputs.bases[u], inputs.first_id_of_base(u));
  for (size_t u = 0; u < inputs.inputs.size(); ++u)
    add("input " + std::to_string(u), inputs.inputs[u], inputs.first_id());
  return text;
}

}  // namespace bpflink::test
