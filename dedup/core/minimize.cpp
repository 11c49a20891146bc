// Cuts a kernel's types down to what relocations need.
//
// A search by name sees of a type: its kind and name, if a relocation names it; the members that
// paths pass through; the kinds of what they lead to. Typedefs and qualifiers on the path are
// looked through, pointers are not followed. So that is what is kept of each type, each by its
// place in the kernel's types:
//
//   struct task_struct { ...; volatile pid_t pid; ... };       the kernel has 200 members
//   struct task_struct { int pid; };                           task->pid needs this, of that size
//
// What was not found is left out, and is not found then either. Two things have to be kept for what
// they are not. An array without elements is of any length if it is the last member, so a struct in
// which one is kept that is not the last keeps its last member, too. And a type that is unlike the
// program's, because a pointer leads elsewhere, say, must stay so, if it is kept for another
// reason.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "dedup/core/match.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/interner.hpp"

namespace bpflink {
namespace {

/// How much of what a type leads to is needed.
enum class Need : uint8_t {
  Itself,   ///< nothing: its kind and size
  Kinds,    ///< through pointers, arrays and parameters, kinds
  Names,    ///< the same with names, and all enumerators
  Matches,  ///< all members, too, but of what is behind pointers
};

/// A type by where it is, as a CoreCandidate has it. Types of vmlinux are there, whoever refers to
/// them.
struct TypePlace {
  uint32_t module;
  uint32_t id;
  friend auto operator<=>(const TypePlace&, const TypePlace&) = default;
};

/// What is kept of a type.
struct KeptType {
  bool is_named = false;  ///< a relocation or a comparison of names finds it
  Need need = Need::Itself;
  std::set<uint32_t> elements = {};  ///< members or enumerators
};

/// What the comparison for a kind looks at.
Need need_of(CoreKind kind) {
  if (kind == CoreKind::TypeMatches) return Need::Matches;
  return is_field_kind(kind) || is_enumerator_kind(kind) ? Need::Itself : Need::Kinds;
}

/// What a relocation was answered with.
struct Answer {
  Need need;
  std::vector<CoreCandidate> candidates{};  ///< that give the answer, or keep it from being given
};

/// The answers about one type of a program, in their order.
struct Answers {
  std::vector<Answer> list{};
  bool has_failed = false;  ///< some were no answers, and must not become any
};

uint32_t with_vlen(uint32_t info, size_t vlen) {
  return (info & ~uint32_t{0xffffff}) | static_cast<uint32_t>(vlen);
}

}  // namespace

struct BPFLINK_INTERNAL CoreMinimizer::Impl {
  explicit Impl(const CoreKernel& of) : kernel(of) {}

  const CoreKernel& kernel;
  std::map<TypePlace, KeptType> kept{};
  std::vector<TypePlace> open{};       ///< of which what they lead to is still to be kept
  std::map<TypePlace, Need> unlike{};  ///< types that must not become like others

  const BtfView& view(TypePlace at) const { return kernel.types(at.module); }
  BtfType type(TypePlace at) const { return view(at).type(at.id); }
  BtfKind kind(TypePlace at) const { return view(at).kind(at.id); }
  /// Type `id`, as `from` refers to it.
  TypePlace place(TypePlace from, uint32_t id) const {
    return {id < kernel.vmlinux().end_id() ? 0 : from.module, id};
  }
  TypePlace skip(TypePlace from, uint32_t id) const {
    return place(from, skip_modifiers(view(from), id));
  }

