// Prints all types as one C header.
//
// C requires that a type is defined before it is used by value, and a typedef before it is used at
// all; a pointer to a struct needs only the tag. So a type can be needed in two ways, mentioned or
// complete. A depth-first search over these needs, with an explicit stack, gives the order: a type
// is defined when the search leaves it, after all that it needs.
//
//   typedef int pid_t;                                 node needs it complete
//   struct node { struct node *next; pid_t pid; };     and itself only mentioned
//
// Types without a name are written out where they are used. Such types that use each other in
// several places can have a text that is exponentially longer than they are, and they can nest
// deeper than a compiler accepts. So the search measures each type, and when it leaves one that is
// too long or too deep, the type gets a name and is defined separately.
//
// In C, a type leads back to itself only through a tag. Other languages write typedefs that lead
// back to themselves through a pointer or function. C cannot express that, so all pointers and
// functions that lead into such a circle are printed as ones of void.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bpflink/print.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"
#include "dedup/print/c_writer.hpp"
#include "dedup/print/select_types.hpp"

namespace bpflink {

namespace {

// The length of a type is the number of its members, parameters, enumerators and references, with
// those of types that are written out in it.
constexpr uint8_t max_nesting = 32;       ///< of types without names
constexpr uint32_t always_repeated = 16;  ///< the length up to which a type is always repeated
constexpr uint64_t repeats_per_word = 1;  ///< the length that may be repeated, by word of the types

constexpr std::string_view guard = "#ifndef __VMLINUX_H__\n#define __VMLINUX_H__\n\n";

constexpr std::string_view opening =
    R"(#if defined(__BPF__) && defined(__clang__) && !defined(BPF_NO_PRESERVE_ACCESS_INDEX)
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

constexpr std::string_view kfunc_macros = R"(#ifndef __ksym
#define __ksym __attribute__((section(".ksyms")))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#ifndef __bpf_fastcall
#if __has_attribute(bpf_fastcall)
#define __bpf_fastcall __attribute__((bpf_fastcall))
#else
#define __bpf_fastcall
#endif
#endif

)";

constexpr std::string_view closing =
    R"(#if defined(__BPF__) && defined(__clang__) && !defined(BPF_NO_PRESERVE_ACCESS_INDEX)
#pragma clang attribute pop
#endif

)";

/// Before a struct that was chosen with --members.
constexpr std::string_view partial_note =
    "/* Some members, not at the kernel's offsets: CO-RE finds them. */\n";

/// Macros that compilers define for a target, without an underscore.
constexpr std::string_view predefined[] = {"PPC", "i386", "linux", "m68k", "mips", "sparc", "unix"};

/// Of a kernel, which has types for contexts of programs.
constexpr std::string_view unmarked_kfuncs =
    "/* Kernels before 6.9 do not mark their kfuncs: a program declares those that it calls. "
    "*/\n\n";

bool has_string(const BtfView& btf, std::string_view text) {
  std::string wanted = '\0' + std::string(text) + '\0';
  for (const BtfView* part = &btf; part != nullptr; part = part->base())
    if (part->strings().find(wanted) != std::string_view::npos) return true;
  return false;
}

/// Macros, before the definitions.
std::string begin_header(const BtfView& btf, bool has_kfuncs) {
  std::string text;
  if (has_kfuncs)
    text += kfunc_macros;
  else if (has_string(btf, "bpf_ctx_convert") && !has_string(btf, "bpf_kfunc"))
    text += unmarked_kfuncs;
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

/// A depth-first search over needs.
class Search {
 public:
  explicit Search(const BtfView& btf) : btf_(btf), states_(2 * size_t{btf.end_id()}) {}

  bool is_in_progress(Need need) const { return states_[index(need)] == in_progress; }

  /// Visits `root` and all that follows from it. `leads_on` says whether to follow a need. `leave`
  /// is called with each need after all that follow from it.
  template <typename LeadsOn, typename Leave>
  void run(Need root, LeadsOn leads_on, Leave leave) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      Need need = stack_.back();
      uint8_t& state = states_[index(need)];
      if (state != unknown) {
        stack_.pop_back();
        if (state == in_progress) leave(need);
        state = done;
        continue;
      }
      state = in_progress;
      if (!leads_on(need)) continue;
      size_t first = stack_.size();
      for_each_need(btf_, need, [&](Need next) {
        if (states_[index(next)] == unknown) stack_.push_back(next);
      });
      std::reverse(stack_.begin() + static_cast<ptrdiff_t>(first), stack_.end());
    }
  }

 private:
  enum State : uint8_t { unknown, in_progress, done };
  static size_t index(Need need) { return 2 * size_t{need.id} + need.mention_only; }

  BtfView btf_;
  std::vector<uint8_t> states_;
  std::vector<Need> stack_;
};

