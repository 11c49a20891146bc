// Explains why types of one name did not become one type: lists the definitions, the inputs that
// have them, and the first difference (compare/compare.hpp).
#include "bpflink/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>

#include "bpflink/print.hpp"
#include "dedup/compare/compare.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/print/c_layout.hpp"
#include "dedup/print/c_scalars.hpp"
#include "dedup/print/select_types.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

constexpr size_t max_names = 5;  ///< inputs listed by name for one definition

/// A type of the output and the inputs that have it.
struct Definition {
  uint32_t id;
  std::vector<size_t> inputs;
};

/// Fills in the inputs of definitions, which are by id.
void find_inputs(const Explainable& result, const std::vector<Definition*>& by_id) {
  for (size_t input = 0; input < result.type_maps.size(); ++input) {
    const TypeMap& map = result.type_maps[input];
    // Lower ids are those of the base.
    for (uint32_t id = map.first_id(); id < map.end_id(); ++id) {
      if (!by_id[map[id]]) continue;
      std::vector<size_t>& inputs = by_id[map[id]]->inputs;
      if (inputs.empty() || inputs.back() != input) inputs.push_back(input);
    }
  }
}

std::vector<Definition> find_definitions(const Explainable& result, const Subject& subject) {
  std::vector<Definition> definitions;
  for (uint32_t id = 1; id < result.output.end_id(); ++id)
    if (subject.matches(result.output, result.output.type(id))) definitions.push_back({id, {}});
  std::vector<Definition*> by_id(result.output.end_id());
  for (Definition& definition : definitions) by_id[definition.id] = &definition;
  find_inputs(result, by_id);
  return definitions;
}

bool is_only_declared(const BtfView& btf, uint32_t id) {
  return id != 0 && is_declaration(btf.type(id));
}

/// The definitions of each tag, for declarations. A name stands once among the output's strings.
class TagDefinitions {
 public:
  explicit TagDefinitions(const BtfView& btf) {
    for (uint32_t id = 1; id < btf.end_id(); ++id)
      if (TagSpace space = tag_space(btf.type(id));
          space != TagSpace::None && !is_only_declared(btf, id))
        definitions_.push_back({{space, btf.type(id).name_off()}, id});
    std::ranges::sort(definitions_);
  }

  /// The definitions that a declaration could mean: "[3] or [7]", or "" if there are none.
  std::string list(BtfType declared) const {
    std::vector<uint32_t> candidates;
    for (auto [tag, id] :
         std::ranges::equal_range(definitions_, Tag{tag_space(declared), declared.name_off()}, {},
                                  &std::pair<Tag, uint32_t>::first))
      candidates.push_back(id);
    std::string text;
    for (size_t i = 0; i < std::min(candidates.size(), max_names); ++i)
      text += fmt::format("{}[{}]",
                          i == 0                       ? ""
                          : i + 1 == candidates.size() ? " or "
                                                       : ", ",
                          candidates[i]);
    if (candidates.size() > max_names)
      text += fmt::format(" or {} more", candidates.size() - max_names);
    return text;
  }

 private:
  using Tag = std::pair<TagSpace, uint32_t>;  ///< with the offset of the name
  std::vector<std::pair<Tag, uint32_t>> definitions_;
};

/// The text of the first difference of two types of one name.
class DifferenceText {
 public:
  DifferenceText(const BtfView& types, const TagDefinitions& tags, std::string left,
                 std::string right)
      : types_(types), tags_(tags), left_(std::move(left)), right_(std::move(right)) {}

  /// "s.p: int * in a.o, long * in b.o". If both types have the same text, their notes are shown.
  std::string put(const TypeDifference& difference) const {
    const DifferenceSide &a = difference.a, &b = difference.b;
    std::string text_a = describe(a), text_b = describe(b), place = difference.place();
    if (has_two_names(a, b)) {
      place = fmt::format("{}, member {}", difference.path, a.member + 1);
      text_a = declare_member(a);
      text_b = declare_member(b);
    } else if (text_a == text_b) {
      text_a = a.note;
      text_b = b.note;
    }
    return fmt::format("{}: {} in {}, {} in {}", printable(place), text_a, left_, text_b, right_);
  }