  void keep_answers(const Answers& answers);
  void keep_candidate(Need need, const CoreCandidate& candidate);
  void keep_type(TypePlace at, Need need);
  void keep_root(TypePlace at, Need need);
  void keep_member(TypePlace at, uint32_t index, Need need);
  void keep_path(const CoreCandidate& candidate);
  void keep_references(TypePlace at);
  void keep_all_references();
  void keep_differences();
};

/// Keeps a type that is no modifier.
void CoreMinimizer::Impl::keep_type(TypePlace at, Need need) {
  if (at.id == 0) return;
  auto [entry, is_new] = kept.try_emplace(at);
  KeptType& known = entry->second;
  known.is_named |= need >= Need::Names;
  if (!is_new && known.need >= need) return;
  known.need = std::max(known.need, need);
  open.push_back(at);
}

/// Keeps a type that a relocation names, perhaps a typedef.
void CoreMinimizer::Impl::keep_root(TypePlace at, Need need) {
  kept[at].is_named = true;
  TypePlace real = skip(at, at.id);
  keep_type(real, need);
  if (real == at) open.push_back(at);
}

void CoreMinimizer::Impl::keep_member(TypePlace at, uint32_t index, Need need) {
  BtfType composite = type(at);
  keep_type(at, Need::Itself);
  kept[at].elements.insert(index);
  TypePlace member = skip(at, composite.member(index).type);
  keep_type(member, need);
  uint32_t last = composite.vlen() - 1;
  if (index == last || kind(member) != BtfKind::Array || type(member).array_length() != 0) return;
  kept[at].elements.insert(last);
  keep_type(skip(at, composite.member(last).type), Need::Itself);
}

/// Keeps the members and enumerators of the path that was found in a candidate.
void CoreMinimizer::Impl::keep_path(const CoreCandidate& candidate) {
  TypePlace root{candidate.module, candidate.id};
  for (const CoreStep& step : candidate.path) {
    if (step.is_element) continue;
    TypePlace at = place(root, step.type_id);
    if (is_enum(kind(at)))
      kept[at].elements.insert(step.index);
    else
      keep_member(at, step.index, Need::Itself);
  }
}

void CoreMinimizer::Impl::keep_references(TypePlace at) {
  Need need = kept[at].need;
  BtfType type = this->type(at);
  switch (type.kind()) {
    case BtfKind::Ptr:
      if (need != Need::Itself) keep_type(skip(at, type.type()), std::min(need, Need::Names));
      break;
    case BtfKind::Array:
      keep_type(skip(at, type.array_element_type()), need);
      keep_type(skip(at, type.array_index_type()), Need::Itself);
      break;
    case BtfKind::FuncProto:
      if (need == Need::Itself) break;
      keep_type(skip(at, type.type()), need);
      for (uint32_t i = 0; i < type.vlen(); ++i) keep_type(skip(at, type.param(i).type), need);
      break;
    case BtfKind::Var:  // which has the size of its type
      keep_type(skip(at, type.type()), Need::Itself);
      break;
    case BtfKind::Struct:
    case BtfKind::Union:
      for (uint32_t i = 0; need == Need::Matches && i < type.vlen(); ++i) keep_member(at, i, need);
      break;
    case BtfKind::Enum:
    case BtfKind::Enum64:
      for (uint32_t i = 0; need >= Need::Names && i < type.vlen(); ++i) kept[at].elements.insert(i);
      break;
    default:
      break;
  }
}

void CoreMinimizer::Impl::keep_all_references() {
  while (!open.empty()) {
    TypePlace at = open.back();
    open.pop_back();
    keep_references(at);
  }
}

/// Keeps of types that are kept for another reason what makes them unlike a program's. Without a
/// member or an enumerator a type is no more like another; but without its name it may be, and a
/// pointer without what it points to is like one to void.
void CoreMinimizer::Impl::keep_differences() {
  std::map<TypePlace, Need> seen;
  std::vector<std::pair<TypePlace, Need>> types(unlike.begin(), unlike.end());
  std::erase_if(types, [&](const auto& type) {
    auto found = kept.find(type.first);
    return found == kept.end() || !found->second.is_named;
  });
  while (!types.empty()) {
    auto [from, need] = types.back();
    types.pop_back();
    TypePlace at = skip(from, from.id);
    auto known = kept.find(at);
    if (known == kept.end()) continue;
    auto [entry, is_new] = seen.try_emplace(at, need);
    if (!is_new && entry->second >= need) continue;
    entry->second = need;
    BtfType type = this->type(at);
    if (is_composite(type.kind())) {
      known->second.is_named |= need >= Need::Names;
      for (uint32_t index : known->second.elements)
        types.emplace_back(place(at, type.member(index).type), need);
    } else if (!is_enum(type.kind())) {
      keep_type(at, need);
      keep_all_references();
    }
  }
}

namespace {

/// Writes what is kept. What refers to nothing comes first, equal types once that no relocation
/// names.
class MinimalWriter {
 public:
  MinimalWriter(const CoreKernel& kernel, const std::map<TypePlace, KeptType>& kept)
      : kernel_(kernel), kept_(kept) {}

