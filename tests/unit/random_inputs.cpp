// The generator of random inputs. Half of the seeds make units of independent types. The other half
// make a program, whose units agree or disagree on a few structs that refer to each other: the hard
// case for declarations.
#include <algorithm>
#include <iterator>
#include <map>

#include "meaning.hpp"
#include "random_types.hpp"

namespace bpflink::test {

namespace {

bool is_record(const RandomType& t) {
  return t.kind == BtfKind::Struct || t.kind == BtfKind::Union;
}

bool is_enum(const RandomType& t) {
  return t.kind == BtfKind::Enum || t.kind == BtfKind::Enum64;
}

bool has_tag(const RandomType& t) {
  return !t.name.empty() && (is_record(t) || is_enum(t) || t.kind == BtfKind::Fwd);
}

/// Whether other types may refer to it, besides those made for it
bool is_data(const RandomType& t) {
  return t.kind != BtfKind::Var && t.kind != BtfKind::Datasec && t.kind != BtfKind::Func &&
         t.kind != BtfKind::DeclTag && t.kind != BtfKind::FuncProto;
}

/// A struct, union or enum of a program, as in its headers
struct Tag {
  enum How { pointer, pointer_to_const, argument, value, number };
  struct Member {
    How how = number;
    size_t tag = 0;  ///< of what it is or refers to, unless it is a number
  };
  RandomType type{};
  std::vector<Member> members{};
  bool has_versions = false;  ///< units may disagree on it
};

/// The character of one seed's units
struct Flavor {
  bool has_program = false;    ///< most units are of one program, see Tag
  bool is_small = false;       ///< that of two or three structs, one with versions, in many units
  uint32_t names = 3;          ///< how many there are for structs and unions
  bool has_all_kinds = true;   ///< else those alone whose names and circles are hard
  bool has_circles = false;    ///< some of which miss all tags
  uint32_t declarations = 15;  ///< of a hundred types
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    flavor_.names = 2 + below(3);
    flavor_.has_all_kinds = chance(60);
    flavor_.has_circles = chance(25);
    flavor_.declarations = 5 + below(20);
    flavor_.has_program = chance(55);
    flavor_.is_small = flavor_.has_program && chance(40);
    if (flavor_.has_program) make_program();
  }

  RandomInputs run() {
    if (chance(40)) add_bases();
    add_inputs();
    if (chance(15)) omit_some();
    return std::move(result_);
  }

  std::vector<RandomUnit> run_without_base() {
    add_inputs();
    return std::move(result_.inputs);
  }

 private:
  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  std::string name(const char* prefix, uint32_t stock) {
    return prefix + std::to_string(below(stock));
  }

  void add_bases() {
    for (uint32_t count = chance(30) ? 2 + below(2) : 1; count > 0; --count) {
      RandomUnit base = unit(1 + below(8));
      // A base without equal types, as real ones are; or with, since nothing prevents that.
      if (chance(60)) base = deduplicated({base});
      if (base.empty()) return;
      all_.insert(all_.end(), base.begin(), base.end());
      result_.bases.push_back(std::move(base));
    }
  }

  void add_inputs() {
    std::vector<RandomUnit>& inputs = result_.inputs;
    inputs.push_back(unit(3 + below(14)));
    uint32_t fresh = flavor_.is_small ? 90 : flavor_.has_program ? 70 : 30;
    for (uint32_t i = flavor_.is_small ? 2 + below(5) : below(5); i > 0; --i) {
      if (chance(fresh)) {
        inputs.push_back(unit(2 + below(10)));
        continue;
      }
      RandomUnit copy = inputs[below(inputs.size())];
      if (chance(15) && !copy.empty()) copy = reachable_part(copy);
      for (uint32_t change = below(4); change > 0; --change) mutate(copy);
      repair(copy);
      inputs.push_back(chance(60) ? shuffled(copy) : std::move(copy));
    }
    std::shuffle(inputs.begin(), inputs.end(), random_);
    uint32_t percent = chance(50) ? 60 : flavor_.is_small ? 80 : 0;
    while (inputs.size() > 1 && chance(percent)) {
      RandomUnit last = std::move(inputs.back());
      inputs.pop_back();
      inputs.back() = joined(inputs.back(), last);
    }
  }

  uint32_t first_id() const { return static_cast<uint32_t>(all_.size()); }

  /// The bases' types and a unit's, by id
  std::vector<RandomType> by_id(const RandomUnit& unit) const {
    std::vector<RandomType> types = all_;
    types.insert(types.end(), unit.begin(), unit.end());
    return types;
  }

