// The C header. Its parts stand in the order of the text that comes out.
#include "dedup/internal.hpp"
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/text.hpp"
#include "linker/error.hpp"

namespace bpflink {

namespace {

using Values = std::vector<std::pair<std::string_view, std::string>>;

constexpr std::string_view head = R"(/* Made by bpfskel of a BPF object; changes will be lost. */
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

/* The initial values of struct_ops; null with a libbpf before 1.4. */
static inline void $name__find_shadows(struct $name *obj)
{
$shadows	(void)obj;
}

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

/* The compiler of user space puts every variable where the BPF object has it. */
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

/// Moves every line but the first in, for members of more than one line.
std::string indented(std::string_view text, std::string_view indent) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result += indent;
  }
  return result;
}

/// A pointer to a struct that is defined on the way, as a member of the skeleton.
std::string struct_pointer(const std::string& type, const std::string& name,
                           const std::vector<Member>& members, const std::string& indent) {
  std::string inner = indent + '\t';
  std::string text = fmt::format("{}struct {} {{\n", indent, type);
  for (const Member& member : members)
    text += fmt::format("{}{};\n", inner, indented(member.declaration, inner));
  return text + fmt::format("{}}} *{};\n", indent, name);
}

/// The `struct_ops` member: a pointer to each shadow.
std::string shadow_pointers(const Skeleton& skeleton) {
  if (skeleton.shadows.empty()) return "";
  std::string text = "\tstruct {\n";
  for (const Shadow& shadow : skeleton.shadows)
    text += struct_pointer(fmt::format("{}__{}__{}", skeleton.name, shadow.name, shadow.type),
                           shadow.name, shadow.members, "\t\t");
  return text + "\t} struct_ops;\n";
}

/// Sets those pointers, once the object is open.
std::string shadow_assignments(const Skeleton& skeleton) {
  std::string text;
  for (const Shadow& shadow : skeleton.shadows)
    text += fill_in(R"(	obj->struct_ops.$shadow = (__typeof__(obj->struct_ops.$shadow))
		bpf_map__initial_value(obj->maps.$shadow, &size);
)",
                    {{"shadow", shadow.name}});
  return text.empty() ? "" : "\tsize_t size;\n\n" + text;
}

/// A `maps`, `progs` or `links` member: a struct of pointers, where there are any.
std::string pointers(std::string_view type, const std::vector<std::string>& names,
                     std::string_view member) {
  if (names.empty()) return "";
  std::string text = "\tstruct {\n";
  for (const std::string& name : names) text += fmt::format("\t\tstruct {} *{};\n", type, name);
  return text + fmt::format("\t}} {};\n", member);
}

std::string main_struct(const Skeleton& skeleton) {
  std::vector<std::string> maps, programs, link_names;
  RepeatedNames links;  // a struct_ops may be called as a program is
  auto add_link = [&](const std::string& name) {
    link_names.push_back(links.next(name, [](const std::string&) { return false; }));
  };
  for (const ProgramEntry& program : skeleton.programs) {
    programs.push_back(program.name);
    add_link(program.name);
  }
  for (const MapEntry& map : skeleton.maps) {
    maps.push_back(map.name);
    if (map.has_link) add_link(map.name);
  }
  std::string text = fmt::format(
      "struct {} {{\n\tstruct bpf_object_skeleton *skeleton;\n\tstruct bpf_object *obj;\n",
      skeleton.name);
  text += pointers("bpf_map", maps, "maps") + shadow_pointers(skeleton) +
          pointers("bpf_program", programs, "progs") + pointers("bpf_link", link_names, "links");
  for (const Section& section : skeleton.sections)
    text += struct_pointer(fmt::format("{}__{}", skeleton.name, section.name), section.name,
                           section.members, "\t");
  return text + std::string(cpp_members);
}

/// `array = calloc(...)` with its count and the size of its elements.
std::string allocate(std::string_view array, std::string_view element, size_t count) {
  return fill_in(R"(
	s->$element_cnt = $count;
	s->$element_skel_sz = sizeof(*s->$array);
	s->$array = (struct bpf_$element_skeleton *)calloc(s->$element_cnt, s->$element_skel_sz);
	if (!s->$array)
		return -ENOMEM;
)",
                 {{"array", std::string(array)},
                  {"element", std::string(element)},
                  {"count", std::to_string(count)}});
}

std::string map_table(const Skeleton& skeleton) {
  if (skeleton.maps.empty()) return "";
  std::string text = allocate("maps", "map", skeleton.maps.size());
  for (size_t i = 0; i < skeleton.maps.size(); ++i) {
    const MapEntry& map = skeleton.maps[i];
    std::string entry = fmt::format("\ts->maps[{}].", i);
    text += fmt::format("{}name = {};\n", entry, quoted(map.loader_name));
    text += fmt::format("{}map = &obj->maps.{};\n", entry, map.name);
    if (!map.section.empty())
      text += fmt::format("{}mmaped = (void **)&obj->{};\n", entry, map.section);
    if (map.has_link)
      text += fmt::format("#ifdef $guard_MAP_LINKS\n{}link = &obj->links.{};\n#endif\n", entry,
                          map.name);
  }
  return text;
}

std::string program_table(const Skeleton& skeleton) {
  if (skeleton.programs.empty()) return "";
  std::string text = allocate("progs", "prog", skeleton.programs.size());
  for (size_t i = 0; i < skeleton.programs.size(); ++i) {
    const ProgramEntry& program = skeleton.programs[i];
    std::string entry = fmt::format("\ts->progs[{}].", i);
    text += fmt::format("{}name = {};\n", entry, quoted(program.loader_name));
    text += fmt::format("{}prog = &obj->progs.{};\n", entry, program.name);
    text += fmt::format("{}link = &obj->links.{};\n", entry, program.name);
  }
  return text;
}

/// The checks of the struct that `pointer`, a member of the skeleton, leads to.
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
  Values values = {
      {"name", skeleton.name},
      {"guard", guard},
      {"size", std::to_string(image.size())},
      {"image", string_literal(image)},
      {"shadows", shadow_assignments(skeleton)},
      {"tables", fill_in(map_table(skeleton), {{"guard", guard}}) + program_table(skeleton)},
      {"checks", layout_checks(skeleton)}};
  return fill_in(std::string(head) + main_struct(skeleton), values) + fill_in(functions, values);
}

}  // namespace bpflink