 private:
  std::optional<BtfMember> member_of(const DifferenceSide& side) const {
    if (side.member < 0 || !is_composite(types_.kind(side.definition))) return std::nullopt;
    return types_.type(side.definition).member(side.member);
  }
  bool has_two_names(const DifferenceSide& a, const DifferenceSide& b) const {
    auto member_a = member_of(a), member_b = member_of(b);
    return member_a && member_b &&
           types_.string(member_a->name_off) != types_.string(member_b->name_off);
  }
  std::string declare_member(const DifferenceSide& side) const {
    BtfMember member = *member_of(side);
    return fmt::format("'{}'",
                       print_c_declaration(types_, member.type, types_.string(member.name_off)));
  }
  /// The type, and if it is only declared, its possible definitions; or why there is no type.
  std::string describe(const DifferenceSide& side) const {
    if (side.type == 0 && !side.note.empty()) return side.note;
    std::string text = print_c_declaration(types_, side.type);
    uint32_t id = side.definition != 0 && side.member < 0 ? side.definition : side.type;
    if (!is_only_declared(types_, id)) return text;
    std::string candidates = tags_.list(types_.type(id));
    return text + (candidates.empty() ? " (only declared)"
                                      : " (only declared, could be " + candidates + ")");
  }

  BtfView types_;
  const TagDefinitions& tags_;
  std::string left_, right_;
};

bool is_in_base(const Explainable& result, const Definition& definition) {
  return definition.id < result.output.first_id();
}

std::string list_inputs(const Explainable& result, const Definition& definition) {
  size_t count = definition.inputs.size();
  std::string text = is_in_base(result, definition) ? "from the base" : "from ";
  // A static variable of a linked image, for example
  if (count == 0) return is_in_base(result, definition) ? text : "from the linked image";
  if (is_in_base(result, definition)) text += " and ";
  if (count > 1) text += fmt::format("{} inputs: ", count);
  return text + list_of(definition.inputs, max_names,
                        [&](uint32_t input) { return printable(result.input_names[input]); });
}

/// The input that one side of a difference is from.
std::string side(const Explainable& result, const Definition& definition) {
  if (is_in_base(result, definition)) return "the base";
  return definition.inputs.empty() ? "the linked image"
                                   : printable(result.input_names[definition.inputs[0]]);
}

/// What explanations have cost so far. Comparing two definitions may walk through all types, and
/// some structs and names are long.
struct Effort {
  size_t work = 0, text = 0;
  bool is_spent(size_t more_text = 0) const {
    return work > 1'000'000 || text + more_text > 4'000'000;
  }
};

/// Adds the number of compared pairs of types to `effort`.
std::string explain_definitions(const Explainable& result, const Subject& subject,
                                const std::vector<Definition>& definitions,
                                const TagDefinitions& tags, Effort& effort) {
  std::string what = fmt::format("{} {}", subject.keyword, printable(subject.name));
  std::string text = definitions.size() == 1
                         ? fmt::format("{} is one type\n", what)
                         : fmt::format("{} stayed {} types\n", what, definitions.size());
  const Definition* first = nullptr;  // the first one that is not only a declaration
  for (const Definition& definition : definitions) {
    if (effort.is_spent(text.size())) {
      text += fmt::format("\nand {} more\n", &definitions.back() + 1 - &definition);
      break;
    }
    text += fmt::format("\n[{}] {}\n{}\n", definition.id, list_inputs(result, definition),
                        print_c_definition(result.output, definition.id));
    if (subject.is_tag() && is_only_declared(result.output, definition.id)) {
      std::string candidates = tags.list(result.output.type(definition.id));
      text += candidates.empty() ? "only declared: no input defines it\n"
                                 : fmt::format("only declared: could be {}\n", candidates);
      continue;
    }
    if (first == nullptr) {
      first = &definition;
      continue;
    }
    std::string left = side(result, *first);
    std::string right = side(result, definition);
    if (left == right) {
      left = fmt::format("[{}]", first->id);
      right = fmt::format("[{}]", definition.id);
    }
    TypeComparison comparison(result.output, result.output, ComparePolicy::Identical);
    auto difference = comparison.run(first->id, definition.id, subject.name);
    effort.work += comparison.work();
    if (!difference && subject.keyword == "var") {
      text += fmt::format("has the type of [{}], and is another variable\n", first->id);
      continue;
    }
    text +=
        fmt::format("differs from [{}]: {}\n", first->id,
                    difference ? DifferenceText(result.output, tags, left, right).put(*difference)
                               : "too many types to compare");
  }
  effort.text += text.size();
  return text;
}

