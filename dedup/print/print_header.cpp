// All types as one C header.
//
// C wants a type defined before it is used by value and a typedef before it is used at all; a
// pointer to a struct needs only its tag. So each type is looked at for two ends, to be mentioned
// and to be complete, and definitions come in the order in which a depth-first search over what is
// needed for each, with a stack of its own, leaves them.
//
// Types without a name are written out where they are used. Several that are used in several
// places each can together have a text that is exponentially longer than they are, and one can
// nest deeper than a compiler, or the calls here, would bear. Such types are given names: the
// search counts what each type comes to, and when it leaves one that would be too much, defines it
// like one with a name.
//
// Of C's types none leads back to itself but by way of a tag. One that does so by a typedef, which
// only a pointer or a function on the way makes possible, cannot be written in C; all pointers and
// functions that lead into such a circle are made ones of void.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bpflink/print.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"
#include "dedup/print/c_writer.hpp"

namespace bpflink {

namespace {

constexpr uint8_t most_nesting = 32;     ///< of types without names
constexpr uint32_t small_text = 16;      ///< members and the like, that may always be repeated
constexpr uint64_t repeats_by_word = 1;  ///< members and the like, by word of the type section

constexpr std::string_view opening = R"(#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#if defined(__BPF__) && !defined(BPF_NO_PRESERVE_ACCESS_INDEX)
#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)
#endif

)";

constexpr std::string_view tag_macros = R"(#if defined(__clang__) && defined(__BPF__)
#define BTF_TYPE_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BTF_TYPE_ATTRIBUTE(attribute)
#endif
#ifdef __clang__
#define BTF_TYPE_TAG(tag) __attribute__((btf_type_tag(tag)))
#define BTF_DECL_TAG(tag) __attribute__((btf_decl_tag(tag)))
#else
#define BTF_TYPE_TAG(tag)
#define BTF_DECL_TAG(tag)
#endif

)";

constexpr std::string_view closing =
    R"(#if defined(__BPF__) && !defined(BPF_NO_PRESERVE_ACCESS_INDEX)
#pragma clang attribute pop
#endif

#endif
)";

/// Macros that compilers define for a target, without an underscore.
constexpr std::string_view predefined[] = {"PPC", "i386", "linux", "m68k", "mips", "sparc", "unix"};

bool has_string(const BtfView& btf, std::string_view text) {
  std::string wanted = '\0' + std::string(text) + '\0';
  for (const BtfView* part = &btf; part != nullptr; part = part->base())
    if (part->strings().find(wanted) != std::string_view::npos) return true;
  return false;
}

/// What comes before the definitions.
std::string begin_header(const BtfView& btf) {
  std::string text(opening);
  bool has_macros = false;
  for (std::string_view macro : predefined) {
    if (!has_string(btf, macro)) continue;
    text += fmt::format("#undef {}\n", macro);
    has_macros = true;
  }
  if (has_macros) text += '\n';
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfKind kind = btf.type(id).kind();
    if (kind == BtfKind::TypeTag || kind == BtfKind::DeclTag) return text.append(tag_macros);
  }
  return text;
}

/// A type, and what for: to be mentioned, or to be complete.
struct Need {
  uint32_t id;
  bool mention_only;
};

/// Calls `visit` with each need that a need leads to.
template <typename Visit>
void for_each_need(const BtfView& btf, Need need, Visit visit) {
  BtfType type = btf.type(need.id);
  auto reach = [&](uint32_t id, bool mention_only) {
    if (id == 0) return;
    BtfType target = btf.type(id);
    BtfKind kind = target.kind();
    bool has_name = !btf.name(target).empty();
    // Any struct can be mentioned that has a tag.
    if (mention_only && ((is_composite(target.kind()) && has_name) || kind == BtfKind::Fwd)) return;
    // One of both is all that there is of others.
    if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto) mention_only = true;
    if (kind == BtfKind::Array || (is_composite(target.kind()) && !has_name)) mention_only = false;
    visit(Need{id, mention_only});
  };
  switch (type.kind()) {
    case BtfKind::Array:
      reach(type.array_element_type(), false);
      return;
    case BtfKind::Ptr:
      reach(type.type(), true);
      return;
    case BtfKind::FuncProto:
      reach(type.type(), true);
      for (uint32_t i = 0; i < type.vlen(); ++i) reach(type.param(i).type, true);
      return;
    case BtfKind::Struct:
    case BtfKind::Union:
      for (uint32_t i = 0; i < type.vlen(); ++i) reach(type.member(i).type, false);
      return;
    case BtfKind::Typedef:
    case BtfKind::Const:
    case BtfKind::Volatile:
    case BtfKind::Restrict:
    case BtfKind::TypeTag:
      reach(type.type(), need.mention_only);
      return;
    default:
      return;
  }
}

