#include "linker/skeleton/emit.hpp"

#include "dedup/print/c_names.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/skeleton/text.hpp"

namespace bpflink {

std::expected<std::string, Error> emit_skeleton(std::span<const std::byte> image,
                                                std::string_view text, SkeletonKind kind) {
  auto object = TRY(Object::parse(image));
  bool is_rust = kind == SkeletonKind::Rust || kind == SkeletonKind::LibbpfRs;
  std::string name = make_c_name(text);
  if (!is_rust && is_reserved_in_c(name)) name += '_';
  bool is_library = kind == SkeletonKind::Subskeleton;
  if (is_library && !object.btf())
    return fail("a subskeleton needs BTF: compile the library with -g");
  auto skeleton = TRY(is_library ? make_subskeleton(object, std::move(name))
                                 : make_skeleton(object, std::move(name), image));
  switch (kind) {
    case SkeletonKind::C:
      break;
    case SkeletonKind::Cpp:
      return emit_c(skeleton) + emit_cpp(skeleton);
    case SkeletonKind::Rust:
      return emit_rust(skeleton, false);
    case SkeletonKind::LibbpfRs:
      return emit_rust(skeleton, true);
    case SkeletonKind::Subskeleton:
      return emit_subskeleton(skeleton);
  }
  return emit_c(skeleton);
}

}  // namespace bpflink
