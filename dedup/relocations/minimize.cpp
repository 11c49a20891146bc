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
// If a relocation does not find a type or member, it is omitted and still not found. More is
// kept so that nothing new is found. First, an array without elements counts as one of any length
// if it is the last member; so if it is kept and is not the last, the last member is kept as well.
// Second, a type that does not match the program's type, because a pointer leads to another type,
// say, must not match when it is kept for another reason. Third, where loaders end the search for a
// member because its struct has one of that name with another type, that one is kept.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/merge/interner.hpp"
#include "dedup/relocations/match.hpp"

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

/// The answers to the relocations for one type of a program.
struct Answers {
  /// The first candidate of the last answer. A loader drops the candidates that do not match a
  /// relocation for all later relocations of the type, so this one matches all of them.
  KernelType best{};
  /// Some relocation failed, and must fail again. Which candidates a loader drops then depends on
  /// the positions of all of them.
  bool has_failed = false;
};

/// Whether a loader finds the candidate, or stops at it.
bool is_found(const CoreCandidate& candidate) {
  return candidate.matches || candidate.is_error;
}

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

  void note_mismatches(std::span<const CoreCandidate> candidates, Detail detail) {
    for (const CoreCandidate& candidate : candidates) {
      if (is_found(candidate)) continue;
      keep_path(candidate);
      if (detail == Detail::Itself) continue;
      Detail& known = mismatching[{candidate.module, candidate.id}];
      known = std::max(known, detail);
    }
  }

  void keep_candidate(Detail detail, const CoreCandidate& candidate) {
    // Types that cause errors are kept in full, to cause the same errors.
    bool is_whole = candidate.is_error || candidate.reason != CoreReason::None;
    keep_root({candidate.module, candidate.id}, is_whole ? Detail::Matches : detail);
    keep_path(candidate);
  }

  /// Keeps a type that is not a modifier.
  void keep_type(KernelType at, Detail detail) {
    if (at.id == 0) return;
    auto [entry, is_new] = kept.try_emplace(at);
    KeptType& known = entry->second;
    known.is_named |= detail >= Detail::Names;
    if (!is_new && known.detail >= detail) return;
    known.detail = std::max(known.detail, detail);
    pending.push_back(at);
  }

  /// Keeps a type that a relocation names, perhaps a typedef.
  void keep_root(KernelType at, Detail detail) {
    kept[at].is_named = true;
    KernelType real = skip(at, at.id);
    keep_type(real, detail);
    if (real == at) pending.push_back(at);
  }

  void keep_member(KernelType at, uint32_t index, Detail detail) {
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

  /// Keeps the members and enumerators that were found in a candidate.
  void keep_path(const CoreCandidate& candidate) {
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

  void keep_references(KernelType at) {
    Detail detail = kept[at].detail;
    BtfType type = this->type(at);
    BtfKind kind = type.kind();
    if (kind == BtfKind::Ptr && detail != Detail::Itself)
      keep_type(skip(at, type.type()), std::min(detail, Detail::Names));
    if (kind == BtfKind::Array) {
      keep_type(skip(at, type.array_element_type()), detail);
      keep_type(skip(at, type.array_index_type()), Detail::Itself);
    }
    if (kind == BtfKind::FuncProto && detail != Detail::Itself)
      for_each_reference(type.words(), [&](uint32_t id) { keep_type(skip(at, id), detail); });
    if (kind == BtfKind::Var)  // has the size of its type
      keep_type(skip(at, type.type()), Detail::Itself);
    if (is_composite(kind) && detail == Detail::Matches)
      for (uint32_t i = 0; i < type.vlen(); ++i) keep_member(at, i, detail);
    if (is_enum(kind) && detail >= Detail::Names)
      for (uint32_t i = 0; i < type.vlen(); ++i) kept[at].elements.insert(i);
  }

  void keep_all_references() {
    while (!pending.empty()) {
      KernelType at = pending.back();
      pending.pop_back();
      keep_references(at);
    }
  }

  /// For types that must not match and are kept for another reason, keeps what makes them mismatch.
  /// Removing a member or an enumerator cannot make a type match. Removing its name can, and a
  /// pointer without its target would match one to void.
  void keep_differences() {
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
};

namespace {

/// Writes the kept types, first those without names and references, of which equal ones are written
/// once. The others keep their order: what a loader drops depends on the positions of candidates.
class MinimalWriter {
 public:
  MinimalWriter(const CoreKernel& kernel, const std::map<KernelType, KeptType>& kept)
      : kernel_(kernel), kept_(kept) {}

  BtfBuilder run() {
    if (CoreKernelAccess::impl(kernel_).vmlinux.types().pointer_size == 4) add_long();
    std::vector<KernelType> others;
    for (const auto& [at, type] : kept_)
      has_name(at, type) || refers(at, type) ? others.push_back(at) : add_leaf(at, type);
    uint32_t next = builder_.end_id();
    for (KernelType at : others) ids_[at] = next++;
    for (KernelType at : others) add_in_order(at, kept_.at(at));
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
    return builder_.add_string(bounded_name(view(at), offset, max_core_name));
  }

  /// Whether a type keeps its name. Those of structs are long, and few are needed.
  bool has_name(KernelType at, const KeptType& kept) const {
    BtfType type = view(at).type(at.id);
    return type.name_off() != 0 && (kept.is_named || !is_composite(type.kind()));
  }

  /// The new id of a type that `at` refers to.
  uint32_t id_of(KernelType at, uint32_t id) const {
    id = skip_modifiers(view(at), id);
    auto found = ids_.find({id < kernel_.vmlinux().end_id() ? 0 : at.module, id});
    return found == ids_.end() ? 0 : found->second;
  }

  /// Whether references of a type are kept.
  bool refers(KernelType at, const KeptType& kept) const {
    BtfKind kind = view(at).kind(at.id);
    if (is_composite(kind)) return !kept.elements.empty();
    if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto) return kept.detail != Detail::Itself;
    return is_modifier(kind) || kind == BtfKind::Array || kind == BtfKind::Var;
  }

  /// The words of a type as far as they are kept. Without its name.
  std::vector<uint32_t> words_of(KernelType at, const KeptType& kept) {
    BtfType type = view(at).type(at.id);
    // A function, for example, matches no type and has no size. Neither does a void variable.
    if (!is_known(type.kind()) || type.kind() == BtfKind::Func || type.kind() == BtfKind::DeclTag)
      return {0, BtfBuilder::info(BtfKind::Var, 0), 0, 0};
    const KindWords& layout = kind_words(type.kind());
    bool is_referring = refers(at, kept), is_prototype = type.kind() == BtfKind::FuncProto;
    auto first = type.words().begin() + head_start + layout.head_words;
    std::vector<uint32_t> words(type.words().begin(), first);
    auto add_element = [&](uint32_t i) {
      auto element = first + i * size_t{layout.element_words};
      words.insert(words.end(), element, element + layout.element_words);
    };
    uint32_t parameters = is_prototype && is_referring ? type.vlen() : 0;
    for (uint32_t i = 0; i < parameters; ++i) add_element(i);
    for (uint32_t i : kept.elements) add_element(i);
    if (layout.element_words != 0)
      words[1] = with_vlen(type.info(), parameters + kept.elements.size());
    for_each_word(std::span(words), layout.names,
                  [&](uint32_t& name) { name = is_prototype ? 0 : add_string(at, name); });
    for_each_reference(std::span(words),
                       [&](uint32_t& id) { id = is_referring ? id_of(at, id) : 0; });
    return words;
  }

  /// Adds a type without name and references.
  void add_leaf(KernelType at, const KeptType& kept) {
    std::vector<uint32_t> words = words_of(at, kept);
    words[0] = 0;
    uint32_t number = leaves_.intern(words);
    if (number > leaf_ids_.size()) leaf_ids_.push_back(builder_.add_type(words));
    ids_[at] = leaf_ids_[number - 1];
  }

  void add_in_order(KernelType at, const KeptType& kept) {
    uint32_t name = has_name(at, kept) ? add_string(at, view(at).type(at.id).name_off()) : 0;
    std::vector<uint32_t> words = words_of(at, kept);
    words[0] = name;
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

/// Resolves twice, first to find the best candidate of each type: candidates and their paths are
/// too many to remember, if a name has thousands of types and relocations.
void CoreMinimizer::keep(const BtfView& program, std::endian order,
                         std::span<const CoreRelocation> relocations) {
  std::unordered_map<uint32_t, Answers> answers;  // by the program's type
  CoreResolver first(program, order, impl_->kernel);
  for (const CoreRelocation& relocation : relocations) {
    CoreResult result = first.resolve(relocation);
    impl_->note_mismatches(first.candidates(), detail_of(relocation.kind));
    auto found = std::ranges::find_if(first.candidates(), is_found);
    if (found == first.candidates().end()) continue;
    Answers& of_type = answers[relocation.type_id];
    of_type.best = {found->module, found->id};
    of_type.has_failed |= result.outcome == CoreOutcome::Failed;
  }
  CoreResolver second(program, order, impl_->kernel);
  for (const CoreRelocation& relocation : relocations) {
    auto of_type = answers.find(relocation.type_id);
    if (of_type == answers.end()) continue;
    second.resolve(relocation);
    const auto& [best, has_failed] = of_type->second;
    for (const CoreCandidate& candidate : second.candidates())
      if (has_failed || (is_found(candidate) && best == KernelType{candidate.module, candidate.id}))
        impl_->keep_candidate(detail_of(relocation.kind), candidate);
      else
        impl_->keep_path(candidate);
    impl_->keep_all_references();
  }
}

std::expected<std::vector<std::byte>, Error> CoreMinimizer::finish(std::endian order) {
  impl_->keep_differences();
  return MinimalWriter(impl_->kernel, impl_->kept).run().finish(order);
}

}  // namespace bpflink