/// A tag with its definitions.
struct DefinedTag {
  Subject subject;
  std::vector<Definition> definitions;
};

/// All defined tags, in order of their first definition.
std::vector<DefinedTag> find_defined_tags(const BtfView& btf) {
  std::vector<DefinedTag> tags;
  std::map<std::pair<std::string_view, uint32_t>, size_t>
      index;  // by keyword and offset of the name
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (type.name_off() == 0 || is_only_declared(btf, id)) continue;
    for (const Subject& subject : all_subjects()) {
      if (!subject.is_tag() || !subject.has_kind_of(type)) continue;
      auto [entry, is_new] = index.try_emplace({subject.keyword, type.name_off()}, tags.size());
      if (is_new) tags.push_back({{subject.keyword, subject.kinds, btf.name(type)}, {}});
      tags[entry->second].definitions.push_back({id, {}});
    }
  }
  return tags;
}

/// The tags with several definitions.
std::vector<DefinedTag> find_ambiguous_tags(const Explainable& result) {
  std::vector<DefinedTag> tags = find_defined_tags(result.output);
  std::erase_if(tags, [](const DefinedTag& tag) { return tag.definitions.size() < 2; });
  std::vector<Definition*> by_id(result.output.end_id());
  for (DefinedTag& tag : tags)
    for (Definition& definition : tag.definitions) by_id[definition.id] = &definition;
  find_inputs(result, by_id);
  return tags;
}

/// A member of several definitions of a struct.
struct SharedMember {
  std::vector<uint64_t> keys;
  std::vector<size_t> inputs;
  std::map<std::string, std::vector<size_t>> places, types;  ///< with their inputs
};

/// The named members of a struct's definitions, with those of anonymous structs. Each member takes
/// one from `left`, and a long type more; at 0 there may be others.
std::map<std::string_view, SharedMember> find_shared_members(
    const BtfView& btf, const std::vector<Definition>& definitions, size_t& left) {
  std::map<std::string_view, SharedMember> members;
  for (const Definition& definition : definitions) {
    std::vector<std::pair<uint32_t, uint64_t>> open{{definition.id, 0}};  // with offsets
    for (size_t i = 0; i < open.size() && left != 0; ++i) {
      auto [id, start] = open[i];
      BtfType record = btf.type(id);
      uint32_t count = is_composite(record.kind()) ? record.vlen() : 0;
      for (uint32_t at = 0; at < count && left != 0; ++at, --left) {
        MemberBits bits = member_bits(btf, record, at);
        BtfMember member = record.member(at);
        if (std::string_view name = btf.string(member.name_off); name.empty()) {
          open.emplace_back(member.type, start + bits.offset);
        } else {
          SharedMember& shared = members[name];
          uint64_t offset = start + bits.offset;
          shared.keys.push_back(member_key(id, at));
          std::string place =
              offset % 8 != 0 ? fmt::format("bit {}", offset) : fmt::format("byte {}", offset / 8);
          std::string type = print_c_declaration(btf, member.type);
          left -= std::min(left - 1, type.size() / 64);  // one remains for the loop
          if (size_t body = type.find('\n'); body != type.npos)
            type.replace(body, type.npos, "...}");
          if (bits.width != 0) type += fmt::format(": {}", bits.width);
          for (auto* inputs : {&shared.inputs, &shared.places[place], &shared.types[type]})
            inputs->insert(inputs->end(), definition.inputs.begin(), definition.inputs.end());
        }
      }
    }
  }
  return members;
}

