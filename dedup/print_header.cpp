// All types as one C header.
//
// C wants a type defined before it is used by value and a typedef before it is
// used at all; a pointer to a struct needs only its tag. So all tags are
// declared first, and definitions follow in the order in which a depth-first
// search over the other references, with a stack of its own, leaves them.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "bpflink/print.hpp"
#include "dedup/c_printer.hpp"
#include "dedup/kinds.hpp"

namespace bpflink {

namespace {

bool is_record(BtfType type) {
  return type.kind() == BTF_KIND_STRUCT || type.kind() == BTF_KIND_UNION;
}

bool is_enum(BtfType type) {
  return type.kind() == BTF_KIND_ENUM || type.kind() == BTF_KIND_ENUM64;
}

class HeaderPrinter {
 public:
  explicit HeaderPrinter(const Btf& btf)
      : btf_(btf), printer_(btf), states_(2 * size_t{btf.end_id()}), is_printed_(btf.end_id()) {}

  std::string run() {
    rename_repeated();
    declare_tags();
    for (uint32_t id = 1; id < btf_.end_id(); ++id) search(id);
    return std::move(text_);
  }

 private:
  enum State : uint8_t { unknown, open, done };
  /// A type to visit. One that is referred to through a pointer need not be
  /// complete.
  struct Visit {
    uint32_t id;
    bool by_pointer;
  };

  State& state(Visit visit) { return states_[2 * size_t{visit.id} + visit.by_pointer]; }

  bool is_defined(BtfType type) const {
    bool is_tagged = (is_record(type) || is_enum(type)) && !btf_.name(type).empty();
    bool is_anonymous_enum = is_enum(type) && btf_.name(type).empty();
    return is_tagged || is_anonymous_enum || type.kind() == BTF_KIND_TYPEDEF;
  }

  void rename_repeated();
  void declare_tags();
  void search(uint32_t root);
  void visit_references(Visit visit);
  void define(uint32_t id);

  const Btf& btf_;
  CPrinter printer_;
  std::vector<State> states_;  ///< by id, and whether through a pointer
  std::vector<bool> is_printed_;
  std::vector<Visit> stack_;
  std::string text_;
};

/// Tags have a name space of their own, and so have typedefs, with enumerators.
void HeaderPrinter::rename_repeated() {
  std::vector<std::tuple<bool, std::string_view, uint32_t>> names;
  for (uint32_t id = 1; id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    bool is_typedef = type.kind() == BTF_KIND_TYPEDEF;
    if ((is_typedef || is_record(type) || is_enum(type)) && !btf_.name(type).empty())
      names.emplace_back(is_typedef, btf_.name(type), id);
  }
  std::ranges::sort(names);
  int repeats = 1;
  for (size_t i = 1; i < names.size(); ++i) {
    auto [space, name, id] = names[i];
    bool is_repeat = space == std::get<0>(names[i - 1]) && name == std::get<1>(names[i - 1]);
    repeats = is_repeat ? repeats + 1 : 1;
    if (is_repeat) printer_.rename(id, std::string(name) + "___" + std::to_string(repeats));
  }
}

void HeaderPrinter::declare_tags() {
  for (uint32_t id = 1; id < btf_.end_id(); ++id) {
    BtfType type = btf_.type(id);
    if ((!is_record(type) && type.kind() != BTF_KIND_FWD) || btf_.name(type).empty()) continue;
    text_ += printer_.declaration(id, {}) + ";\n";
  }
  if (!text_.empty()) text_ += '\n';
}

void HeaderPrinter::search(uint32_t root) {
  if (!is_defined(btf_.type(root))) return;
  stack_.assign(1, {root, false});
  while (!stack_.empty()) {
    Visit visit = stack_.back();
    if (state(visit) == unknown) {
      state(visit) = open;
      visit_references(visit);
      continue;
    }
    stack_.pop_back();
    state(visit) = done;
    if (is_defined(btf_.type(visit.id)) && !is_printed_[visit.id]) define(visit.id);
  }
}

void HeaderPrinter::visit_references(Visit visit) {
  BtfType type = btf_.type(visit.id);
  for_each_reference(type.words(), [&](uint32_t child) {
    if (child == 0) return;
    // A tag behind a pointer is declared already, and visited on its own.
    BtfType target = btf_.type(child);
    bool by_pointer = type.kind() == BTF_KIND_PTR || type.kind() == BTF_KIND_FUNC_PROTO ||
                      (visit.by_pointer && !is_record(type));
    bool is_tag = is_record(target) && !btf_.name(target).empty();
    Visit next{child, by_pointer};
    if (!(by_pointer && is_tag) && state(next) == unknown) stack_.push_back(next);
  });
}

void HeaderPrinter::define(uint32_t id) {
  is_printed_[id] = true;
  text_ += printer_.definition(id) + "\n\n";
}

}  // namespace

std::string print_c_header(const Btf& btf) {
  return HeaderPrinter(btf).run();
}

}  // namespace bpflink
