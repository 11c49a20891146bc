#include "linker/programs/bpfcore/needs/core_complaint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/print/c_names.hpp"
#include "dedup/relocations/candidates.hpp"
#include "linker/programs/bpfcore/needs/counterpart.hpp"

namespace bpflink {
namespace {

/// A name, up to the length that kernels accept.
std::string_view short_name(std::string_view name) {
  return name.substr(0, max_name_length);
}

/// A longer text helps nobody, and thousands of relocations may have it.
std::string shortened(std::string text) {
  constexpr size_t longest_text = 1024;
  if (text.size() > longest_text) text.replace(longest_text, text.npos, "...");
  return text;
}

/// "struct " before a tag.
std::string keyword(const BtfView& types, uint32_t id) {
  std::string_view word = tag_keyword(types.type(id));
  return word.empty() ? "" : fmt::format("{} ", word);
}

/// "struct task_struct___old".
std::string c_name(const BtfView& types, uint32_t id) {
  return fmt::format("{}{}", keyword(types, id), short_name(types.name(types.type(id))));
}

/// "struct task_struct", without a flavor.
std::string type_name(const BtfView& types, uint32_t id) {
  if (id == 0) return "void";
  return fmt::format("{}{}", keyword(types, id),
                     short_name(essential_name(types.name(types.type(id)))));
}

/// The steps as C text: ".signal[2].next".
std::string steps_text(std::span<const CoreStep> steps) {
  std::string text;
  for (const CoreStep& step : steps)
    text += step.is_element ? fmt::format("[{}]", step.index)
                            : fmt::format(".{}", short_name(step.name));
  return text;
}

/// A type of the kernel as C; "" if no names are left: a long text counts like the names that would
/// have been compared meanwhile.
std::string kernel_text(const BtfView& types, uint32_t id, std::string_view name,
                        size_t& names_left) {
  constexpr size_t bytes_of_name = 16;
  if (names_left == 0) return "";
  std::string text = print_c_declaration(types, id, name);
  names_left -= std::min(names_left, text.size() / bytes_of_name);
  return text;
}

/// A type of that name but another kind, as C, or "".
std::string find_other_kind(const BtfView& program, uint32_t id, const CoreKernel& kernel,
                            size_t& names_left) {
  const BtfView& types = kernel.vmlinux();
  std::string_view name = essential_name(program.name(program.type(id)));
  // The first of a kind counts, and the first of these kinds.
  constexpr BtfKind kinds[] = {BtfKind::Struct, BtfKind::Union,   BtfKind::Enum,
                               BtfKind::Enum64, BtfKind::Typedef, BtfKind::Fwd};
  const auto* best = std::end(kinds);
  uint32_t found = 0;
  CoreKernelAccess::named(kernel, 0).visit_essential(name, [&](BtfType type, uint32_t candidate) {
    if (names_left == 0) return false;
    --names_left;
    const auto* kind = std::find(std::begin(kinds), best, type.kind());
    if (kind == best || *kind == program.kind(id)) return true;
    best = kind;
    found = candidate;
    return true;
  });
  if (found == 0) return "";
  if (*best == BtfKind::Fwd)
    return fmt::format("{}; (a declaration only)", type_name(types, found));
  if (*best == BtfKind::Typedef)
    return "typedef " + kernel_text(types, types.type(found).type(), name, names_left);
  return type_name(types, found);
}

class Explanation {
 public:
  Explanation(const BtfView& program, const CoreRelocation& relocation, const CoreKernel& kernel,
              const CoreResolver& resolver, const CoreResult& result, size_t& names_left,
              std::string_view flavor)
      : program_(program),
        relocation_(relocation),
        kernel_(kernel),
        result_(result),
        names_left_(names_left),
        flavor_(flavor),
        steps_(core_steps(program, relocation)) {
    if (relocation.type_id != 0) root_ = type_name(program, relocation.type_id);
    auto candidates = resolver.candidates();
    auto found = std::ranges::max_element(candidates, {}, &CoreCandidate::depth);
    if (found != candidates.end()) nearest_ = &*found;
  }