class HeaderPrinter {
 public:
  HeaderPrinter(const BtfView& btf, const PrintedChoice& choice)
      : btf_(btf),
        choice_(choice),
        types_(prepare(btf, choice)),
        is_defined_(btf.end_id()),
        uses_(btf.end_id()),
        lengths_(btf.end_id()),
        nesting_(btf.end_id()) {}

  std::string run() {
    find_circles();
    count_uses();
    Search search(btf_);
    auto look = [&](uint32_t id) {
      bool mention_only = is_enum(btf_.type(id).kind()) && btf_.type(id).vlen() == 0;
      search.run(
          {id, mention_only}, [&](Need need) { return !types_.cuts_circle[need.id]; },
          [&](Need need) { leave(need); });
    };
    for (uint32_t id : types_.order)
      if (is_enum(btf_.kind(id)) && is_omitted(id)) writer_.set_enumerators_known(id);
    for (uint32_t id : types_.order) {
      if (!is_root(id)) continue;
      look(id);
      define_unused_enum(id);
    }
    for (uint32_t id : types_.order) define_unused_enum(id);
    declare_kfuncs();
    // Clang warns of an attribute that nothing gets.
    bool has_records = writer_.has_records();
    return fmt::format("{}{}{}{}{}{}#endif\n", guard, choice_.includes,
                       choice_.includes.empty() ? "" : "\n", has_records ? opening : "", text_,
                       has_records ? closing : "");
  }

 private:
  static CTypes prepare(const BtfView& btf, const PrintedChoice& choice) {
    CTypes types(btf);
    types.partial = &choice.partial;
    types.notes = &choice.notes;
    types.prepare_for_compilers();
    return types;
  }

  /// The kfuncs that C can declare: a program binds to them by name.
  std::vector<uint32_t> find_kfuncs() const {
    std::vector<uint32_t> kfuncs;
    for (uint32_t id : types_.order)
      if (btf_.kind(id) == BtfKind::Func && types_.names->of(id) == btf_.name(btf_.type(id)))
        kfuncs.push_back(id);
    return kfuncs;
  }

