// Cuts a kernel's types down to what relocations need.
//
// A kernel's BTF is some 5 MB; a program's relocations look at a few types and members of it. The
// minimized BTF has only these, and each relocation gets the same answer from it as from the whole.
//
// A relocation looks at the kind and name of the type that it names, at the members that its path
// passes through, and at the kinds of their types. Typedefs and qualifiers on a path are skipped,
// and pointers are not followed. So this much is kept of each type, at the same offsets:
//
//   struct task_struct { ...; volatile pid_t pid; ... };       the kernel has 200 members
//   struct task_struct { int pid; };                           kept for task->pid, of the same size
//
// If a relocation does not find a type or member, it is omitted and still not found. Two things are
// kept so that nothing new is found. First, an array without elements counts as one of any length
// if it is the last member; so if it is kept and is not the last, the last member is kept as well.
// Second, a type that does not match the program's type, because a pointer leads to another type,
// say, must not match when it is kept for another reason.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "dedup/core/match.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/interner.hpp"

namespace bpflink {
namespace {

/// How much is kept of a type.
enum class Detail : uint8_t {
  Itself,   ///< its kind and size
  Kinds,    ///< also the kinds of types behind pointers, arrays and parameters
  Names,    ///< also names, and all enumerators
  Matches,  ///< also all members, but not behind pointers
};

/// A type of a kernel. Module 0 is vmlinux, as in CoreCandidate.
struct KernelType {
  uint32_t module;
  uint32_t id;
  friend auto operator<=>(const KernelType&, const KernelType&) = default;
};

/// What is kept of a type.
struct KeptType {
  bool is_named = false;  ///< its name is kept, because a relocation or a comparison needs it
  Detail detail = Detail::Itself;
  std::set<uint32_t> elements = {};  ///< members or enumerators
};

/// The detail that a kind of relocation compares.
Detail detail_of(CoreKind kind) {
  if (kind == CoreKind::TypeMatches) return Detail::Matches;
  return is_field_kind(kind) || is_enumerator_kind(kind) ? Detail::Itself : Detail::Kinds;
}

/// The answer to a relocation.
struct Answer {
  Detail detail;
  std::vector<CoreCandidate> candidates{};  ///< that match, or cause an error
};

/// The answers for one type of a program, in order.
struct Answers {
  std::vector<Answer> list{};
  bool has_failed = false;  ///< some relocation failed, and must fail again
};

uint32_t with_vlen(uint32_t info, size_t vlen) {
  return (info & ~uint32_t{0xffffff}) | static_cast<uint32_t>(vlen);
}

}  // namespace

struct CoreMinimizer::Impl {
  explicit Impl(const CoreKernel& of) : kernel(of) {}

  const CoreKernel& kernel;
  std::map<KernelType, KeptType> kept{};
  std::vector<KernelType> pending{};           ///< types whose references are still to be kept
  std::map<KernelType, Detail> mismatching{};  ///< types that must not match

  const BtfView& view(KernelType at) const { return kernel.types(at.module); }
  BtfType type(KernelType at) const { return view(at).type(at.id); }
  BtfKind kind(KernelType at) const { return view(at).kind(at.id); }
  /// The type with the id `id` in the BTF of `from`.
  KernelType referenced(KernelType from, uint32_t id) const {
    return {id < kernel.vmlinux().end_id() ? 0 : from.module, id};
  }
  KernelType skip(KernelType from, uint32_t id) const {
    return referenced(from, skip_modifiers(view(from), id));
  }