  BtfBuilder run() {
    if (CoreKernelAccess::impl(kernel_).vmlinux.types().pointer_size == 4) add_long();
    std::vector<TypePlace> others;
    for (const auto& [at, type] : kept_)
      if (!add_leaf(at, type)) others.push_back(at);
    uint32_t next = builder_.end_id();
    for (TypePlace at : others) ids_[at] = next++;
    for (TypePlace at : others) add_with_references(at, kept_.at(at));
    return std::move(builder_);
  }

 private:
  const BtfView& view(TypePlace at) const { return kernel_.types(at.module); }

  /// Tells readers that pointers have four bytes.
  void add_long() {
    constexpr uint32_t bits = 32;
    const uint32_t words[] = {builder_.add_string("long int"), BtfBuilder::info(BtfKind::Int, 0),
                              bits / 8, uint32_t{1} << 24 | bits};
    builder_.add_type(words);
  }

  uint32_t add_string(TypePlace at, uint32_t offset) {
    return builder_.add_string(view(at).string(offset));
  }

  uint32_t name_of(TypePlace at, const KeptType& kept) {
    BtfType type = view(at).type(at.id);
    bool has_name = kept.is_named || !is_composite(type.kind());
    return has_name ? add_string(at, type.name_off()) : 0;
  }

  /// The id that a type referred to by `at` has here.
  uint32_t id_of(TypePlace at, uint32_t id) const {
    id = skip_modifiers(view(at), id);
    auto found = ids_.find({id < kernel_.vmlinux().end_id() ? 0 : at.module, id});
    return found == ids_.end() ? 0 : found->second;
  }

  /// Adds a type that refers to no other, if it is one.
  bool add_leaf(TypePlace at, const KeptType& kept) {
    BtfType type = view(at).type(at.id);
    std::vector<uint32_t> words(type.words().begin(), type.words().begin() + 3);
    switch (type.kind()) {
      case BtfKind::Int:
      case BtfKind::Float:
      case BtfKind::Fwd:
        words.assign(type.words().begin(), type.words().end());
        break;
      case BtfKind::Struct:
      case BtfKind::Union:
        if (!kept.elements.empty()) return false;
        words[1] = with_vlen(type.info(), 0);
        break;
      case BtfKind::Enum:
      case BtfKind::Enum64:
        words[1] = with_vlen(type.info(), kept.elements.size());
        add_enumerators(at, kept, words);
        break;
      case BtfKind::Ptr:
      case BtfKind::FuncProto:
        if (kept.need != Need::Itself) return false;
        words[1] = with_vlen(type.info(), 0);
        words[2] = 0;
        break;
      case BtfKind::Datasec:
        words[1] = with_vlen(type.info(), 0);
        break;
      case BtfKind::Array:
      case BtfKind::Var:
        return false;
      default:
        if (is_modifier(type.kind())) return false;
        // A function, say. It is like no other type and has no size; so is a variable of void.
        words = {0, BtfBuilder::info(BtfKind::Var, 0), 0, 0};
        break;
    }
    words[0] = name_of(at, kept);
    if (kept.is_named) {  // two of a name must stay two, as ids that are asked for are ambiguous
      ids_[at] = builder_.add_type(words);
      return true;
    }
    uint32_t number = leaves_.intern(words);
    if (number > leaf_ids_.size()) leaf_ids_.push_back(builder_.add_type(words));
    ids_[at] = leaf_ids_[number - 1];
    return true;
  }

  void add_enumerators(TypePlace at, const KeptType& kept, std::vector<uint32_t>& words) {
    BtfType type = view(at).type(at.id);
    size_t width = type.kind() == BtfKind::Enum ? 2 : 3;
    for (uint32_t index : kept.elements) {
      auto from = type.extra().subspan(index * width, width);
      words.push_back(add_string(at, from[0]));
      words.insert(words.end(), from.begin() + 1, from.end());
    }
  }