  /// Joins two units, as different tools do it.
  RandomUnit joined(const RandomUnit& one, const RandomUnit& other) {
    RandomUnit both = concatenate({one, other}, first_id());
    if (chance(20)) return deduplicated({both});
    if (chance(40)) merge_scalars(both);
    if (chance(40)) merge_sections(both);
    return both;
  }

  /// Merges equal types of few words: all units share integers.
  void merge_scalars(RandomUnit& unit) {
    std::vector<bool> is_there(first_id() + unit.size(), true);
    std::map<std::pair<std::string, uint32_t>, uint32_t> first;
    for (uint32_t i = 0; i < unit.size(); ++i) {
      if (unit[i].kind != BtfKind::Int) continue;
      uint32_t id = first_id() + i;
      uint32_t target =
          first.emplace(std::pair(unit[i].name, unit[i].size + unit[i].number), id).first->second;
      if (target == id) continue;
      for (RandomType& t : unit) for_each_id(t, [&](uint32_t& to) { to = to == id ? target : to; });
      is_there[id] = false;
    }
    unit = part(unit, is_there);
  }

  /// Merges all DATASECs into one, which then has variables of several units.
  void merge_sections(RandomUnit& unit) {
    RandomType all{.kind = BtfKind::Datasec, .name = ".data"};
    std::vector<bool> is_there(first_id() + unit.size(), true);
    for (uint32_t i = 0; i < unit.size(); ++i) {
      if (unit[i].kind != BtfKind::Datasec) continue;
      all.elements.insert(all.elements.end(), unit[i].elements.begin(), unit[i].elements.end());
      for (RandomType& t : unit)
        for_each_id(t, [&](uint32_t& to) { to = to == first_id() + i ? 0 : to; });
      is_there[first_id() + i] = false;
    }
    unit.push_back(std::move(all));
    is_there.push_back(true);
    unit = part(unit, is_there);
  }

  /// The present types of a unit, by id. They refer to no others.
  RandomUnit part(const RandomUnit& unit, const std::vector<bool>& is_there) {
    std::vector<uint32_t> places(is_there.size());
    uint32_t next = 0;
    for (uint32_t id = 0; id < places.size(); ++id)
      if (id < first_id() || is_there[id]) places[id] = next++;
    RandomUnit result;
    for (uint32_t id = first_id(); id < places.size(); ++id) {
      if (!is_there[id]) continue;
      result.push_back(unit[id - first_id()]);
      for_each_id(result.back(), [&](uint32_t& to) { to = places[to]; });
    }
    return result;
  }

  /// Headers of some structs that refer to each other; a few have two versions.
  void make_program() {
    uint32_t count = flavor_.is_small ? 2 + below(2) : 2 + below(4);
    uint32_t other = below(count);
    for (uint32_t i = 0; i < count; ++i) {
      Tag tag;
      tag.type = {
          .kind = chance(85) ? BtfKind::Struct : BtfKind::Union,
          .name = "s" + std::to_string(chance(flavor_.is_small ? 100 : 90) ? i : below(count)),
          .size = 8};
      for (uint32_t members = chance(90) ? 1 + below(3) : 0; members > 0; --members) {
        static constexpr Tag::How hows[] = {
            Tag::pointer,  Tag::pointer, Tag::pointer, Tag::pointer_to_const,
            Tag::argument, Tag::value,   Tag::number};
        Tag::Member member{hows[below(std::size(hows))], below(count)};
        // By value, only structs made before, so that none contains itself
        if (member.how == Tag::value && i == 0) member.how = Tag::number;
        if (member.how == Tag::value) member.tag = below(i);
        tag.members.push_back(member);
      }
      tag.has_versions = i == other || (!flavor_.is_small && chance(15));
      if (!flavor_.is_small && chance(8)) tag = {declaration_of_enum(), {}, chance(35)};
      program_.push_back(std::move(tag));
    }
  }