  void keep_answers(const Answers& answers);
  void keep_candidate(Detail detail, const CoreCandidate& candidate);
  void keep_type(KernelType at, Detail detail);
  void keep_root(KernelType at, Detail detail);
  void keep_member(KernelType at, uint32_t index, Detail detail);
  void keep_path(const CoreCandidate& candidate);
  void keep_references(KernelType at);
  void keep_all_references();
  void keep_differences();
};

/// Keeps a type that is not a modifier.
void CoreMinimizer::Impl::keep_type(KernelType at, Detail detail) {
  if (at.id == 0) return;
  auto [entry, is_new] = kept.try_emplace(at);
  KeptType& known = entry->second;
  known.is_named |= detail >= Detail::Names;
  if (!is_new && known.detail >= detail) return;
  known.detail = std::max(known.detail, detail);
  pending.push_back(at);
}

/// Keeps a type that a relocation names, perhaps a typedef.
void CoreMinimizer::Impl::keep_root(KernelType at, Detail detail) {
  kept[at].is_named = true;
  KernelType real = skip(at, at.id);
  keep_type(real, detail);
  if (real == at) pending.push_back(at);
}

void CoreMinimizer::Impl::keep_member(KernelType at, uint32_t index, Detail detail) {
  BtfType composite = type(at);
  keep_type(at, Detail::Itself);
  kept[at].elements.insert(index);
  KernelType member = skip(at, composite.member(index).type);
  keep_type(member, detail);
  uint32_t last = composite.vlen() - 1;
  if (index == last || kind(member) != BtfKind::Array || type(member).array_length() != 0) return;
  kept[at].elements.insert(last);
  keep_type(skip(at, composite.member(last).type), Detail::Itself);
}

/// Keeps the members and enumerators of a candidate's path.
void CoreMinimizer::Impl::keep_path(const CoreCandidate& candidate) {
  KernelType root{candidate.module, candidate.id};
  for (const CoreStep& step : candidate.path) {
    if (step.is_element) continue;
    KernelType at = referenced(root, step.type_id);
    if (is_enum(kind(at)))
      kept[at].elements.insert(step.index);
    else
      keep_member(at, step.index, Detail::Itself);
  }
}

void CoreMinimizer::Impl::keep_references(KernelType at) {
  Detail detail = kept[at].detail;
  BtfType type = this->type(at);
  switch (type.kind()) {
    case BtfKind::Ptr:
      if (detail != Detail::Itself)
        keep_type(skip(at, type.type()), std::min(detail, Detail::Names));
      break;
    case BtfKind::Array:
      keep_type(skip(at, type.array_element_type()), detail);
      keep_type(skip(at, type.array_index_type()), Detail::Itself);
      break;
    case BtfKind::FuncProto:
      if (detail == Detail::Itself) break;
      keep_type(skip(at, type.type()), detail);
      for (uint32_t i = 0; i < type.vlen(); ++i) keep_type(skip(at, type.param(i).type), detail);
      break;
    case BtfKind::Var:  // has the size of its type
      keep_type(skip(at, type.type()), Detail::Itself);
      break;
    case BtfKind::Struct:
    case BtfKind::Union:
      for (uint32_t i = 0; detail == Detail::Matches && i < type.vlen(); ++i)
        keep_member(at, i, detail);
      break;
    case BtfKind::Enum:
    case BtfKind::Enum64:
      for (uint32_t i = 0; detail >= Detail::Names && i < type.vlen(); ++i)
        kept[at].elements.insert(i);
      break;
    default:
      break;
  }
}

void CoreMinimizer::Impl::keep_all_references() {
  while (!pending.empty()) {
    KernelType at = pending.back();
    pending.pop_back();
    keep_references(at);
  }
}

/// For types that must not match and are kept for another reason, keeps what makes them mismatch.
/// Removing a member or an enumerator cannot make a type match. Removing its name can, and a
/// pointer without its target would match one to void.
void CoreMinimizer::Impl::keep_differences() {
  std::map<KernelType, Detail> seen;
  std::vector<std::pair<KernelType, Detail>> types(mismatching.begin(), mismatching.end());
  std::erase_if(types, [&](const auto& type) {
    auto found = kept.find(type.first);
    return found == kept.end() || !found->second.is_named;
  });
  while (!types.empty()) {
    auto [from, detail] = types.back();
    types.pop_back();
    KernelType at = skip(from, from.id);
    auto known = kept.find(at);
    if (known == kept.end()) continue;
    auto [entry, is_new] = seen.try_emplace(at, detail);
    if (!is_new && entry->second >= detail) continue;
    entry->second = detail;
    BtfType type = this->type(at);
    if (is_composite(type.kind())) {
      known->second.is_named |= detail >= Detail::Names;
      for (uint32_t index : known->second.elements)
        types.emplace_back(referenced(at, type.member(index).type), detail);
    } else if (!is_enum(type.kind())) {
      keep_type(at, detail);
      keep_all_references();
    }
  }
}

namespace {

/// Writes the kept types, first those without references. Equal types without names are written
/// once.
class MinimalWriter {
 public:
  MinimalWriter(const CoreKernel& kernel, const std::map<KernelType, KeptType>& kept)
      : kernel_(kernel), kept_(kept) {}

  BtfBuilder run() {
    if (CoreKernelAccess::impl(kernel_).vmlinux.types().pointer_size == 4) add_long();
    std::vector<KernelType> others;
    for (const auto& [at, type] : kept_)
      if (!add_leaf(at, type)) others.push_back(at);
    uint32_t next = builder_.end_id();
    for (KernelType at : others) ids_[at] = next++;
    for (KernelType at : others) add_with_references(at, kept_.at(at));
    return std::move(builder_);
  }

 private:
  const BtfView& view(KernelType at) const { return kernel_.types(at.module); }

