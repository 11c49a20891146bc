// A search over needs (c_types.hpp) from the chosen types gives the types of the new blob. Structs
// that are only mentioned become declarations in it.
#include "dedup/print/select_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <ranges>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/print/c_types.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

constexpr std::string_view kfunc_tag = "bpf_kfunc";

/// Whether a name of BTF, which ends with a zero, matches a pattern.
bool matches(const std::string& pattern, std::string_view name) {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  return ::fnmatch(pattern.c_str(), name.data(), 0) == 0;
}

/// How a type is needed.
enum class Use : uint8_t { Full, Sized, Mentioned };

class Selector {
 public:
  Selector(const BtfView& btf, TypeChoice& choice, PrintedChoice& printed)
      : btf_(btf),
        choice_(choice),
        printed_(printed),
        is_kfunc_(btf.end_id()),
        is_included_(btf.end_id()),
        has_size_alone_(btf.end_id()),
        is_seen_(3 * size_t{btf.end_id()}) {}

  std::expected<std::vector<std::byte>, Error> run(std::endian order) {
    printed_.is_part = true;
    find_tags();
    for (const Btf* program : choice_.programs) add_names_of(*program);
    for (TypePattern& pattern : choice_.types)
      if (!pattern.has_wildcards) exact_[pattern.name].push_back(&pattern);
    for (uint32_t id = 1; id < btf_.end_id(); ++id) consider(id);
    trim();
    follow(true);
    // What is omitted need not be printed, but its layout must be known.
    for (uint32_t id : omitted_) add_needs(id, Use::Full);
    follow(false);
    return build(order);
  }

 private:
  void find_tags() {
    for (uint32_t id = 1; id < btf_.end_id(); ++id) {
      BtfType type = btf_.type(id);
      if (is_composite(type.kind()) && type.name_off() != 0 && !choice_.programs.empty())
        records_.insert(btf_.name(type));
      if (type.kind() != BtfKind::DeclTag) continue;
      tags_.push_back(id);
      if (type.component_idx() == -1 && btf_.name(type) == kfunc_tag) is_kfunc_[type.type()] = true;
    }
  }

  /// Adds what a program's functions, variables and own structs name. Of a kernel's structs, a
  /// program has all that its header had, which tells nothing.
  void add_names_of(const Btf& program) {
    std::vector<bool> is_seen(2 * size_t{program.end_id()});
    std::vector<std::pair<uint32_t, bool>> open;  // with whether a declaration is enough
    for (uint32_t id = 1; id < program.end_id(); ++id)
      if (std::string_view name = program.name(program.type(id));
          is_of_program(program.kind(id)) ||
          (is_composite(program.kind(id)) && !name.empty() && !records_.contains(name)))
        open.emplace_back(id, true);
    while (!open.empty()) {
      auto [id, is_mentioned] = open.back();
      open.pop_back();
      if (id == 0 || is_seen[2 * size_t{id} + is_mentioned]) continue;
      is_seen[2 * size_t{id} + is_mentioned] = true;
      BtfType type = program.type(id);
      BtfKind kind = type.kind();
      std::string_view name = program.name(type);
      bool is_record = is_composite(kind) || kind == BtfKind::Fwd;
      if (!name.empty() && (is_record || is_enum(kind) || kind == BtfKind::Typedef))
        (kind == BtfKind::Typedef    ? choice_.names
         : is_record && is_mentioned ? choice_.mentioned
                                     : choice_.tags)
            .insert(name);
      if (is_record && records_.contains(name)) continue;
      bool leads_behind =
          is_modifier(kind) ? is_mentioned : kind == BtfKind::Ptr || kind == BtfKind::FuncProto;
      for_each_reference(type.words(), [&](uint32_t to) { open.emplace_back(to, leads_behind); });
    }
  }