  CoreComplaint make() {
    complaint_.what = what();
    // As the program's source names it, with its flavor.
    std::string type = relocation_.type_id == 0 ? "void" : c_name(program_, relocation_.type_id);
    if (is_enumerator_kind(relocation_.kind) && !steps_.empty())
      complaint_.advice = fmt::format("guard it with bpf_core_enum_value_exists({}, {})", type,
                                      short_name(steps_[0].name));
    else if (is_field_kind(relocation_.kind) && steps_.size() > 1)
      complaint_.advice = fmt::format("guard it with bpf_core_field_exists({}, {})", type,
                                      member_path(steps_.size()));
    for (std::string* text : {&complaint_.what, &complaint_.there, &complaint_.advice})
      *text = shortened(std::move(*text));
    if (!complaint_.advice.empty() && !alternative_.empty())
      complaint_.advice += fmt::format(", or read a flavor: {}___{} {}", shortened(root_), flavor_,
                                       shortened(alternative_));
    return std::move(complaint_);
  }

 private:
  /// The first `count` steps as a path: "signal.next". The first step is the struct itself.
  std::string member_path(size_t count) const {
    std::string path = steps_text(std::span(steps_).subspan(1, count - 1));
    return path.starts_with('.') ? path.substr(1) : path;
  }

  std::string what() {
    switch (result_.reason) {
      case CoreReason::NoType:
        complaint_.there = find_other_kind(program_, relocation_.type_id, kernel_, names_left_);
        return fmt::format("{} does not exist", root_);
      case CoreReason::NoMember:
        return no_member();
      case CoreReason::MemberTypeMismatch:
        describe_member_there();
        return fmt::format("member '{}' of {} has another type", step_name(), container());
      case CoreReason::NotAnArray:
        describe_type_there();
        return fmt::format("{} is not an array", whole_path());
      case CoreReason::ShortArray:
        describe_type_there();
        return fmt::format("{} has no element {}", whole_path(), steps_[nearest_->depth].index);
      case CoreReason::NoEnumerator:
        complaint_.there = find_enumerator_like(kernel_.types(nearest_->module), nearest_->at,
                                                steps_[0].name, names_left_);
        return fmt::format("{} has no enumerator '{}'", root_,
                           short_name(essential_name(steps_[0].name)));
      case CoreReason::NotAnEnum:
        describe_type_there();
        return fmt::format("{} is not an enum", root_);
      case CoreReason::TypeMismatch:
        describe_candidate();
        return fmt::format("{} has another definition", root_);
      case CoreReason::Ambiguous:
        return fmt::format("several types named {} differ", root_);
      case CoreReason::MemberSize:
        if (result_.size == 0) {
          complaint_.advice = "use BPF_CORE_READ_BITFIELD()";
          return fmt::format("{} is a bit-field, which no load or store fits",
                             describe_access(program_, relocation_));
        }
        return fmt::format("{} has {}, but {} in the program: no load or store fits both",
                           describe_access(program_, relocation_), count_of(result_.size, "byte"),
                           result_.local_size);
      case CoreReason::LargeOffset:
        return fmt::format("{} is at offset {}, too far for a load or store",
                           describe_access(program_, relocation_), result_.value);
      case CoreReason::UnexpectedInstruction:
        return fmt::format("the relocation against {} is at an unexpected instruction",
                           describe_access(program_, relocation_));
      case CoreReason::WideBitfield:
        return fmt::format("no load of 8 bytes covers the bit-field {}",
                           describe_access(program_, relocation_));
      case CoreReason::NoSize:
        return fmt::format("{} has no size", describe_access(program_, relocation_));
      case CoreReason::NotForArrays:
        return fmt::format("'{}' is not supported for array elements",
                           core_kind_name(relocation_.kind));
      case CoreReason::Anonymous:
        return "the relocation is against a type without a name";
      case CoreReason::Malformed:
        return fmt::format("the access '{}' is invalid in {}", short_name(relocation_.access),
                           root_);
      case CoreReason::TooDeep:
        return fmt::format("{} is nested deeper than loaders support", root_);
      case CoreReason::None:
        break;
    }
    return root_;
  }

  std::string_view step_name() const { return short_name(steps_[nearest_->depth].name); }

  /// What the program does with the member that was not found.
  MissingMember missing_member() const {
    const CoreStep& step = steps_[nearest_->depth];
    BtfType container = program_.type(step.type_id);
    MissingMember missing{.types = program_,
                          .type_id = container.member(step.index).type,
                          .name = step.name,
                          .next = "",
                          .is_only = container.vlen() == 1};
    if (nearest_->depth + 1 < steps_.size()) missing.next = steps_[nearest_->depth + 1].name;
    return missing;
  }

  /// Names the struct that should have the member, or the path to it.
  std::string container() const {
    const BtfView& types = kernel_.types(nearest_->module);
    bool has_name = !types.name(types.type(nearest_->at)).empty();
    return has_name ? type_name(types, nearest_->at) : whole_path();
  }