  /// A unit of the program: defines some of the structs, in one version each, and declares others.
  RandomUnit unit_of_program() {
    RandomUnit unit;
    std::vector<uint32_t> ids(program_.size());
    std::map<std::pair<BtfKind, uint32_t>, uint32_t> users;
    bool is_second_version = chance(50);
    uint32_t declared = 10 + below(60);
    auto next_id = [&] { return first_id() + static_cast<uint32_t>(unit.size()); };
    uint32_t integer = next_id();
    unit.push_back({.kind = BtfKind::Int, .name = "int", .size = 4, .number = 32});
    std::vector<size_t> to_define;

    // The definition or declaration of a tag, made if it is missing
    auto find_tag = [&](size_t tag, bool is_value) {
      uint32_t& id = ids[tag];
      if (id != 0 && chance(94)) return id;
      if (uint32_t in_base = chance(50) ? find_in_base(program_[tag].type.name) : 0) return in_base;
      const RandomType& type = program_[tag].type;
      id = next_id();
      if (is_enum(type)) {
        unit.push_back(type);
        if (!chance(declared))
          unit.back().elements.push_back({"E0", 0, uint32_t{is_second_version}});
      } else if (is_value || !chance(declared)) {
        to_define.push_back(tag);
        unit.push_back(type);
      } else {
        unit.push_back(
            {.kind = BtfKind::Fwd, .kind_flag = type.kind == BtfKind::Union, .name = type.name});
      }
      return id;
    };
    // A type that refers to another; in most units, all users share it.
    auto refer = [&](BtfKind kind, uint32_t to) {
      uint32_t& id = users[{kind, to}];
      if (id != 0 && chance(95)) return id;
      id = next_id();
      unit.push_back({.kind = kind, .type = kind == BtfKind::FuncProto ? 0 : to});
      if (kind == BtfKind::FuncProto) unit.back().elements.push_back({"p", to, 0});
      return id;
    };
    auto find_member = [&](const Tag::Member& member) {
      switch (member.how) {
        case Tag::pointer:
          return refer(BtfKind::Ptr, find_tag(member.tag, false));
        case Tag::pointer_to_const:
          return refer(BtfKind::Ptr, refer(BtfKind::Const, find_tag(member.tag, false)));
        case Tag::argument:
          return refer(BtfKind::Ptr,
                       refer(BtfKind::FuncProto, refer(BtfKind::Ptr, find_tag(member.tag, false))));
        case Tag::value:
          return find_tag(member.tag, true);
        default:
          return integer;
      }
    };

    for (uint32_t roots = 1 + below(3); roots > 0; --roots) add_root(unit, find_tag);
    while (!to_define.empty()) {
      size_t tag = to_define.back();
      to_define.pop_back();
      uint32_t id = ids[tag];
      if (id < first_id() || unit[id - first_id()].kind == BtfKind::Fwd) continue;
      if (!unit[id - first_id()].elements.empty()) continue;
      RandomType type = program_[tag].type;
      for (const Tag::Member& member : program_[tag].members) {
        uint32_t to = find_member(member);
        type.elements.push_back({"m" + std::to_string(type.elements.size()), to, 0});
      }
      // Versions differ in size, in a member's name or in a missing member.
      if (program_[tag].has_versions && is_second_version != chance(12)) {
        if (type.elements.empty() || chance(50))
          type.size += 8;
        else
          type.elements.pop_back();
      }
      unit[id - first_id()] = std::move(type);
    }
    return chance(40) ? shuffled(unit) : unit;
  }

  /// Adds a user of a struct: a variable, a function, a typedef or a pointer.
  template <typename FindTag>
  void add_root(RandomUnit& unit, FindTag find_tag) {
    uint32_t to = find_tag(below(program_.size()), false);
    uint32_t id = first_id() + static_cast<uint32_t>(unit.size());
    unit.push_back({.kind = BtfKind::Ptr, .type = to});
    if (chance(30)) unit.push_back({.kind = BtfKind::Typedef, .name = name("t", 3), .type = to});
    if (!flavor_.has_all_kinds || chance(40)) return;
    id = first_id() + static_cast<uint32_t>(unit.size());
    unit.push_back({.kind = BtfKind::Var, .name = name("v", 3), .type = id - 1, .number = 1});
    if (chance(70)) {
      unit.push_back({.kind = BtfKind::Datasec, .name = ".data"});
      unit.back().elements.push_back({"", id, 0});
    }
  }

  uint32_t find_in_base(const std::string& name) {
    return find(all_, [&](const RandomType& t) { return has_tag(t) && t.name == name; });
  }