/// A depth-first search over needs.
class Search {
 public:
  explicit Search(const BtfView& btf) : btf_(btf), states_(2 * size_t{btf.end_id()}) {}

  bool is_open(Need need) const { return states_[index(need)] == open; }

  /// Looks at all that `root` needs. Calls `leads_on` to ask whether to look at what a need leads
  /// to, and `leave` with each need behind all that it needs.
  template <typename LeadsOn, typename Leave>
  void run(Need root, LeadsOn leads_on, Leave leave) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      Need need = stack_.back();
      uint8_t& state = states_[index(need)];
      if (state != unknown) {
        stack_.pop_back();
        if (state == open) leave(need);
        state = done;
        continue;
      }
      state = open;
      if (!leads_on(need)) continue;
      size_t first = stack_.size();
      for_each_need(btf_, need, [&](Need next) {
        if (states_[index(next)] == unknown) stack_.push_back(next);
      });
      std::reverse(stack_.begin() + static_cast<ptrdiff_t>(first), stack_.end());
    }
  }

 private:
  enum State : uint8_t { unknown, open, done };
  static size_t index(Need need) { return 2 * size_t{need.id} + need.mention_only; }

  BtfView btf_;
  std::vector<uint8_t> states_;
  std::vector<Need> stack_;
};

class HeaderPrinter {
 public:
  explicit HeaderPrinter(const BtfView& btf)
      : btf_(btf),
        types_(prepare(btf)),
        is_defined_(btf.end_id()),
        uses_(btf.end_id()),
        weights_(btf.end_id()),
        nesting_(btf.end_id()) {}

  std::string run() {
    cut_circles();
    count_uses();
    Search search(btf_);
    auto look = [&](uint32_t id) {
      bool mention_only = is_enum(btf_.type(id).kind()) && btf_.type(id).vlen() == 0;
      search.run(
          {id, mention_only}, [&](Need need) { return !types_.is_cut[need.id]; },
          [&](Need need) { leave(need); });
    };
    for (uint32_t id = 1; id < btf_.end_id(); ++id) {
      if (!is_root(id)) continue;
      look(id);
      define_left_enum(id);
    }
    for (uint32_t id = 1; id < btf_.end_id(); ++id) define_left_enum(id);
    text_ += closing;
    return std::move(text_);
  }

 private:
  static CTypes prepare(const BtfView& btf);
  void cut_circles();
  void count_uses();
  bool is_root(uint32_t id) const;
  void leave(Need need);
  void weigh(uint32_t id);
  bool weigh_nameless(uint32_t record, uint32_t member, uint64_t& weight, uint8_t& nesting);
  void limit(uint32_t id);
  void name(uint32_t id);
  void declare_tag(uint32_t id);
  void write_tag(uint32_t id);
  void define(uint32_t id);
  void write_definition(uint32_t id);
  void write_typedef(uint32_t id);
  void write_empty_enum(uint32_t id);
  void write_odd_enum(uint32_t id);
  bool has_names_of_c23(uint32_t id) const;
  void define_left_enum(uint32_t id);

  BtfView btf_;
  CTypes types_;
  CWriter writer_{types_, policy_for_compilers};
  std::string text_ = begin_header(btf_);
  std::vector<bool> is_defined_;
  std::vector<uint32_t> uses_;     ///< by id: references from types that may be printed
  std::vector<uint64_t> weights_;  ///< by id: members and the like, written out, from 1 on
  std::vector<uint8_t> nesting_;   ///< by id: of types without names
  uint64_t repeats_left_ = 0;      ///< how much may be written out again
};

CTypes HeaderPrinter::prepare(const BtfView& btf) {
  CTypes types(btf);
  types.prepare_for_compilers();
  return types;
}

/// Finds what leads back to itself, or to what does.
void HeaderPrinter::cut_circles() {
  std::vector<bool> is_circular(2 * size_t{btf_.end_id()});
  auto circular = [&](Need need) { return is_circular[2 * size_t{need.id} + need.mention_only]; };
  Search search(btf_);
  auto leave = [&](Need need) {
    bool is_bad = false;
    for_each_need(btf_, need, [&](Need next) { is_bad |= search.is_open(next) || circular(next); });
    if (!is_bad) return;
    circular(need) = true;
    BtfKind kind = btf_.type(need.id).kind();
    if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto) types_.is_cut[need.id] = true;
  };
  for (uint32_t id = 1; id < btf_.end_id(); ++id)
    search.run(
        {id, false}, [](Need) { return true; }, leave);
}