  void add_with_references(TypePlace at, const KeptType& kept) {
    BtfType type = view(at).type(at.id);
    std::vector<uint32_t> words(type.words().begin(), type.words().begin() + 3);
    words[0] = name_of(at, kept);
    switch (type.kind()) {
      case BtfKind::Struct:
      case BtfKind::Union:
        words[1] = with_vlen(type.info(), kept.elements.size());
        for (uint32_t index : kept.elements) {
          BtfMember member = type.member(index);
          uint32_t name = add_string(at, member.name_off);
          words.insert(words.end(), {name, id_of(at, member.type), member.offset});
        }
        break;
      case BtfKind::Array:
        words.insert(words.end(), {id_of(at, type.array_element_type()),
                                   id_of(at, type.array_index_type()), type.array_length()});
        break;
      case BtfKind::FuncProto:
        words[2] = id_of(at, type.type());
        for (uint32_t i = 0; i < type.vlen(); ++i)
          words.insert(words.end(), {0, id_of(at, type.param(i).type)});
        break;
      case BtfKind::Var:
        words[2] = id_of(at, type.type());
        words.push_back(type.words()[3]);
        break;
      default:  // a pointer, or a modifier that a relocation names
        words[2] = id_of(at, type.type());
        break;
    }
    builder_.add_type(words);
  }

  const CoreKernel& kernel_;
  const std::map<TypePlace, KeptType>& kept_;
  BtfBuilder builder_;
  std::map<TypePlace, uint32_t> ids_;
  Interner leaves_;
  std::vector<uint32_t> leaf_ids_;
};

}  // namespace

CoreMinimizer::CoreMinimizer(const CoreKernel& kernel) : impl_(new Impl(kernel)) {}
CoreMinimizer::CoreMinimizer(CoreMinimizer&&) noexcept = default;
CoreMinimizer& CoreMinimizer::operator=(CoreMinimizer&&) noexcept = default;
CoreMinimizer::~CoreMinimizer() = default;

void CoreMinimizer::Impl::keep_candidate(Need need, const CoreCandidate& candidate) {
  // What cannot be bound is kept as it is, to fail in the same way; so is what loaders bind wrong.
  bool is_whole = candidate.is_error || candidate.reason != CoreReason::None;
  keep_root({candidate.module, candidate.id}, is_whole ? Need::Matches : need);
  keep_path(candidate);
}

void CoreMinimizer::Impl::keep_answers(const Answers& answers) {
  // Each answer ruled out, for those after it, the types that do not give it: what gives the last
  // one gives all.
  const CoreCandidate& best = answers.list.back().candidates.front();
  for (const Answer& answer : answers.list)
    for (const CoreCandidate& candidate : answer.candidates)
      if (answers.has_failed || (candidate.module == best.module && candidate.id == best.id))
        keep_candidate(answer.need, candidate);
  keep_all_references();
}

void CoreMinimizer::keep(const BtfView& program, std::endian order,
                         std::span<const CoreRelocation> relocations) {
  CoreResolver resolver(program, order, impl_->kernel);
  std::map<uint32_t, Answers> answers;  // by the program's type
  for (const CoreRelocation& relocation : relocations) {
    CoreResult result = resolver.resolve(relocation);
    Need need = need_of(relocation.kind);
    Answer answer{.need = need};
    for (const CoreCandidate& candidate : resolver.candidates()) {
      if (candidate.matches || candidate.is_error) {
        answer.candidates.push_back(candidate);
      } else if (need != Need::Itself) {
        Need& known = impl_->unlike[{candidate.module, candidate.id}];
        known = std::max(known, need);
      }
    }
    if (answer.candidates.empty()) continue;
    Answers& of_type = answers[relocation.type_id];
    of_type.has_failed |= result.outcome == CoreOutcome::Failed;
    of_type.list.push_back(std::move(answer));
  }
  for (const auto& [type, of_type] : answers) impl_->keep_answers(of_type);
}

std::expected<std::vector<std::byte>, Error> CoreMinimizer::finish(std::endian order) {
  impl_->keep_differences();
  return MinimalWriter(impl_->kernel, impl_->kept).run().finish(order);
}

}  // namespace bpflink
