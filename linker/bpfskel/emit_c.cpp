// The C header. Its parts are in the order of the output.
#include "dedup/internal.hpp"
#include "linker/bpfskel/c_tables.hpp"
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/text.hpp"
#include "linker/error.hpp"

namespace bpflink {

namespace {

using Values = std::vector<std::pair<std::string_view, std::string>>;

constexpr std::string_view head = R"(/* Made by bpfskel from a BPF object; changes will be lost. */
#ifndef $guard
#define $guard

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The maps of struct_ops got links with libbpf 1.5. */
#if LIBBPF_MAJOR_VERSION > 1 || (LIBBPF_MAJOR_VERSION == 1 && LIBBPF_MINOR_VERSION >= 5)
#define $guard_MAP_LINKS 1
#endif

)";

constexpr std::string_view functions = R"(
/* The object itself: $size bytes of ELF. */
static inline const void *$name__elf_bytes(size_t *size)
{
	static const char image[] __attribute__((aligned(8))) =
$image;

	*size = sizeof(image) - 1;
	return (const void *)image;
}

static inline void $name__destroy(struct $name *obj)
{
	if (!obj)
		return;
	if (obj->skeleton)
		bpf_object__destroy_skeleton(obj->skeleton);
	free(obj);
}

/* Tells libbpf which pointers of *obj to set. */
static inline int $name__create_skeleton(struct $name *obj)
{
	struct bpf_object_skeleton *s = (struct bpf_object_skeleton *)calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	obj->skeleton = s;
	s->sz = sizeof(*s);
	s->name = "$name";
	s->obj = &obj->obj;
	s->data = $name__elf_bytes(&s->data_sz);
$tables	return 0;
}

$shadows
static inline struct $name *$name__open_opts(const struct bpf_object_open_opts *opts)
{
	struct $name *obj = (struct $name *)calloc(1, sizeof(*obj));
	int err;

	if (!obj) {
		errno = ENOMEM;
		return NULL;
	}
	err = $name__create_skeleton(obj);
	if (!err)
		err = bpf_object__open_skeleton(obj->skeleton, opts);
	if (!err) {
		$name__find_shadows(obj);
		return obj;
	}
	$name__destroy(obj);
	errno = -err;
	return NULL;
}

static inline struct $name *$name__open(void)
{
	return $name__open_opts(NULL);
}

static inline int $name__load(struct $name *obj)
{
	return bpf_object__load_skeleton(obj->skeleton);
}

static inline struct $name *$name__open_and_load(void)
{
	struct $name *obj = $name__open();
	int err = obj ? $name__load(obj) : 0;

	if (!err)
		return obj;
	$name__destroy(obj);
	errno = -err;
	return NULL;
}

static inline int $name__attach(struct $name *obj)
{
	return bpf_object__attach_skeleton(obj->skeleton);
}

static inline void $name__detach(struct $name *obj)
{
	bpf_object__detach_skeleton(obj->skeleton);
}

#ifdef __cplusplus
inline struct $name *$name::open(const struct bpf_object_open_opts *opts) { return $name__open_opts(opts); }
inline struct $name *$name::open_and_load() { return $name__open_and_load(); }
inline int $name::load(struct $name *obj) { return $name__load(obj); }
inline int $name::attach(struct $name *obj) { return $name__attach(obj); }
inline void $name::detach(struct $name *obj) { $name__detach(obj); }
inline void $name::destroy(struct $name *obj) { $name__destroy(obj); }
inline const void *$name::elf_bytes(size_t *size) { return $name__elf_bytes(size); }
#endif

/* Checks that the compiler of user space lays out every variable like the BPF object. */
__attribute__((unused)) static void $name__assert(struct $name *s __attribute__((unused)))
{
#ifdef __cplusplus
#define _Static_assert static_assert
#endif
$checks#ifdef __cplusplus
#undef _Static_assert
#endif
}

#endif
)";

constexpr std::string_view cpp_members = R"(
#ifdef __cplusplus
	static inline struct $name *open(const struct bpf_object_open_opts *opts = nullptr);
	static inline struct $name *open_and_load();
	static inline int load(struct $name *obj);
	static inline int attach(struct $name *obj);
	static inline void detach(struct $name *obj);
	static inline void destroy(struct $name *obj);
	static inline const void *elf_bytes(size_t *size);
#endif
};
)";

std::string main_struct(const Skeleton& skeleton) {
  std::string text = fmt::format(
      "struct {} {{\n\tstruct bpf_object_skeleton *skeleton;\n\tstruct bpf_object *obj;\n",
      skeleton.name);
  text += map_pointers(skeleton) + shadow_pointers(skeleton) + program_pointers(skeleton) +
          link_pointers(skeleton);
  for (const Section& section : skeleton.sections)
    text += struct_member(fmt::format("{}__{}", skeleton.name, section.name), "*" + section.name,
                          section.members, "\t");
  return text + std::string(cpp_members);
}

/// The layout checks of the struct that `pointer`, a member of the skeleton, points to.
std::string layout_checks(const std::string& pointer, const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members) {
    if (member.type_id == 0) continue;
    text += fill_in(R"(	_Static_assert(offsetof(__typeof__(*s->$pointer), $member) == $offset,
		"unexpected offset of '$member'");
	_Static_assert(sizeof(s->$pointer->$member) == $size, "unexpected size of '$member'");
)",
                    {{"pointer", pointer},
                     {"member", member.name},
                     {"offset", std::to_string(member.offset)},
                     {"size", std::to_string(member.size)}});
  }
  return text;
}

std::string layout_checks(const Skeleton& skeleton) {
  std::string text;
  for (const Section& section : skeleton.sections)
    text += layout_checks(section.name, section.members);
  for (const Shadow& shadow : skeleton.shadows)
    text += layout_checks("struct_ops." + shadow.name, shadow.members);
  return text;
}

}  // namespace

std::string emit_c(const Skeleton& skeleton) {
  std::string_view image(reinterpret_cast<const char*>(skeleton.image.data()),
                         skeleton.image.size());
  std::string guard = fmt::format("BPFSKEL_{}", skeleton.name);
  Values values = {{"name", skeleton.name},
                   {"guard", guard},
                   {"size", std::to_string(image.size())},
                   {"image", string_literal(image)},
                   {"shadows", shadow_function(skeleton)},
                   {"tables", map_table(skeleton) + program_table(skeleton)},
                   {"checks", layout_checks(skeleton)}};
  return fill_in(std::string(head) + main_struct(skeleton), values) + fill_in(functions, values);
}

}  // namespace bpflink
