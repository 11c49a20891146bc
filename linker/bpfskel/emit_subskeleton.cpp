// The header for a library that is linked into a larger object: its maps, programs and
// variables are found in the object that a program has opened.
#include "dedup/internal.hpp"
#include "linker/bpfskel/c_tables.hpp"
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/text.hpp"
#include "linker/error.hpp"

namespace bpflink {

namespace {

constexpr std::string_view header =
    R"(/* Made by bpfskel from a BPF library; changes will be lost. */
#ifndef $guard
#define $guard

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

struct $name {
	struct bpf_object *obj; /* null, as in bpftool's */
	struct bpf_object_subskeleton *subskel;
$members
#ifdef __cplusplus
	static inline struct $name *open(const struct bpf_object *src);
	static inline void destroy(struct $name *obj);
#endif
};

/* Its maps, programs and variables stay: they belong to the object. */
static inline void $name__destroy(struct $name *obj)
{
	if (!obj)
		return;
	if (obj->subskel)
		bpf_object__destroy_subskeleton(obj->subskel);
	free(obj);
}

/* Tells libbpf which pointers of *obj to set. */
static inline int $name__create_subskeleton(struct $name *obj, const struct bpf_object *src)
{
	struct bpf_object_subskeleton *s = (struct bpf_object_subskeleton *)calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	obj->subskel = s;
	s->sz = sizeof(*s);
	s->obj = src;
$tables	return 0;
}

$shadows
/* Null if src lacks a map or program of the library; errno has the reason. The pointer to a
 * variable that src lacks is null. */
static inline struct $name *$name__open(const struct bpf_object *src)
{
	struct $name *obj = (struct $name *)calloc(1, sizeof(*obj));
	int err;

	if (!obj) {
		errno = ENOMEM;
		return NULL;
	}
	err = $name__create_subskeleton(obj, src);
	if (!err)
		err = bpf_object__open_subskeleton(obj->subskel);
	if (!err) {
		$name__find_shadows(obj);
		return obj;
	}
	$name__destroy(obj);
	errno = -err;
	return NULL;
}

#ifdef __cplusplus
inline struct $name *$name::open(const struct bpf_object *src) { return $name__open(src); }
inline void $name::destroy(struct $name *obj) { $name__destroy(obj); }
#endif

#endif
)";

std::string members(const Skeleton& skeleton) {
  std::string text =
      map_pointers(skeleton) + shadow_pointers(skeleton) + program_pointers(skeleton);
  for (const Section& section : skeleton.sections)
    text += struct_member(fmt::format("{}__{}", skeleton.name, section.name), section.name,
                          section.members, "\t");
  return text;
}

std::string variable_table(const Skeleton& skeleton) {
  std::string entries;
  size_t count = 0;
  for (const Section& section : skeleton.sections)
    for (const Member& member : section.members)
      entries += fill_in(R"(	s->vars[$i].name = $variable;
	s->vars[$i].map = &obj->maps.$section;
	s->vars[$i].addr = (void **)&obj->$section.$member;
)",
                         {{"i", std::to_string(count++)},
                          {"variable", quoted(member.loader_name)},
                          {"section", section.name},
                          {"member", member.name}});
  return count == 0 ? "" : allocate("vars", "var", count) + entries;
}

}  // namespace

std::string emit_subskeleton(const Skeleton& skeleton) {
  return fill_in(
      header, {{"name", skeleton.name},
               {"guard", "BPFSUBSKEL_" + skeleton.name},
               {"members", members(skeleton)},
               {"tables", map_table(skeleton) + program_table(skeleton) + variable_table(skeleton)},
               {"shadows", shadow_function(skeleton)}});
}

}  // namespace bpflink
