#include "dedup/relocations/match.hpp"

#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

CoreMismatch error(CoreReason reason) {
  return {.reason = reason, .is_error = true};
}

/// Whether a program's member of type `a` can be bound to a kernel's member of type `b`.
bool are_members_compatible(const BtfView& program, uint32_t a, const BtfView& kernel, uint32_t b) {
  while (true) {
    a = skip_modifiers(program, a);
    b = skip_modifiers(kernel, b);
    BtfKind kind = program.kind(a);
    if (is_composite(kind) && is_composite(kernel.kind(b))) return true;
    if (kind == BtfKind::Void || !are_kinds_compatible(kind, kernel.kind(b))) return false;
    BtfType local = program.type(a), target = kernel.type(b);
    if (kind == BtfKind::Ptr || kind == BtfKind::Float) return true;
    if (kind == BtfKind::Int) return local.int_offset() == 0 && target.int_offset() == 0;
    if (kind == BtfKind::Fwd || is_enum(kind)) {
      auto name = bounded_name(program, local.name_off(), max_core_name);
      auto other = bounded_name(kernel, target.name_off(), max_core_name);
      return name.empty() || other.empty() || essential_name(name) == essential_name(other);
    }
    if (kind != BtfKind::Array) return false;
    a = local.array_element_type();
    b = target.array_element_type();
  }
}

/// Finds a program's member in a struct of the kernel, including anonymous structs in it. A
/// depth-first search with an explicit stack.
class MemberSearch {
 public:
  MemberSearch(const CoreTypes& program, const CoreStep& local, const CoreTypes& kernel,
               CoreEffort& effort, AccessPath& path)
      : program_(program.view), kernel_(kernel.view), local_(local), effort_(effort), path_(path) {}

  /// Appends the steps from struct `id` to the member; returns the member's type.
  std::expected<uint32_t, CoreMismatch> run(uint32_t id) {
    if (!is_composite(kernel_.kind(id)))
      return std::unexpected(CoreMismatch{.reason = CoreReason::NoMember});
    stack_.push_back({id, 0});
    CoreReason reason = CoreReason::NoMember;
    while (!stack_.empty()) {
      Struct& top = stack_.back();
      BtfType type = kernel_.type(top.id);
      if (top.index == type.vlen()) {
        stack_.pop_back();
        if (!stack_.empty()) next_member();
        continue;
      }
      if (path_.raw.size() == max_access_length || !effort_.spend())
        return std::unexpected(error(CoreReason::TooDeep));
      BtfMember member = type.member(top.index);
      std::string_view name = bounded_name(kernel_, member.name_off, local_.name.size() + 1);
      if (!effort_.spend_name(name)) return std::unexpected(error(CoreReason::TooDeep));
      path_.bit_offset += type.member_bit_offset(top.index);
      path_.raw.push_back({top.id, top.index, name});
      uint32_t inner = name.empty() ? skip_modifiers(kernel_, member.type) : 0;
      if (inner != 0 && is_composite(kernel_.kind(inner))) {
        stack_.push_back({inner, 0});
      } else if (name == local_.name) {
        uint32_t wanted = program_.type(local_.type_id).member(local_.index).type;
        if (are_members_compatible(program_, wanted, kernel_, member.type)) {
          path_.steps.push_back(path_.raw.back());
          return member.type;
        }
        reason = CoreReason::MemberTypeMismatch;
        skip_struct();
      } else {
        next_member();
      }
    }
    return std::unexpected(CoreMismatch{.reason = reason});
  }

 private:
  struct Struct {
    uint32_t id;
    uint32_t index;  ///< of the current member
  };

  /// Moves on to the next member.
  void next_member() {
    Struct& top = stack_.back();
    path_.bit_offset -= kernel_.type(top.id).member_bit_offset(top.index);
    leave_member();
    ++top.index;
  }

  /// Leaves a struct whose member has the name but another type. Loaders then do not subtract the
  /// member's offset again, which matters if another member of the name follows.
  void skip_struct() {
    path_.passed.insert(path_.passed.end(), path_.raw.begin() + noted_, path_.raw.end());
    noted_ = path_.raw.size();
    leave_member();
    stack_.pop_back();
    if (!stack_.empty()) next_member();
  }

  void leave_member() {
    path_.raw.pop_back();
    noted_ = std::min(noted_, path_.raw.size());
  }

  const BtfView &program_, &kernel_;
  const CoreStep& local_;
  CoreEffort& effort_;
  AccessPath& path_;
  size_t noted_ = path_.raw.size();  ///< how much of `path_.raw` is not or already in `passed`
  boost::container::small_vector<Struct, 8> stack_;
};

}  // namespace

std::optional<CoreMismatch> match_path(const CoreTypes& program, const AccessPath& local,
                                       const CoreTypes& kernel, uint32_t id, CoreEffort& effort,
                                       AccessPath& path) {
  const BtfView& types = kernel.view;
  for (uint32_t depth = 0; depth < local.steps.size(); ++depth) {
    const CoreStep& step = local.steps[depth];
    id = skip_modifiers(types, id);
    auto mismatch = [&](CoreReason reason) {
      return CoreMismatch{.reason = reason, .depth = depth, .at = id};
    };
    if (!step.name.empty()) {
      auto found = MemberSearch(program, step, kernel, effort, path).run(id);
      if (!found) {
        found.error().depth = depth;
        found.error().at = id;
        return found.error();
      }
      id = *found;
      continue;
    }
    if (depth > 0) {  // the first step indexes the pointer, not an array type
      if (types.kind(id) != BtfKind::Array) return mismatch(CoreReason::NotAnArray);
      BtfType array = types.type(id);
      if (step.index >= array.array_length() && !is_flexible_array(types, path.steps.back(), array))
        return mismatch(CoreReason::ShortArray);
      id = skip_modifiers(types, array.array_element_type());
    }
    if (auto ok = step_to_element(kernel, id, step.index, path); !ok) return error(ok.error());
  }
  return std::nullopt;
}

std::optional<CoreMismatch> match_enumerator(const AccessPath& local, const CoreTypes& kernel,
                                             uint32_t id, CoreEffort& effort, AccessPath& path) {
  const BtfView& types = kernel.view;
  id = skip_modifiers(types, id);
  if (!is_enum(types.kind(id))) return CoreMismatch{.reason = CoreReason::NotAnEnum, .at = id};
  BtfType type = types.type(id);
  std::string_view wanted = essential_name(local.steps.front().name);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    std::string_view name = bounded_name(types, type.enumerator(i).name_off, max_core_name);
    if (!effort.spend_name(name)) return error(CoreReason::TooDeep);
    if (essential_name(name) != wanted) continue;
    path.steps.push_back({id, i, name});
    path.raw.push_back({id, i, name});
    return std::nullopt;
  }
  return CoreMismatch{.reason = CoreReason::NoEnumerator, .at = id};
}

}  // namespace bpflink