  /// A unit of up to count + 2 types.
  RandomUnit unit(uint32_t count) {
    if (flavor_.has_program && chance(85)) return unit_of_program();
    std::vector<RandomType> types = all_;
    // An integer and a prototype, so that references always have a target
    if (all_.size() == 1 || chance(30))
      types.push_back({.kind = BtfKind::Int, .name = "int", .size = 4, .number = 32});
    if (flavor_.has_all_kinds) types.push_back({.kind = BtfKind::FuncProto});
    for (; count > 0; --count) types.push_back(type(types));
    // Types that may refer to any type are completed once all types are there.
    for (uint32_t id = first_id(); id < types.size(); ++id) {
      RandomType& t = types[id];
      if (t.kind == BtfKind::Ptr) t.type = any_type(types, id);
      if (t.kind != BtfKind::FuncProto) continue;
      t.type = any_type(types, id);
      for (auto& e : t.elements) e.type = any_type(types, id);
    }
    RandomUnit unit(types.begin() + first_id(), types.end());
    return chance(60) ? shuffled(unit) : unit;
  }

  BtfKind kind() {
    static constexpr BtfKind basic[] = {BtfKind::Struct, BtfKind::Struct, BtfKind::Struct,
                                        BtfKind::Struct, BtfKind::Union,  BtfKind::Enum,
                                        BtfKind::Ptr,    BtfKind::Ptr,    BtfKind::Ptr,
                                        BtfKind::Ptr,    BtfKind::Const,  BtfKind::Typedef};
    static constexpr BtfKind all[] = {
        BtfKind::Int,      BtfKind::Ptr,      BtfKind::Ptr,     BtfKind::Ptr,       BtfKind::Ptr,
        BtfKind::Array,    BtfKind::Struct,   BtfKind::Struct,  BtfKind::Struct,    BtfKind::Struct,
        BtfKind::Union,    BtfKind::Enum,     BtfKind::Enum64,  BtfKind::Typedef,   BtfKind::Const,
        BtfKind::Volatile, BtfKind::Restrict, BtfKind::Func,    BtfKind::FuncProto, BtfKind::Var,
        BtfKind::Datasec,  BtfKind::Float,    BtfKind::DeclTag, BtfKind::TypeTag};
    return flavor_.has_all_kinds ? all[below(std::size(all))] : basic[below(std::size(basic))];
  }

  RandomType type(const std::vector<RandomType>& before) {
    if (chance(flavor_.declarations)) return declaration();
    RandomType t{.kind = kind()};
    switch (t.kind) {
      case BtfKind::Int:
        t.name = name("int", 2);
        t.size = 4;
        t.number = chance(80) ? 32 : 0x01000020;
        break;
      case BtfKind::Float:
        t.name = "float";
        t.size = 4 + 4 * below(2);
        break;
      case BtfKind::Array:
        t.type = value_type(before);
        t.index = value_type(before);
        t.number = below(2);
        break;
      case BtfKind::Struct:
      case BtfKind::Union:
        if (chance(80)) t.name = name("s", flavor_.names);
        t.size = 8 * below(2);
        t.kind_flag = chance(15);
        for (uint32_t i = below(4); i > 0; --i) t.elements.push_back(member(before, t.kind_flag));
        break;
      case BtfKind::Enum:
      case BtfKind::Enum64:
        t = declaration_of_enum();
        t.kind_flag = chance(20);
        for (uint32_t i = 1 + below(2); i > 0; --i)
          t.elements.push_back({name("E", 2), 0, below(2)});
        if (chance(25)) t.name = chance(50) ? name("s", 2) : "";
        if (t.name.empty() && chance(20)) t.elements.clear();
        break;
      case BtfKind::Typedef:
        t.name = chance(85) ? name("t", 3) : name("s", flavor_.names);
        t.type = chance(10) ? 0 : value_type(before, 60);
        break;
      case BtfKind::Const:
      case BtfKind::Volatile:
      case BtfKind::Restrict:
        t.type = chance(10) ? 0 : value_type(before, 60);
        break;
      case BtfKind::TypeTag:
        t.name = name("tag", 2);
        t.kind_flag = chance(20);
        t.type = value_type(before, 60);
        break;
      case BtfKind::FuncProto:
        for (uint32_t i = below(3); i > 0; --i) t.elements.push_back({name("p", 2), 0, 0});
        break;
      case BtfKind::Func:
        t.name = name("f", 3);
        t.number = below(3);
        t.type = find(before, [](const RandomType& o) { return o.kind == BtfKind::FuncProto; });
        if (t.type == 0) t = {.kind = BtfKind::Ptr};
        break;
      case BtfKind::Var:
        t.name = name("v", 3);
        t.type = value_type(before);
        t.number = below(2);
        break;
      case BtfKind::Datasec:
        t.name = ".data";
        for (uint32_t i = below(3); i > 0; --i)
          if (uint32_t object = find(before, [&](const RandomType& o) {
                return o.kind == BtfKind::Var || o.kind == BtfKind::Func;
              }))
            t.elements.push_back({"", object, 4 * below(2)});
        break;
      case BtfKind::DeclTag:
        t.name = name("tag", 2);
        t.kind_flag = chance(20);
        t.type = find(before, [](const RandomType& o) {
          return is_record(o) || o.kind == BtfKind::Func || o.kind == BtfKind::Typedef ||
                 o.kind == BtfKind::Var;
        });
        if (t.type == 0) return {.kind = BtfKind::Ptr};
        t.number = below(components(before, t.type) + 1) - 1;
        break;
      default:
        break;
    }
    return t;
  }