  void consider(uint32_t id) {
    BtfType type = btf_.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Var || kind == BtfKind::Datasec || kind == BtfKind::DeclTag) return;
    if (std::string_view name = btf_.name(type); !name.empty()) choose(id, name, false);
    for (uint32_t i = 0; is_enum(kind) && i < type.vlen(); ++i)
      choose(id, btf_.string(type.enumerator(i).name_off), true);
  }

  /// Chooses a type by one of its names. Programs may call a function that is not marked as a
  /// kfunc, in kernels that mark none, but only whoever names it as a whole means that.
  void choose(uint32_t id, std::string_view name, bool is_enumerator) {
    BtfType type = btf_.type(id);
    bool is_function = type.kind() == BtfKind::Func;
    auto means = [&](const TypePattern& pattern) {
      return is_enumerator ? pattern.subjects.size() > 1 : pattern.has_kind_of(type);
    };
    bool is_tag = !is_enumerator && tag_space(type) != TagSpace::None;
    bool is_chosen =
        (is_tag ? choice_.tags : choice_.names).contains(name) && (!is_function || is_kfunc_[id]);
    is_chosen |= is_function && choice_.functions.contains(name);
    if (auto found = exact_.find(name); found != exact_.end())
      for (TypePattern* pattern : found->second)
        if (means(*pattern)) is_chosen = pattern->is_matched = true;
    if (!is_function || is_kfunc_[id])
      for (TypePattern& pattern : choice_.types)
        if (pattern.has_wildcards && means(pattern) && matches(pattern.name, name))
          is_chosen = pattern.is_matched = true;
    bool is_record = is_composite(type.kind());
    if (!is_chosen) {
      if ((is_record || type.kind() == BtfKind::Fwd) && choice_.mentioned.contains(name))
        mentioned_.push_back(id);
      if (auto found = choice_.pointers.find(name); is_record && found != choice_.pointers.end())
        if (std::ranges::any_of(found->second, [&](auto pointer) { return is_used(id, pointer); }))
          add(id);
      bool is_target = is_function || type.kind() == BtfKind::Typedef;
      if (is_target && choice_.targets.contains(name)) mention(id);
      return;
    }
    if (type.kind() == BtfKind::Fwd) return mentioned_.push_back(id);
    if (is_record) chosen_records_.push_back(id);
    if (is_function) functions_.push_back(id);
    add(id);
  }

  /// The type behind modifiers and pointers, and behind the name of a function.
  uint32_t pointee(uint32_t id) const {
    constexpr int longest = 64;
    for (int step = 0; step < longest && id != 0; ++step) {
      BtfKind kind = btf_.kind(id);
      if (!is_modifier(kind) && kind != BtfKind::Ptr && kind != BtfKind::Func) return id;
      id = btf_.type(id).type();
    }
    return 0;
  }

  /// Notes a function, or a pointer to one, whose parameters a program names: by value, or behind
  /// pointers.
  void mention(uint32_t id) {
    uint32_t proto = pointee(id);
    if (btf_.kind(proto) != BtfKind::FuncProto) return;
    BtfType type = btf_.type(proto);
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      uint32_t target = pointee(type.param(i).type);
      bool is_record = is_composite(btf_.kind(target)) || btf_.kind(target) == BtfKind::Fwd;
      if (is_record && !btf_.name(btf_.type(target)).empty()) mentioned_.push_back(target);
      add(type.param(i).type, Use::Mentioned);
    }
  }

  void trim() {
    for (uint32_t id : chosen_records_) {
      BtfType type = btf_.type(id);
      auto patterns = choice_.members.find(btf_.name(type));
      if (patterns == choice_.members.end()) continue;
      std::vector<bool> is_kept(type.vlen());
      for (MemberPattern& pattern : patterns->second) {
        bool is_found = false;
        NearestName nearest(pattern.text);
        for (uint32_t i = 0; i < type.vlen(); ++i) {
          nearest.consider(btf_.string(type.member(i).name_off));
          bool is_named = has_member(id, i, [&](auto name) { return matches(pattern.text, name); });
          if (is_named) is_kept[i] = is_found = pattern.is_matched = true;
        }
        if (!is_found)
          pattern.fault = fmt::format("{} has no member '{}'{}", type_key(btf_, type), pattern.text,
                                      nearest.nearest().empty()
                                          ? ""
                                          : fmt::format(", did you mean '{}'?", nearest.nearest()));
      }
      std::vector<uint32_t>& words = trimmed_[id];
      words.assign(type.words().begin(), type.words().begin() + common_words);
      for (uint32_t i = 0; i < type.vlen(); ++i) {
        if (!is_kept[i]) continue;
        BtfMember member = type.member(i);
        words.insert(words.end(), {member.name_off, member.type, member.offset});
        has_member(id, i, [&](auto name) {
          auto is_wanted = [&](const auto& pattern) { return matches(pattern.text, name); };
          if (std::ranges::none_of(patterns->second, is_wanted))
            printed_.taken_along.insert(fmt::format("{}.{}", type_key(btf_, type), name));
          return false;
        });
      }
      uint32_t count = static_cast<uint32_t>(words.size() - common_words) / 3;
      words[1] = BtfBuilder::info(type.kind(), count, type.kind_flag());
      printed_.partial.insert(type_key(btf_, type));
    }
  }

  /// Whether a test holds for the name of a member, or for one of an anonymous struct, which counts
  /// as a whole.
  template <typename Test>
  bool has_member(uint32_t record, uint32_t member, Test test) const {
    if (std::string_view name = btf_.string(btf_.type(record).member(member).name_off);
        !name.empty())
      return test(name);
    std::unordered_set<uint32_t> seen;
    std::vector<std::pair<uint32_t, uint32_t>> open{{record, member}};
    while (!open.empty()) {
      BtfMember raw = btf_.type(open.back().first).member(open.back().second);
      open.pop_back();
      std::string_view name = btf_.string(raw.name_off);
      if (!name.empty() && test(name)) return true;
      if (!name.empty() || !is_composite(btf_.kind(raw.type)) || !seen.insert(raw.type).second)
        continue;
      for (uint32_t i = 0; i < btf_.type(raw.type).vlen(); ++i) open.emplace_back(raw.type, i);
    }
    return false;
  }

  /// Whether a source uses a member of a struct by a pointer of that name. Where so many members
  /// and pointers are compared as no kernel has, it is taken to.
  bool is_used(uint32_t record, std::string_view pointer) {
    auto found = choice_.followers.find(pointer);
    if (found == choice_.followers.end()) return false;
    const uint32_t members = btf_.type(record).vlen();
    if (members > comparisons_left_) return true;
    comparisons_left_ -= members;
    for (uint32_t i = 0; i < members; ++i)
      if (has_member(record, i,
                     [&](std::string_view name) { return found->second.contains(name); }))
        return true;
    return false;
  }

  /// Adds the structs behind the pointers of a struct, of which sources use members.
  void add_used(BtfType record) {
    for (uint32_t i = 0; i < record.vlen(); ++i) {
      BtfMember member = record.member(i);
      uint32_t target = pointee(member.type);
      if (is_composite(btf_.kind(target)) && is_used(target, btf_.string(member.name_off)))
        add(target);
    }
  }

  /// Includes all that is needed. What is to be omitted is put aside if `omits`, and all else is
  /// omitted if not.
  void follow(bool omits) {
    while (!open_.empty()) {
      auto [id, use] = open_.back();
      open_.pop_back();
      if (is_seen(id, use)) continue;
      is_seen(id, use) = true;
      bool is_new = !is_included_[id];
      is_included_[id] = true;
      if (!omits || is_to_omit(id)) {
        if (is_new) printed_.omitted.insert(type_key(btf_, btf_.type(id)));
        if (is_new && omits) omitted_.push_back(id);
        if (omits) continue;
      }
      bool is_cut = use == Use::Sized && needs_size_alone(id);
      if (is_cut ? is_new : use == Use::Full) has_size_alone_[id] = is_cut;
      if (!is_cut) add_needs(id, use);
    }
  }

  std::vector<bool>::reference is_seen(uint32_t id, Use use) {
    return is_seen_[3 * size_t{id} + static_cast<size_t>(use)];
  }

  void add(uint32_t id, Use use = Use::Full) {
    if (id != 0 && !is_seen(id, use)) open_.emplace_back(id, use);
  }

  /// Adds what a type needs. Within a struct, another needs no more than a size.
  void add_needs(uint32_t id, Use use) {
    BtfType type = type_of(id);
    Use within = is_composite(type.kind()) ? Use::Sized : use;
    for_each_need(btf_, type, use == Use::Mentioned,
                  [&](Need next) { add(next.id, next.mention_only ? Use::Mentioned : within); });
    if (type.kind() == BtfKind::Array) add(type.array_index_type());
    if (is_composite(type.kind()) && !choice_.followers.empty()) add_used(type);
    if (choice_.is_deep) for_each_reference(type.words(), [&](uint32_t to) { add(to); });
  }

  /// Whether a struct that is not needed as a whole is more than two pointers or numbers.
  bool needs_size_alone(uint32_t id) const {
    constexpr uint32_t few = 2;  // members
    BtfType type = btf_.type(id);
    if (!choice_.is_sparse || !is_composite(type.kind()) || btf_.name(type).empty()) return false;
    bool has_records = false;
    for (uint32_t i = 0; i < std::min(type.vlen(), few); ++i)
      has_records |= is_composite(btf_.kind(skip_arrays(btf_, type.member(i).type)));
    return has_records || type.vlen() > few;
  }

  bool is_to_omit(uint32_t id) const {
    if (choice_.known.empty() && choice_.except.empty()) return false;
    BtfType type = btf_.type(id);
    auto is_named = [&](std::string_view name) {
      return !name.empty() && (choice_.known.contains(name) ||
                               std::ranges::any_of(choice_.except, [&](const TypePattern& pattern) {
                                 return matches(pattern.name, name) && pattern.has_kind_of(type);
                               }));
    };
    if (is_named(btf_.name(type))) return true;
    for (uint32_t i = 0; is_enum(type.kind()) && i < type.vlen(); ++i)
      if (is_named(btf_.string(type.enumerator(i).name_off))) return true;
    return false;
  }

  BtfType type_of(uint32_t id) const {
    auto found = trimmed_.find(id);
    return found == trimmed_.end() ? btf_.type(id) : BtfType(found->second);
  }

  std::expected<std::vector<std::byte>, Error> build(std::endian order) {
    new_ids_.resize(btf_.end_id());
    next_declaration_ = 1;
    for (uint32_t id = 1; id < btf_.end_id(); ++id)
      if (is_included_[id]) new_ids_[id] = next_declaration_++;
    for (uint32_t id = 1; id < btf_.end_id(); ++id)
      if (is_included_[id]) copy(id);
    for (uint32_t id : mentioned_) {
      printed_.declared.insert(type_key(btf_, btf_.type(id)));
      if (!is_included_[id]) declare(id);
    }
    std::vector<std::pair<bool, std::string_view>> declared(declarations_.size());
    uint32_t first = types_.end_id();
    for (auto [tag, id] : declarations_) declared[id - first] = tag;
    for (auto [is_union, name] : declared)
      types_.add_type(types_.add_string(name), BtfBuilder::info(BtfKind::Fwd, 0, is_union), 0);
    copy_tags();
    return types_.finish(order);
  }

  /// The new id of a declaration of a struct or union, which are behind all other types.
  uint32_t declare(uint32_t id) {
    BtfType type = btf_.type(id);
    bool is_union = tag_space(type) == TagSpace::Unions;
    auto [entry, is_new] =
        declarations_.try_emplace({is_union, btf_.name(type)}, next_declaration_);
    next_declaration_ += is_new ? 1 : 0;
    if (is_new && is_to_omit(id)) printed_.omitted.insert(type_key(btf_, type));
    return entry->second;
  }

  void copy(uint32_t id) {
    BtfType type = type_of(id);
    uint32_t cut[] = {type.name_off(), BtfBuilder::info(type.kind()), type.words()[head_start]};
    uint32_t copied =
        types_.add_type(has_size_alone_[id] ? std::span<const uint32_t>(cut) : type.words());
    for_each_string(types_.mutable_words(copied),
                    [&](uint32_t& word) { word = types_.add_string(btf_.string(word)); });
    for_each_reference(types_.mutable_words(copied), [&](uint32_t& word) {
      word = word == 0 ? 0 : is_included_[word] ? new_ids_[word] : declare(word);
    });
  }

  /// Copies the tags of included types, except those of members that have another place now.
  void copy_tags() {
    for (uint32_t id : tags_) {
      BtfType tag = btf_.type(id);
      bool is_moved = tag.component_idx() >= 0 &&
                      (has_size_alone_[tag.type()] || trimmed_.contains(tag.type()));
      if (is_included_[tag.type()] && !is_moved) copy(id);
    }
    for (uint32_t id : functions_)
      if (!is_kfunc_[id]) {
        uint32_t whole = UINT32_MAX;
        types_.add_type(types_.add_string(kfunc_tag), BtfBuilder::info(BtfKind::DeclTag),
                        new_ids_[id], std::span(&whole, 1));
      }
  }

  BtfView btf_;
  TypeChoice& choice_;
  PrintedChoice& printed_;
  std::unordered_map<std::string_view, std::vector<TypePattern*>> exact_;
  std::vector<uint32_t> tags_;                    ///< the DECL_TAGs
  std::unordered_set<std::string_view> records_;  ///< their names, if there are programs
  std::vector<bool> is_kfunc_, is_included_, has_size_alone_, is_seen_;
  std::vector<uint32_t> chosen_records_, mentioned_, functions_, omitted_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> trimmed_;  ///< the words of partial structs
  std::vector<std::pair<uint32_t, Use>> open_;
  BtfBuilder types_;
  std::vector<uint32_t> new_ids_;
  /// By union or not, and name
  std::map<std::pair<bool, std::string_view>, uint32_t> declarations_;
  uint32_t next_declaration_ = 0;
  size_t comparisons_left_ = size_t{1} << 26;
};

}  // namespace

