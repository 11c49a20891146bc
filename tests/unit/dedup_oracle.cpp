#include "dedup_oracle.hpp"

#include <algorithm>
#include <set>

#include "dedup/format/kinds.hpp"

namespace bpflink::test {

namespace {

std::string describe(const Btf& btf, uint32_t id) {
  if (id == 0) return "void";
  return "[" + std::to_string(id) + "] " + std::string(btf_kind_name(btf.type(id).kind())) + " '" +
         std::string(btf.name(btf.type(id))) + "'";
}

bool is_object(BtfType type) {
  return type.kind() == BTF_KIND_VAR || type.kind() == BTF_KIND_DATASEC;
}

bool is_enum(BtfType type) {
  return type.kind() == BTF_KIND_ENUM || type.kind() == BTF_KIND_ENUM64;
}

bool declares(BtfType type) {
  return type.kind() == BTF_KIND_FWD || (is_enum(type) && type.vlen() == 0);
}

/// A type's own words as text, ids left out.
std::string own_text(const Btf& btf, BtfType type) {
  std::vector<uint32_t> words(type.words().begin(), type.words().end());
  std::string text;
  for_each_string(std::span(words), [&](uint32_t& offset) {
    text += std::string(btf.string(offset)) + "|";
    offset = 0;
  });
  for_each_reference(std::span(words), [](uint32_t& id) { id = 0; });
  // Declarations of an enum may differ in size and mean the same.
  if (is_enum(type) && declares(type) && !btf.name(type).empty()) words = {0};
  for (uint32_t word : words) text += std::to_string(word) + ",";
  return text;
}

std::vector<uint32_t> references(BtfType type) {
  std::vector<uint32_t> ids;
  for_each_reference(type.words(), [&](uint32_t id) { ids.push_back(id); });
  return ids;
}

/// Whether `out` may stand for the forward declaration `in`.
bool resolves(const Btf& a, BtfType in, const Btf& b, BtfType out) {
  if (!declares(in) || a.name(in).empty() || a.name(in) != b.name(out)) return false;
  if (is_enum(in)) return is_enum(out);
  return out.kind() == (in.kind_flag() ? BTF_KIND_UNION : BTF_KIND_STRUCT);
}

}  // namespace

std::vector<std::vector<uint32_t>> color_types(const std::vector<const Btf*>& graphs,
                                               Objects objects) {
  std::vector<std::vector<uint32_t>> colors;
  std::map<std::string, uint32_t> own;
  for (const Btf* btf : graphs) {
    std::vector<uint32_t>& c = colors.emplace_back(btf->end_id());
    for (uint32_t id = 1; id < btf->end_id(); ++id) {
      std::string text = own_text(*btf, btf->type(id));
      if (objects == Objects::apart && is_object(btf->type(id))) text += "#" + std::to_string(id);
      c[id] = own.emplace(text, own.size() + 1).first->second;
    }
  }
  for (size_t count = own.size();;) {
    std::map<std::vector<uint32_t>, uint32_t> signatures;
    std::vector<std::vector<uint32_t>> next = colors;
    for (size_t g = 0; g < graphs.size(); ++g) {
      for (uint32_t id = 1; id < graphs[g]->end_id(); ++id) {
        std::vector<uint32_t> signature{colors[g][id]};
        for (uint32_t child : references(graphs[g]->type(id)))
          signature.push_back(colors[g][child]);
        next[g][id] = signatures.emplace(signature, signatures.size() + 1).first->second;
      }
    }
    colors = std::move(next);
    if (signatures.size() == count) return colors;
    count = signatures.size();
  }
}

std::string find_fault(const std::vector<const Btf*>& inputs, const std::vector<TypeMap>& maps,
                       const Btf& output) {
  std::set<uint32_t> used;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Btf& in = *inputs[i];
    for (uint32_t id = in.first_id(); id < in.end_id(); ++id) {
      uint32_t to = maps[i][id];
      std::string pair = "input " + std::to_string(i) + " " + describe(in, id) + " -> ";
      if (to == 0 || to >= output.end_id()) return pair + std::to_string(to);
      pair += describe(output, to);
      used.insert(to);
      if (resolves(in, in.type(id), output, output.type(to))) continue;
      if (own_text(in, in.type(id)) != own_text(output, output.type(to))) return pair + " differs";
      std::vector<uint32_t> from = references(in.type(id));
      std::vector<uint32_t> into = references(output.type(to));
      for (size_t r = 0; r < from.size(); ++r)
        if (maps[i][from[r]] != into[r])
          return pair + ": reference " + std::to_string(r) + " " + describe(in, from[r]) +
                 " became " + describe(output, into[r]) + ", not " +
                 describe(output, maps[i][from[r]]);
    }
  }
  for (uint32_t id = output.first_id(); id < output.end_id(); ++id)
    if (!used.contains(id)) return "output " + describe(output, id) + " comes from nowhere";

  std::vector<uint32_t> colors = color_types({&output}, Objects::apart)[0];
  std::map<uint32_t, uint32_t> first;
  for (uint32_t id = 1; id < output.end_id(); ++id) {
    auto [it, is_new] = first.emplace(colors[id], id);
    if (!is_new)
      return describe(output, it->second) + " and " + describe(output, id) + " are equal";
  }

  std::map<std::string, int> definitions;
  auto tag = [&](BtfType t) {
    bool is_union = t.kind() == BTF_KIND_UNION || (t.kind() == BTF_KIND_FWD && t.kind_flag());
    return (is_enum(t) ? "enum " : is_union ? "union " : "struct ") + std::string(output.name(t));
  };
  for (uint32_t id = 1; id < output.end_id(); ++id) {
    BtfType t = output.type(id);
    bool defines = t.kind() == BTF_KIND_STRUCT || t.kind() == BTF_KIND_UNION || is_enum(t);
    if (defines && !declares(t)) ++definitions[tag(t)];
  }
  for (uint32_t id = output.first_id(); id < output.end_id(); ++id) {
    BtfType t = output.type(id);
    if (declares(t) && !output.name(t).empty() && definitions[tag(t)] == 1)
      return describe(output, id) + " was not resolved";
  }
  return "";
}

std::string find_difference(const Btf& a, const Btf& b) {
  auto colors = color_types({&a, &b}, Objects::by_words);
  std::map<uint32_t, int> balance;
  std::map<uint32_t, std::string> names;
  for (uint32_t id = 1; id < a.end_id(); ++id) {
    ++balance[colors[0][id]];
    names[colors[0][id]] = "first has " + describe(a, id);
  }
  for (uint32_t id = 1; id < b.end_id(); ++id) {
    --balance[colors[1][id]];
    names.emplace(colors[1][id], "second has " + describe(b, id));
  }
  for (auto [color, count] : balance)
    if (count != 0) return names[color] + " and the other has not as many";
  return "";
}

}  // namespace bpflink::test