  RandomType declaration() {
    if (chance(20)) return declaration_of_enum();
    return {.kind = BtfKind::Fwd, .kind_flag = chance(20), .name = name("s", flavor_.names)};
  }

  RandomType declaration_of_enum() {
    bool is_wide = flavor_.has_all_kinds && chance(25);
    return {.kind = is_wide ? BtfKind::Enum64 : BtfKind::Enum,
            .name = name("e", 2),
            .size = is_wide      ? 8u
                    : chance(80) ? 4u
                                 : 1u};
  }

  RandomType::Element member(const std::vector<RandomType>& before, bool has_bits) {
    uint64_t bits = has_bits && chance(50) ? uint64_t{1 + below(2)} << 24 : 0;
    return {chance(90) ? name("m", 2) : "", value_type(before), bits | (chance(20) ? 32 : 0)};
  }

  /// The number of members or parameters that a DECL_TAG may mark.
  static uint32_t components(const std::vector<RandomType>& types, uint32_t id) {
    const RandomType& t = types[id];
    if (is_record(t)) return static_cast<uint32_t>(t.elements.size());
    if (t.kind == BtfKind::Func) return static_cast<uint32_t>(types[t.type].elements.size());
    return 0;
  }

  template <typename Wanted>
  uint32_t find(const std::vector<RandomType>& types, Wanted wanted) {
    std::vector<uint32_t> found;
    for (uint32_t id = 1; id < types.size(); ++id)
      if (wanted(types[id])) found.push_back(id);
    return found.empty() ? 0 : found[below(found.size())];
  }

  static bool is_complete(const std::vector<RandomType>& types, uint32_t id) {
    for (;;) {
      switch (types[id].kind) {
        case BtfKind::Void:
        case BtfKind::Fwd:
          return false;
        case BtfKind::Typedef:
        case BtfKind::Const:
        case BtfKind::Volatile:
        case BtfKind::Restrict:
        case BtfKind::TypeTag:
          id = types[id].type;
          break;
        default:
          return true;
      }
    }
  }

  /// An existing type, so that none contains itself; with `incomplete` per cent, a type that may
  /// lack a size. Struct members of incomplete type are not C, but possible.
  uint32_t value_type(const std::vector<RandomType>& before, uint32_t incomplete = 3) {
    bool may_be_incomplete = chance(incomplete);
    for (int tries = 0; tries < 9; ++tries) {
      uint32_t id = below(before.size());
      if (id != 0 && is_data(before[id]) && (may_be_incomplete || is_complete(before, id)))
        return id;
    }
    return 0;
  }

  /// A type for the pointer or prototype `from` to refer to: any type that has a tag. Types without
  /// a tag must exist already, unless cycles may miss all tags.
  uint32_t any_type(const std::vector<RandomType>& types, uint32_t from) {
    for (int tries = 0; tries < 9; ++tries) {
      uint32_t id = below(types.size());
      bool is_allowed =
          is_data(types[id]) || chance(5) || (types[id].kind == BtfKind::FuncProto && chance(50));
      if (id != 0 && is_allowed && (id < from || has_tag(types[id]) || flavor_.has_circles))
        return id;
    }
    return 0;
  }

  RandomUnit shuffled(const RandomUnit& unit) {
    std::vector<uint32_t> places;
    return permuted(unit, first_id(), random_, places);
  }

  /// The part of a unit that another unit would have if it used only some of the types.
  RandomUnit reachable_part(const RandomUnit& unit) {
    std::vector<bool> is_there(first_id() + unit.size());
    std::vector<uint32_t> work;
    for (uint32_t roots = 1 + below(3); roots > 0; --roots)
      work.push_back(first_id() + below(unit.size()));
    while (!work.empty()) {
      uint32_t id = work.back();
      work.pop_back();
      if (id < first_id() || is_there[id]) continue;
      is_there[id] = true;
      RandomType t = unit[id - first_id()];
      for_each_id(t, [&](uint32_t to) { work.push_back(to); });
    }
    return part(unit, is_there);
  }