  /// Adds `long int`, by which loaders know that pointers have four bytes.
  void add_long() {
    constexpr uint32_t bits = 32;
    const uint32_t words[] = {builder_.add_string("long int"), BtfBuilder::info(BtfKind::Int, 0),
                              bits / 8, uint32_t{1} << 24 | bits};
    builder_.add_type(words);
  }

  uint32_t add_string(KernelType at, uint32_t offset) {
    return builder_.add_string(view(at).string(offset));
  }

  uint32_t name_of(KernelType at, const KeptType& kept) {
    BtfType type = view(at).type(at.id);
    bool has_name = kept.is_named || !is_composite(type.kind());
    return has_name ? add_string(at, type.name_off()) : 0;
  }

  /// The new id of a type that `at` refers to.
  uint32_t id_of(KernelType at, uint32_t id) const {
    id = skip_modifiers(view(at), id);
    auto found = ids_.find({id < kernel_.vmlinux().end_id() ? 0 : at.module, id});
    return found == ids_.end() ? 0 : found->second;
  }

  /// Adds a type if no reference of it is kept. Returns whether it did.
  bool add_leaf(KernelType at, const KeptType& kept) {
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
        if (kept.detail != Detail::Itself) return false;
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
        // A function, for example: it matches no type and has no size. Neither does a void
        // variable.
        words = {0, BtfBuilder::info(BtfKind::Var, 0), 0, 0};
        break;
    }
    words[0] = name_of(at, kept);
    if (kept.is_named) {  // two of a name stay two: a relocation for the type id is ambiguous
      ids_[at] = builder_.add_type(words);
      return true;
    }
    uint32_t number = leaves_.intern(words);
    if (number > leaf_ids_.size()) leaf_ids_.push_back(builder_.add_type(words));
    ids_[at] = leaf_ids_[number - 1];
    return true;
  }

  void add_enumerators(KernelType at, const KeptType& kept, std::vector<uint32_t>& words) {
    BtfType type = view(at).type(at.id);
    size_t width = type.kind() == BtfKind::Enum ? 2 : 3;
    for (uint32_t index : kept.elements) {
      auto from = type.extra().subspan(index * width, width);
      words.push_back(add_string(at, from[0]));
      words.insert(words.end(), from.begin() + 1, from.end());
    }
  }

  void add_with_references(KernelType at, const KeptType& kept) {
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
      default:  // a pointer, or a typedef that a relocation names
        words[2] = id_of(at, type.type());
        break;
    }
    builder_.add_type(words);
  }

  const CoreKernel& kernel_;
  const std::map<KernelType, KeptType>& kept_;
  BtfBuilder builder_;
  std::map<KernelType, uint32_t> ids_;
  Interner leaves_;
  std::vector<uint32_t> leaf_ids_;
};

}  // namespace

CoreMinimizer::CoreMinimizer(const CoreKernel& kernel) : impl_(new Impl(kernel)) {}
CoreMinimizer::CoreMinimizer(CoreMinimizer&&) noexcept = default;
CoreMinimizer& CoreMinimizer::operator=(CoreMinimizer&&) noexcept = default;
CoreMinimizer::~CoreMinimizer() = default;

void CoreMinimizer::Impl::keep_candidate(Detail detail, const CoreCandidate& candidate) {
  // Types that cause errors are kept in full, to cause the same errors.
  bool is_whole = candidate.is_error || candidate.reason != CoreReason::None;
  keep_root({candidate.module, candidate.id}, is_whole ? Detail::Matches : detail);
  keep_path(candidate);
}

void CoreMinimizer::Impl::keep_answers(const Answers& answers) {
  // A loader drops the candidates that do not match a relocation for all later relocations of the
  // type. So a candidate of the last answer matches all of them.
  const CoreCandidate& best = answers.list.back().candidates.front();
  for (const Answer& answer : answers.list)
    for (const CoreCandidate& candidate : answer.candidates)
      if (answers.has_failed || (candidate.module == best.module && candidate.id == best.id))
        keep_candidate(answer.detail, candidate);
  keep_all_references();
}

void CoreMinimizer::keep(const BtfView& program, std::endian order,
                         std::span<const CoreRelocation> relocations) {
  CoreResolver resolver(program, order, impl_->kernel);
  std::map<uint32_t, Answers> answers;  // by the program's type
  for (const CoreRelocation& relocation : relocations) {
    CoreResult result = resolver.resolve(relocation);
    Detail detail = detail_of(relocation.kind);
    Answer answer{.detail = detail};
    for (const CoreCandidate& candidate : resolver.candidates()) {
      if (candidate.matches || candidate.is_error) {
        answer.candidates.push_back(candidate);
      } else if (detail != Detail::Itself) {
        Detail& known = impl_->mismatching[{candidate.module, candidate.id}];
        known = std::max(known, detail);
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