  /// The path of the steps that were found: "struct task_struct.signal".
  std::string whole_path() const {
    if (nearest_->depth <= 1) return root_;
    return root_ + steps_text(std::span(steps_).subspan(1, nearest_->depth - 1));
  }

  std::string no_member() {
    const BtfView& types = kernel_.types(nearest_->module);
    if (!is_composite(types.kind(nearest_->at))) {
      describe_type_there();
      return fmt::format("{} is not a struct with a member '{}'", whole_path(), step_name());
    }
    if (auto found = find_counterpart(types, nearest_->at, missing_member(), names_left_)) {
      size_t dot = found->path.rfind('.');
      std::string declaration =
          kernel_text(types, found->type_id, found->path.substr(dot + 1), names_left_);
      complaint_.there = declaration;
      if (dot != found->path.npos)
        complaint_.there += fmt::format(" in '{}'", found->path.substr(0, dot));
      else if (nearest_->depth == 1)
        offer_flavor(declaration);
    }
    return fmt::format("{} has no member '{}'", container(), step_name());
  }

  /// Offers a flavor with only the missing member: it can read a member of the root.
  void offer_flavor(const std::string& declaration) {
    if (declaration.empty() || declaration.find('\n') != declaration.npos) return;
    alternative_ = fmt::format("{{ {}; }}", declaration);
  }

  /// Describes the member that has another type in the kernel.
  void describe_member_there() {
    const BtfView& types = kernel_.types(nearest_->module);
    if (!is_composite(types.kind(nearest_->at))) return;
    auto found = find_member(types, nearest_->at, step_name(), names_left_);
    if (!found) return;
    complaint_.there = kernel_text(types, found->type_id, step_name(), names_left_);
    if (nearest_->depth == 1) offer_flavor(complaint_.there);
  }

  void describe_type_there() {
    std::string name(steps_.size() > 1 && nearest_->depth > 0 ? steps_[nearest_->depth - 1].name
                                                              : "");
    complaint_.there =
        kernel_text(kernel_.types(nearest_->module), nearest_->at, name, names_left_);
  }

  void describe_candidate() {
    complaint_.there = kernel_text(kernel_.types(nearest_->module), nearest_->id, "", names_left_);
  }

  const BtfView& program_;
  const CoreRelocation& relocation_;
  const CoreKernel& kernel_;
  const CoreResult& result_;
  size_t& names_left_;
  std::string_view flavor_;
  std::vector<CoreStep> steps_;
  std::string root_ = "void";
  const CoreCandidate* nearest_ = nullptr;  ///< the candidate with the most steps found
  CoreComplaint complaint_;
  std::string alternative_;  ///< the body of a flavor that could be read
};

}  // namespace

std::string describe_access(const BtfView& program, const CoreRelocation& relocation) {
  if (relocation.type_id == 0) return "void";
  std::string root = type_name(program, relocation.type_id);
  auto steps = core_steps(program, relocation);
  if (is_enumerator_kind(relocation.kind))
    return steps.empty() ? root : fmt::format("{}.{}", root, short_name(steps[0].name));
  if (steps.empty()) return root;
  std::string first = steps[0].index == 0 ? "" : fmt::format("[{}]", steps[0].index);
  return shortened(root + first + steps_text(std::span(steps).subspan(1)));
}

std::optional<CoreComplaint> explain_difference(const BtfView& program,
                                                const CoreRelocation& relocation,
                                                const CoreResult& result) {
  auto complaint = [&](std::string_view what) {
    return CoreComplaint{.what = fmt::format("{} {}", describe_access(program, relocation), what)};
  };
  auto shrinks = [&](uint64_t from, uint64_t to) {
    return complaint(fmt::format("has {}, but {} in the program", count_of(to, "byte"), from));
  };
  bool asks_for_size =
      relocation.kind == CoreKind::FieldByteSize || relocation.kind == CoreKind::TypeSize;
  if (asks_for_size && result.value < result.local_value)
    return shrinks(result.local_value, result.value);
  if (result.size < result.local_size) return shrinks(result.local_size, result.size);
  if (result.sign_differs) return complaint("has another signedness than in the program");
  return std::nullopt;
}

CoreComplaint explain_failure(const BtfView& program, const CoreRelocation& relocation,
                              const CoreKernel& kernel, const CoreResolver& resolver,
                              const CoreResult& result, size_t& names_left,
                              std::string_view flavor) {
  return Explanation(program, relocation, kernel, resolver, result, names_left, flavor).make();
}

}  // namespace bpflink