void HeaderPrinter::count_uses() {
  uint64_t words = 0;
  for (uint32_t id = 1; id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    words += type.words().size();
    for_each_need(btf_, {id, false}, [&](Need next) { ++uses_[next.id]; });
  }
  repeats_left_ = repeats_by_word * words;
}

/// Whether a type is printed though no other may need it.
bool HeaderPrinter::is_root(uint32_t id) const {
  BtfType type = btf_.type(id);
  if (is_enum(type.kind()) && btf_.name(type).empty()) return uses_[id] == 0;
  return type.kind() == BtfKind::Typedef || type.kind() == BtfKind::Fwd ||
         is_composite(type.kind()) || is_enum(type.kind());
}

/// All that a need leads to has been seen to.
void HeaderPrinter::leave(Need need) {
  uint32_t id = need.id;
  BtfType type = btf_.type(id);
  bool is_mentioned_record = is_composite(type.kind()) && need.mention_only;
  if (!is_mentioned_record && type.kind() != BtfKind::FuncProto)
    types_.shapes[id] = shape_of(btf_, id, types_.shapes, types_.long_size);
  weigh(id);
  if (types_.is_inline(id)) {
    limit(id);
    return;
  }
  uint32_t declared = types_.names->declared(id);
  switch (type.kind()) {
    case BtfKind::Fwd:
      if (declared == id) declare_tag(id);
      return;
    case BtfKind::Enum:
    case BtfKind::Enum64:
      if (need.mention_only && type.vlen() == 0 && declared == id)
        declare_tag(id);
      else
        define(declared);
      return;
    case BtfKind::Int:
    case BtfKind::Float:
      if (c_scalar(btf_.name(type), type, types_.long_size).empty()) define(id);
      return;
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Typedef:
      define(id);
      return;
    default:
      return;
  }
}

/// Counts what a type comes to when it is written out, with what is inline in it.
void HeaderPrinter::weigh(uint32_t id) {
  if (weights_[id] != 0) return;
  BtfType type = btf_.type(id);
  uint64_t weight = is_enum(type.kind()) ? 1 + type.vlen() : 1;
  uint8_t nesting = 0;
  uint32_t member = 0;
  auto add = [&](uint32_t child) {
    if (is_composite(type.kind()) && weigh_nameless(id, member++, weight, nesting)) return;
    ++weight;
    if (!types_.is_inline(child)) return;
    weight += weights_[child];
    nesting = std::max(nesting, nesting_[child]);
  };
  if (is_composite(type.kind())) {
    for (uint32_t i = 0; i < type.vlen(); ++i) add(type.member(i).type);
  } else if (!types_.is_cut[id]) {
    for_each_need(btf_, {id, false}, [&](Need next) { add(next.id); });
  }
  weights_[id] = weight;
  nesting_[id] = nesting + 1;
}

/// Decides whether a member without a name, of a struct with one, is written out as that struct is.
bool HeaderPrinter::weigh_nameless(uint32_t record, uint32_t member, uint64_t& weight,
                                   uint8_t& nesting) {
  uint32_t inner = types_.nameless_record(record, member);
  if (inner == 0) return false;
  bool is_anonymous = btf_.name(btf_.type(inner)).empty();
  if (is_anonymous && btf_.type(record).member(member).type == inner) return false;
  if (nesting_[inner] >= most_nesting || weights_[inner] > repeats_left_) {
    types_.opaque_members.insert(uint64_t{record} << 32 | member);
    return false;
  }
  repeats_left_ -= weights_[inner];
  weight += weights_[inner];
  nesting = std::max(nesting, nesting_[inner]);
  return true;
}

/// Gives a name to what would be too much written out.
void HeaderPrinter::limit(uint32_t id) {
  BtfType type = btf_.type(id);
  bool is_repeated = uses_[id] > 1;
  // Enumerators can be there once only.
  bool needs_name = is_enum(type.kind()) && (is_repeated || !is_enum_size(type.size()));
  uint64_t repeats = is_repeated && weights_[id] > small_text ? (uses_[id] - 1) * weights_[id] : 0;
  if (needs_name || nesting_[id] >= most_nesting || repeats > repeats_left_)
    name(id);
  else
    repeats_left_ -= repeats;
}