  /// Changes one type so that no other type must change, except by repair().
  void mutate(RandomUnit& unit) {
    if (unit.empty()) return;
    uint32_t place = below(unit.size());
    RandomType& t = unit[place];
    if (chance(10)) {  // the same type twice
      RandomType copy = t;
      uint32_t id = first_id() + place, twin = first_id() + static_cast<uint32_t>(unit.size());
      for (RandomType& user : unit)
        for_each_id(user, [&](uint32_t& to) {
          if (to == id && chance(50)) to = twin;
        });
      unit.push_back(std::move(copy));
    } else if (is_record(t) && !t.name.empty() && chance(50)) {
      // This unit now only declares it.
      t = {.kind = BtfKind::Fwd, .kind_flag = t.kind == BtfKind::Union, .name = t.name};
    } else if (is_record(t) && !t.elements.empty() && chance(50)) {
      if (chance(50))
        t.elements.pop_back();
      else
        t.elements[0].name = name("m", 2);
    } else if (is_record(t) || t.kind == BtfKind::Int) {
      t.size += 8;
    } else if (t.kind == BtfKind::Fwd) {
      t = {.kind = t.kind_flag ? BtfKind::Union : BtfKind::Struct, .name = t.name, .size = 8};
      uint32_t integer =
          find(by_id(unit), [](const RandomType& o) { return o.kind == BtfKind::Int; });
      t.elements.push_back({"m0", integer, 0});
    } else if (is_enum(t) && !t.name.empty()) {
      if (chance(50)) t.kind = t.kind == BtfKind::Enum ? BtfKind::Enum64 : BtfKind::Enum;
      if (t.elements.empty())
        t.elements.push_back({name("E", 2), 0, below(2)});
      else if (chance(70))
        t.elements.clear();
    } else if (t.kind == BtfKind::Ptr) {
      t.type = any_type(by_id(unit), 1);
    } else if (t.kind == BtfKind::Var || t.kind == BtfKind::Func) {
      t.number = below(2);
    }
  }

  /// Tags of missing members become tags of the whole type.
  void repair(RandomUnit& unit) {
    std::vector<RandomType> types = by_id(unit);
    for (RandomType& t : unit)
      if (t.kind == BtfKind::DeclTag && t.number + 1 > components(types, t.type))
        t.number = UINT32_MAX;
  }

  /// The oracle's output for units
  RandomUnit deduplicated(const std::vector<RandomUnit>& units) {
    Names names;
    PlainBtf base;
    for (size_t i = 0; i < result_.bases.size(); ++i)
      base = decode(encode(result_.bases[i], static_cast<uint32_t>(base.strings.size())), &base,
                    names);
    std::vector<PlainInput> inputs;
    for (const RandomUnit& unit : units)
      inputs.push_back(
          {decode(encode(unit, static_cast<uint32_t>(base.strings.size())), &base, names)});
    Meaning meaning = find_meaning(inputs, &base);
    RandomUnit result;
    for (auto [input, id] : meaning.kept) {
      RandomType t = units[input][id - first_id()];
      for_each_id(t, [&](uint32_t& to) { to = meaning.images[input][to]; });
      result.push_back(std::move(t));
    }
    return result;
  }

  /// Omits a type of one or two inputs, and the types that refer to it.
  void omit_some() {
    for (uint32_t count = 1 + below(2); count > 0; --count) {
      RandomUnit& unit = result_.inputs[below(result_.inputs.size())];
      if (unit.empty()) continue;
      unit[below(unit.size())].is_omitted = true;
      for (bool is_growing = true; is_growing;) {
        is_growing = false;
        for (RandomType& t : unit) {
          if (t.is_omitted) continue;
          for_each_id(t, [&](uint32_t to) {
            t.is_omitted |= to >= first_id() && unit[to - first_id()].is_omitted;
          });
          is_growing |= t.is_omitted;
        }
      }
    }
  }

  Random random_;
  Flavor flavor_;
  std::vector<Tag> program_;
  RandomInputs result_;
  /// The types of the bases, by id; void is the first.
  std::vector<RandomType> all_{{.kind = BtfKind::Void}};
};

}  // namespace

RandomInputs random_inputs(uint64_t seed) {
  return Generator(seed).run();
}

std::vector<RandomUnit> random_units(uint64_t seed) {
  return Generator(seed).run_without_base();
}

}  // namespace bpflink::test