  /// Finds types that lead back to themselves without a tag, and types that lead to such types.
  void find_circles() {
    std::vector<bool> is_circular(2 * size_t{btf_.end_id()});
    auto circular = [&](Need need) { return is_circular[2 * size_t{need.id} + need.mention_only]; };
    Search search(btf_);
    auto leave = [&](Need need) {
      bool is_bad = false;
      for_each_need(btf_, need,
                    [&](Need next) { is_bad |= search.is_in_progress(next) || circular(next); });
      if (!is_bad) return;
      circular(need) = true;
      BtfKind kind = btf_.type(need.id).kind();
      if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto) types_.cuts_circle[need.id] = true;
    };
    for (uint32_t id : types_.order)
      search.run(
          {id, false}, [](Need) { return true; }, leave);
  }

  void count_uses() {
    uint64_t words = 0;
    for (uint32_t id = 1; id < btf_.end_id(); ++id) {
      BtfType type = btf_.type(id);
      words += type.words().size();
      if (type.kind() == BtfKind::Func) continue;
      for_each_need(btf_, {id, false}, [&](Need next) { ++uses_[next.id]; });
    }
    for (uint32_t id : kfuncs_) ++uses_[btf_.type(id).type()];
    repeats_left_ = repeats_per_word * words;
  }

  /// Whether a type is printed even if no other needs it.
  bool is_root(uint32_t id) const {
    BtfType type = btf_.type(id);
    if (is_enum(type.kind()) && btf_.name(type).empty()) return uses_[id] == 0;
    if (type.kind() == BtfKind::Fwd && choice_.is_part)
      return choice_.declared.contains(type_key(btf_, type));
    return type.kind() == BtfKind::Typedef || type.kind() == BtfKind::Fwd ||
           type.kind() == BtfKind::Func || is_composite(type.kind()) || is_enum(type.kind());
  }

  bool is_omitted(uint32_t id) const {
    return !choice_.omitted.empty() && choice_.omitted.contains(type_key(btf_, btf_.type(id)));
  }

  /// Prints a type: all that it needs is printed.
  void leave(Need need) {
    uint32_t id = need.id;
    BtfType type = btf_.type(id);
    bool is_mentioned_record = is_composite(type.kind()) && need.mention_only;
    if (!is_mentioned_record && type.kind() != BtfKind::FuncProto)
      types_.layouts[id] = c_layout_of(btf_, id, types_.layouts, types_.long_size);
    measure(id);
    if (types_.is_inline(id)) {
      name_if_too_long(id);
      return;
    }
    uint32_t declared = types_.names->declared(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Fwd || (is_declaration(type) && need.mention_only && declared == id)) {
      if (declared == id) declare_tag(id);
    } else if (is_enum(kind)) {
      define(declared);
    } else if (kind == BtfKind::Int || kind == BtfKind::Float) {
      if (c_scalar(btf_.name(type), type, types_.long_size).empty()) define(id);
    } else if (is_composite(kind) || kind == BtfKind::Typedef) {
      define(id);
    }
  }

  /// Computes the length and nesting of a type.
  void measure(uint32_t id) {
    if (lengths_[id] != 0) return;
    BtfType type = btf_.type(id);
    uint64_t length = is_enum(type.kind()) ? 1 + type.vlen() : 1;
    uint8_t nesting = 0;
    uint32_t member = 0;
    auto add = [&](uint32_t child) {
      if (is_composite(type.kind()) && measure_nameless(id, member++, length, nesting)) return;
      ++length;
      if (!types_.is_inline(child)) return;
      length += lengths_[child];
      nesting = std::max(nesting, nesting_[child]);
    };
    if (is_composite(type.kind())) {
      for (uint32_t i = 0; i < type.vlen(); ++i) add(type.member(i).type);
    } else if (!types_.cuts_circle[id]) {
      for_each_need(btf_, {id, false}, [&](Need next) { add(next.id); });
    }
    lengths_[id] = length;
    nesting_[id] = nesting + 1;
  }

  /// Decides whether a nameless member whose struct has a name is written out in place.
  bool measure_nameless(uint32_t record, uint32_t member, uint64_t& length, uint8_t& nesting) {
    uint32_t inner = types_.nameless_record(record, member);
    if (inner == 0) return false;
    bool is_anonymous = btf_.name(btf_.type(inner)).empty();
    if (is_anonymous && btf_.type(record).member(member).type == inner) return false;
    if (nesting_[inner] >= max_nesting || lengths_[inner] > repeats_left_) {
      types_.unexpanded_members.insert(uint64_t{record} << 32 | member);
      return false;
    }
    repeats_left_ -= lengths_[inner];
    length += lengths_[inner];
    nesting = std::max(nesting, nesting_[inner]);
    return true;
  }

  /// Gives a name to a type without one if it would be repeated too much or nest too deep.
  void name_if_too_long(uint32_t id) {
    BtfType type = btf_.type(id);
    bool is_repeated = uses_[id] > 1;
    // C allows enumerators only once.
    bool needs_name = is_enum(type.kind()) && (is_repeated || !is_enum_size(type.size()));
    uint64_t repeats =
        is_repeated && lengths_[id] > always_repeated ? (uses_[id] - 1) * lengths_[id] : 0;
    if (needs_name || nesting_[id] >= max_nesting || repeats > repeats_left_)
      name(id);
    else
      repeats_left_ -= repeats;
  }

  void name(uint32_t id) {
    BtfType type = btf_.type(id);
    bool has_tag = is_composite(type.kind()) || is_enum(type.kind());
    std::string preferred = fmt::format("{}_{}", has_tag ? "unnamed" : "type", ++given_names_);
    types_.names->set_name(
        id, types_.names->unique(has_tag ? CNameSpace::Tag : CNameSpace::Ordinary, preferred));
    types_.has_given_name[id] = true;
    define(id);
  }

  void declare_tag(uint32_t id) {
    if (writer_.is_tag_known(id)) return;
    writer_.set_tag_known(id);
    write_tag(id);
  }

  void write_tag(uint32_t id) {
    if (is_omitted(id)) return;
    add_paragraph(fmt::format("{} {};\n", types_.keyword(btf_.type(id)), types_.name(id)));
  }

  void define(uint32_t id) {
    if (is_defined_[id]) return;
    is_defined_[id] = true;
    if (is_omitted(id)) return writer_.set_tag_known(id);
    writer_.clear();
    write_definition(id);
    for (uint32_t tag : writer_.mentioned_tags()) write_tag(tag);
    if (types_.is_partial(id))
      add_paragraph(std::string(partial_note) + writer_.text());
    else if (has_names_of_c23(id))
      add_paragraph(
          fmt::format("#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L\n"
                      "{}#endif\n",
                      writer_.text()));
    else
      add_paragraph(writer_.text());
  }

  /// Adds lines and an empty one. Of chosen types, paragraphs of one line stand together.
  void add_paragraph(std::string_view lines) {
    bool is_line = choice_.is_part && lines.find('\n') == lines.size() - 1;
    if (is_line && ends_with_line_) text_.pop_back();
    ends_with_line_ = is_line;
    text_ += lines;
    text_ += '\n';
  }

  void write_definition(uint32_t id) {
    BtfType type = btf_.type(id);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Int || kind == BtfKind::Float)
      return writer_.write(scalar_typedef(btf_.name(type), type, types_.name(id)));
    if (is_composite(kind) || is_enum(kind)) writer_.set_tag_known(id);
    if (is_composite(kind) && choice_.is_part && type.vlen() == 0 && type.size() != 0)
      writer_.write(fmt::format("{} {} {{ char padding[{}]; }}", types_.keyword(type),
                                types_.name(id), type.size()));
    else if (is_composite(kind))
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

  void write_typedef(uint32_t id) {
    writer_.write("typedef ");
    if (btf_.type(id).kind() != BtfKind::Typedef) return writer_.declare_given(id, types_.name(id));
    writer_.declare(btf_.type(id).type(), types_.name(id));
    writer_.write_decl_tags(id);
  }

  /// C has no enum without enumerators, but its size may be needed.
  void write_empty_enum(uint32_t id) {
    writer_.write(fmt::format("enum {0} {{\n\t{0}___none = 0,\n}}{1}", types_.name(id),
                              enum_mode(btf_.type(id))));
  }

  /// An enum of a size that C does not have is printed as a struct of bytes.
  void write_odd_enum(uint32_t id) {
    if (btf_.type(id).vlen() != 0) {
      writer_.write("enum");
      writer_.write_enumerators(id);
      writer_.write(";\n\n");
    }
    writer_.write(
        fmt::format("struct {} {{\n\tchar bytes[{}];\n}}", types_.name(id), btf_.type(id).size()));
  }

  /// Whether a type defines `bool`, or `false` and `true`, which are keywords in C23.
  bool has_names_of_c23(uint32_t id) const {
    BtfType type = btf_.type(id);
    if (type.kind() == BtfKind::Typedef)
      return types_.name(id) == "bool" && types_.layouts[id].form == CForm::Boolean;
    if (!is_enum(type.kind()) || type.vlen() != 2 || !btf_.name(type).empty()) return false;
    auto is = [&](uint32_t i, std::string_view name, std::string_view value) {
      return types_.enumerator_name(id, i) == name && types_.enumerator_value(type, i) == value;
    };
    return is(0, "false", "0") && is(1, "true", "1");
  }

  /// Defines an anonymous enum that no other type contains.
  void define_unused_enum(uint32_t id) {
    BtfType type = btf_.type(id);
    if (!is_enum(type.kind()) || !types_.is_inline(id) || type.vlen() == 0) return;
    if (writer_.has_enumerators(id)) return;
    if (is_enum_size(type.size()))
      define(id);
    else
      name(id);
  }

  /// Declares what a program can call. All types that this needs are defined, or only mentioned.
  void declare_kfuncs() {
    if (kfuncs_.empty()) return;
    text_ += "#ifndef BPF_NO_KFUNC_PROTOTYPES\n";
    for (uint32_t id : kfuncs_) {
      writer_.clear();
      writer_.write("extern ");
      if (types_.has_tag(id, "bpf_fastcall")) writer_.write("__bpf_fastcall ");
      writer_.declare_function(btf_.type(id).type(), types_.name(id));
      writer_.write(" __weak __ksym;\n");
      for (uint32_t tag : writer_.mentioned_tags()) write_tag(tag);
      text_ += writer_.text();
    }
    text_ += "#endif\n\n";
  }

  BtfView btf_;
  const PrintedChoice& choice_;
  CTypes types_;
  CWriter writer_{types_, policy_for_compilers};
  std::vector<uint32_t> kfuncs_ = find_kfuncs();
  std::string text_ = begin_header(btf_, !kfuncs_.empty());
  std::vector<bool> is_defined_;
  std::vector<uint32_t> uses_;     ///< by id: references from types that may be printed
  std::vector<uint64_t> lengths_;  ///< by id: the type's length (see above), 0 if not measured
  std::vector<uint8_t> nesting_;   ///< by id: the depth of types without names
  uint64_t repeats_left_ = 0;      ///< the length that may still be repeated
  bool ends_with_line_ = false;    ///< whether the last paragraph has one line
  uint32_t given_names_ = 0;       ///< the number of types that name() named
};

}  // namespace

std::string print_c_header(const BtfView& btf) {
  return print_c_header(btf, {});
}

std::string print_c_header(const BtfView& btf, const PrintedChoice& choice) {
  return HeaderPrinter(btf, choice).run();
}

}  // namespace bpflink