void HeaderPrinter::name(uint32_t id) {
  BtfType type = btf_.type(id);
  bool has_tag = is_composite(type.kind()) || is_enum(type.kind());
  std::string wish = (has_tag ? "unnamed_" : "type_") + std::to_string(id);
  types_.names->give(id,
                     types_.names->unique(has_tag ? CNameSpace::tag : CNameSpace::ordinary, wish));
  types_.has_given_name[id] = true;
  define(id);
}

void HeaderPrinter::define(uint32_t id) {
  if (is_defined_[id]) return;
  is_defined_[id] = true;
  writer_.clear();
  write_definition(id);
  for (uint32_t tag : writer_.mentioned_tags()) write_tag(tag);
  bool is_builtin = has_names_of_c23(id);
  if (is_builtin) text_ += "#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L\n";
  text_ += writer_.text();
  if (is_builtin) text_ += "#endif\n";
  text_ += '\n';
}

void HeaderPrinter::declare_tag(uint32_t id) {
  if (writer_.is_tag_known(id)) return;
  writer_.set_tag_known(id);
  write_tag(id);
}

void HeaderPrinter::write_tag(uint32_t id) {
  text_ += fmt::format("{} {};\n\n", types_.keyword(btf_.type(id)), types_.name(id));
}

/// C23 has `bool`, `false` and `true` as keywords that mean what programs had before.
bool HeaderPrinter::has_names_of_c23(uint32_t id) const {
  BtfType type = btf_.type(id);
  if (type.kind() == BtfKind::Typedef)
    return types_.name(id) == "bool" && types_.shapes[id].form == CForm::boolean;
  if (!is_enum(type.kind()) || type.vlen() != 2 || !btf_.name(type).empty()) return false;
  auto is = [&](uint32_t i, std::string_view name, std::string_view value) {
    return types_.enumerator_name(id, i) == name && types_.enumerator_value(type, i) == value;
  };
  return is(0, "false", "0") && is(1, "true", "1");
}

void HeaderPrinter::write_definition(uint32_t id) {
  BtfType type = btf_.type(id);
  BtfKind kind = type.kind();
  if (kind == BtfKind::Int || kind == BtfKind::Float)
    return writer_.write(scalar_typedef(btf_.name(type), type, types_.name(id)));
  if (is_composite(kind) || is_enum(kind)) writer_.set_tag_known(id);
  if (is_composite(kind))
    writer_.write_record(id);
  else if (is_enum(kind) && !is_enum_size(type.size()))
    write_odd_enum(id);
  else if (is_enum(kind) && type.vlen() == 0)
    write_empty_enum(id);
  else if (is_enum(kind))
    writer_.write_enum(id);
  else
    write_typedef(id);
  writer_.write(";\n");
}

void HeaderPrinter::write_typedef(uint32_t id) {
  writer_.write("typedef ");
  if (btf_.type(id).kind() != BtfKind::Typedef) return writer_.declare_given(id, types_.name(id));
  writer_.declare(btf_.type(id).type(), types_.name(id));
  writer_.write_decl_tags(id);
}

/// C has no enum without enumerators, but one may be needed for its size.
void HeaderPrinter::write_empty_enum(uint32_t id) {
  writer_.write(fmt::format("enum {0} {{\n\t{0}___none = 0,\n}}{1}", types_.name(id),
                            enum_mode(btf_.type(id))));
}

/// An enum of a size that C cannot give it is as many bytes.
void HeaderPrinter::write_odd_enum(uint32_t id) {
  if (btf_.type(id).vlen() != 0) {
    writer_.write("enum");
    writer_.write_enumerators(id);
    writer_.write(";\n\n");
  }
  writer_.write(
      fmt::format("struct {} {{\n\tchar bytes[{}];\n}}", types_.name(id), btf_.type(id).size()));
}

/// An anonymous enum that no other type has is defined by itself.
void HeaderPrinter::define_left_enum(uint32_t id) {
  BtfType type = btf_.type(id);
  if (!is_enum(type.kind()) || !types_.is_inline(id) || type.vlen() == 0) return;
  if (writer_.has_enumerators(id)) return;
  if (is_enum_size(type.size()))
    define(id);
  else
    name(id);
}

}  // namespace

std::string print_c_header(const BtfView& btf) {
  return HeaderPrinter(btf).run();
}

}  // namespace bpflink