/// What differs in a member of a struct that `all` inputs have: since or until when they have it,
/// where it is, its type.
std::string describe_member(const Explainable& result, const SharedMember& member,
                            const std::set<size_t>& all) {
  auto name = [&](size_t input) {
    std::string text = printable(result.input_names[input]);
    std::ranges::replace(text, '*', '?');  // ends no comment
    return text;
  };
  std::set<size_t> with(member.inputs.begin(), member.inputs.end());
  std::vector<size_t> without;
  std::ranges::set_difference(all, with, std::back_inserter(without));
  std::vector<std::string> notes;
  if (with.empty()) return "";
  if (!without.empty())
    notes.push_back(without.back() < *with.begin() ? "since " + name(*with.begin())
                    : without.front() > *with.rbegin()
                        ? "until " + name(*with.rbegin())
                        : "not in " + list_of(without, max_names, name));
  for (auto [what, groups] : {std::pair("moved", &member.places), {"type", &member.types}}) {
    if (groups->size() < 2) continue;
    std::map<std::vector<size_t>, std::string_view> by_inputs;
    for (const auto& [text, inputs] : *groups) by_inputs.emplace(inputs, text);
    auto texts =
        by_inputs | std::views::transform([&](const auto& group) {
          return fmt::format("{} in {}", group.second, list_of(group.first, max_names, name));
        });
    notes.push_back(fmt::format("{}: {}", what, fmt::join(texts, "; ")));
  }
  return fmt::format("{}", fmt::join(notes, ", "));
}

}  // namespace

std::expected<MemberNotes, Error> compare_members(const Explainable& result,
                                                  const TypeKeys& taken_along) {
  MemberNotes notes;
  size_t left = size_t{1} << 20;  // five whole kernels need less
  for (const DefinedTag& tag : find_ambiguous_tags(result)) {
    if (is_enum(tag.subject.kinds.front())) continue;
    std::set<size_t> all;
    for (const Definition& definition : tag.definitions)
      all.insert(definition.inputs.begin(), definition.inputs.end());
    for (const auto& [name, member] : find_shared_members(result.output, tag.definitions, left)) {
      if (taken_along.contains(
              fmt::format("{} {}.{}", tag.subject.keyword, tag.subject.name, name)))
        continue;
      if (std::string note = describe_member(result, member, all); !note.empty())
        for (uint64_t key : member.keys) notes[key] = note;
    }
    if (left == 0)
      return fail("{} {} and others have too many members to compare", tag.subject.keyword,
                  shown_name(tag.subject.name));
  }
  return notes;
}

std::vector<SplitTag> find_split_tags(const Explainable& result) {
  std::vector<DefinedTag> tags = find_ambiguous_tags(result);
  TagDefinitions definitions(result.output);
  std::vector<SplitTag> split;
  split.reserve(tags.size());
  Effort effort;
  for (const DefinedTag& tag : tags) {
    SplitTag& described =
        split.emplace_back(fmt::format("{} {}", tag.subject.keyword, tag.subject.name),
                           static_cast<uint32_t>(tag.definitions.size()));
    if (effort.is_spent()) continue;
    described.difference =
        explain_definitions(result, tag.subject, tag.definitions, definitions, effort);
  }
  return split;
}

std::expected<std::string, Error> explain(const Explainable& result, std::string_view what) {
  auto subjects = TRY(parse_subjects(what));
  TagDefinitions tags(result.output);
  std::string text;
  Effort effort;
  for (const Subject& subject : subjects) {
    std::vector<Definition> definitions = find_definitions(result, subject);
    if (definitions.empty()) continue;
    if (!text.empty()) text += '\n';
    text += explain_definitions(result, subject, definitions, tags, effort);
  }
  if (text.empty())
    return fail(
        fmt::format("no input has a type '{}'{}", what, suggest_type(result.output, subjects)));
  return text;
}

}  // namespace bpflink