const std::vector<Subject>& all_subjects() {
  static const std::vector<Subject> subjects = {{"struct", {BtfKind::Struct, BtfKind::Fwd}},
                                                {"union", {BtfKind::Union, BtfKind::Fwd}},
                                                {"enum", {BtfKind::Enum, BtfKind::Enum64}},
                                                {"typedef", {BtfKind::Typedef}},
                                                {"func", {BtfKind::Func}},
                                                {"var", {BtfKind::Var}}};
  return subjects;
}

std::expected<std::vector<Subject>, Error> parse_subjects(std::string_view what) {
  size_t space = what.find(' ');
  std::string_view name = what.substr(space == std::string_view::npos ? 0 : space + 1);
  std::vector<Subject> subjects;
  for (Subject subject : all_subjects()) {
    subject.name = name;
    if (space == std::string_view::npos || subject.keyword == what.substr(0, space))
      subjects.push_back(subject);
  }
  if (!subjects.empty() && !name.empty() && name.find(' ') == std::string_view::npos)
    return subjects;
  auto others = all_subjects() | std::views::drop(1) | std::views::transform(&Subject::keyword);
  return fail(fmt::format("'{}' is neither \"NAME\" nor \"struct NAME\" (or {})", what,
                          fmt::join(others, ", ")));
}

