// The C header. Its parts stand in the order of the text that comes out.
#include "emit.hpp"
#include "text.hpp"

namespace {

using Values = std::vector<std::pair<std::string_view, std::string>>;

constexpr std::string_view HEAD = R"(/* Made by bpfskel of a BPF object; changes will be lost. */
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

constexpr std::string_view FUNCTIONS = R"(
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
	if (!err)
		return obj;
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
)";

constexpr std::string_view CPP_MEMBERS = R"(
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
std::string indented(std::string_view text) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result += '\t';
  }
  return result;
}

std::string section_struct(const Skeleton& skeleton, const Section& section) {
  std::string text = "struct " + skeleton.name + "__" + section.name + " {\n";
  for (const Member& member : section.members) text += '\t' + indented(member.declaration) + ";\n";
  return text + "};\n";
}

/// A `maps`, `progs` or `links` member: a struct of pointers, where there are any.
std::string pointers(std::string_view type, const std::vector<std::string>& names,
                     std::string_view member) {
  if (names.empty()) return "";
  std::string text = "\tstruct {\n";
  for (const std::string& name : names)
    text += "\t\tstruct " + std::string(type) + " *" + name + ";\n";
  return text + "\t} " + std::string(member) + ";\n";
}

std::string main_struct(const Skeleton& skeleton) {
  std::vector<std::string> maps, links = skeleton.programs;
  for (const MapEntry& map : skeleton.maps) {
    maps.push_back(map.name);
    if (map.has_link) links.push_back(map.name);
  }
  std::string text = "struct " + skeleton.name +
                     " {\n\tstruct bpf_object_skeleton *skeleton;\n\tstruct bpf_object *obj;\n" +
                     pointers("bpf_map", maps, "maps") +
                     pointers("bpf_program", skeleton.programs, "progs") +
                     pointers("bpf_link", links, "links");
  for (const Section& section : skeleton.sections)
    text += "\tstruct " + skeleton.name + "__" + section.name + " *" + section.name + ";\n";
  return text + fill_in(CPP_MEMBERS, {{"name", skeleton.name}});
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
  for (size_t i = 0; i < skeleton.maps.size(); i++) {
    const MapEntry& map = skeleton.maps[i];
    std::string entry = "\ts->maps[" + std::to_string(i) + "].";
    text += entry + "name = \"" + map.loader_name + "\";\n";
    text += entry + "map = &obj->maps." + map.name + ";\n";
    if (!map.section.empty()) text += entry + "mmaped = (void **)&obj->" + map.section + ";\n";
    if (map.has_link)
      text +=
          "#ifdef $guard_MAP_LINKS\n" + entry + "link = &obj->links." + map.name + ";\n#endif\n";
  }
  return text;
}

std::string program_table(const Skeleton& skeleton) {
  if (skeleton.programs.empty()) return "";
  std::string text = allocate("progs", "prog", skeleton.programs.size());
  for (size_t i = 0; i < skeleton.programs.size(); i++) {
    const std::string& program = skeleton.programs[i];
    std::string entry = "\ts->progs[" + std::to_string(i) + "].";
    text += entry + "name = \"" + program + "\";\n";
    text += entry + "prog = &obj->progs." + program + ";\n";
    text += entry + "link = &obj->links." + program + ";\n";
  }
  return text;
}

/// Compile-time checks that the compiler of user space puts every variable where
/// the BPF object has it.
std::string layout_checks(const Skeleton& skeleton) {
  std::string text =
      "\n#ifdef __cplusplus\n#define $guard_ASSERT(x, text) static_assert(x, text)\n"
      "#else\n#define $guard_ASSERT(x, text) _Static_assert(x, text)\n#endif\n";
  for (const Section& section : skeleton.sections)
    for (const Member& member : section.members) {
      if (member.is_padding) continue;
      std::string where = "struct " + skeleton.name + "__" + section.name;
      text += "$guard_ASSERT(offsetof(" + where + ", " + member.name +
              ") == " + std::to_string(member.offset) + ", \"" + section.name + "." + member.name +
              " is elsewhere in the BPF object\");\n";
      text += "$guard_ASSERT(sizeof(((" + where + " *)0)->" + member.name +
              ") == " + std::to_string(member.size) + ", \"" + section.name + "." + member.name +
              " has another size in the BPF object\");\n";
    }
  return text + "#undef $guard_ASSERT\n";
}

}  // namespace

std::string emit_c(const Skeleton& skeleton) {
  std::string_view image(reinterpret_cast<const char*>(skeleton.image.data()),
                         skeleton.image.size());
  Values values = {{"name", skeleton.name},
                   {"guard", "BPFSKEL_" + skeleton.name},
                   {"size", std::to_string(image.size())},
                   {"image", string_literal(image)},
                   {"tables", map_table(skeleton) + program_table(skeleton)}};
  std::string text(HEAD);
  for (const Section& section : skeleton.sections) text += section_struct(skeleton, section) + '\n';
  text += main_struct(skeleton);
  text += fill_in(FUNCTIONS, values);
  text += layout_checks(skeleton);
  text += "\n#endif\n";
  return fill_in(text, values);
}