std::string suggest_type(const BtfView& btf, const std::vector<Subject>& subjects) {
  std::string suggestion;
  size_t best = misspelling_limit(subjects.front().name);
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    std::string_view name = btf.name(type), wanted = subjects.front().name;
    size_t difference = std::max(name.size(), wanted.size()) - std::min(name.size(), wanted.size());
    if (name.empty() || difference >= best) continue;
    auto subject =
        std::ranges::find_if(subjects, [&](const Subject& s) { return s.has_kind_of(type); });
    if (subject == subjects.end()) continue;
    if (size_t distance = edit_distance(wanted, name); distance < best) {
      best = distance;
      suggestion = fmt::format(", did you mean '{} {}'?", subject->keyword, name);
    }
  }
  return suggestion;
}

bool TypeChoice::is_all() const {
  return except.empty() && known.empty() && members.empty() &&
         std::ranges::any_of(types, [](const TypePattern& pattern) { return pattern.text == "*"; });
}

std::expected<TypePattern, Error> parse_type_pattern(std::string_view text) {
  auto subjects = TRY(parse_subjects(text));
  std::string name(subjects.front().name);
  return TypePattern{text, std::move(subjects), std::move(name),
                     text.find_first_of("*?") != text.npos};
}

std::string type_key(const BtfView& btf, BtfType type) {
  std::string_view name = btf.name(type), keyword = tag_keyword(type);
  if (name.empty() && is_enum(type.kind()) && type.vlen() != 0)
    return std::string(btf.string(type.enumerator(0).name_off));
  return fmt::format("{} {}", keyword.empty() ? kind_row(type.kind()).noun : keyword, name);
}

std::expected<std::vector<std::byte>, Error> select_types(const BtfView& btf, std::endian order,
                                                          TypeChoice& choice,
                                                          PrintedChoice& printed) {
  return Selector(btf, choice, printed).run(order);
}

}  // namespace bpflink
