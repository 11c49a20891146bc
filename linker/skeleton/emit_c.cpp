// The headers for C: of a program, and of a library that is linked into a larger object, whose
// maps, programs and variables are found in the object that a program has opened. Both have structs
// of pointers, and tables that tell libbpf which pointers to set.
#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/skeleton/emit.hpp"
#include "linker/skeleton/text.hpp"

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
$names
)";

constexpr std::string_view functions = R"(
/* The object itself: $size bytes of ELF. */
static inline const void *$name__elf_bytes(size_t *size)
{
	static const struct {
$parts	} image __attribute__((aligned(8))) = {
$image	};

	*size = $size;
	return &image;
}

$opening
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
$methods#endif

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

/// A function of the struct in C++, which calls that of C.
struct Method {
  std::string_view result, name, parameters, default_value;
  std::string_view call;  ///< as "open_opts(opts)" of name__open_opts(opts)
};

constexpr Method methods[] = {{"struct $name *", "open", "const struct bpf_object_open_opts *opts",
                               " = NULL", "open_opts(opts)"},
                              {"struct $name *", "open_and_load", "", "", "open_and_load()"},
                              {"int ", "load", "struct $name *obj", "", "load(obj)"},
                              {"int ", "attach", "struct $name *obj", "", "attach(obj)"},
                              {"void ", "detach", "struct $name *obj", "", "detach(obj)"},
                              {"void ", "destroy", "struct $name *obj", "", "destroy(obj)"},
                              {"const void *", "elf_bytes", "size_t *size", "", "elf_bytes(size)"}};

constexpr Method methods_of_subskeleton[] = {
    {"struct $name *", "open", "const struct bpf_object *src", "", "open(src)"},
    {"void ", "destroy", "struct $name *obj", "", "destroy(obj)"}};

/// Of both headers: $which is "skeleton" or "subskeleton".
constexpr std::string_view opening = R"(static inline void $name__destroy(struct $name *obj)
{
	if (!obj)
		return;
	if (obj->$member)
		bpf_object__destroy_$which(obj->$member);
	free(obj);
}

/* Tells libbpf which pointers of *obj to set. */
static inline int $name__create_$which(struct $name *obj$source)
{
	struct bpf_object_$which *s = (struct bpf_object_$which *)calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	obj->$member = s;
	s->sz = sizeof(*s);
$object$tables	return 0;
}

$shadows
static inline struct $name *$name__$open
{
	struct $name *obj = (struct $name *)calloc(1, sizeof(*obj));
	int err;

	if (!obj) {
		errno = ENOMEM;
		return NULL;
	}
	err = $name__create_$which(obj$given);
	if (!err)
		err = bpf_object__open_$which(obj->$member$options);
	if (!err) {
		$name__find_shadows(obj);
		return obj;
	}
	$name__destroy(obj);
	errno = -err;
	return NULL;
}
)";

constexpr std::string_view subskeleton =
    R"(/* Made by bpfskel from a BPF library; changes will be lost. */
#ifndef $guard
#define $guard

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
$names
struct $name {
	struct bpf_object *obj; /* null, as in bpftool's */
	struct bpf_object_subskeleton *subskel;
$members$declarations};

/* open() returns null if src lacks a map or program of the library; errno has the reason. The pointer
 * to a variable that src lacks is null. destroy() leaves maps, programs and variables, which belong to
 * the object. */
$opening
#ifdef __cplusplus
$methods#endif

#endif
)";

/// Adds the methods: C++ keeps the struct's name for constructors.
void add_methods(Values& values, std::span<const Method> methods) {
  const std::string name = values.front().second;
  std::string declared, defined;
  for (const Method& method : methods) {
    if (method.name == name) continue;
    declared += fmt::format("\tstatic inline {}{}({}{});\n", method.result, method.name,
                            method.parameters, method.default_value);
    defined +=
        fmt::format("inline {}$name::{}({}) {{ {}$name__{}; }}\n", method.result, method.name,
                    method.parameters, method.result == "void " ? "" : "return ", method.call);
  }
  values.emplace_back("declarations",
                      fmt::format("\n#ifdef __cplusplus\n{}#endif\n", fill_in(declared, values)));
  values.emplace_back("methods", fill_in(defined, values));
}

/// Indents all lines but the first, for members of several lines.
std::string indented(std::string_view text, std::string_view indent) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result += indent;
  }
  return result;
}

/// The members of a struct of pointers, one for each entry whose name is not "".
template <typename Entry>
std::string pointers(std::string_view type, const std::vector<Entry>& entries,
                     std::string Entry::*name) {
  std::string text;
  for (const Entry& entry : entries)
    if (!(entry.*name).empty()) text += fmt::format("\t\tstruct {} *{};\n", type, entry.*name);
  return text;
}

std::string struct_of(const std::string& pointers, std::string_view member) {
  return pointers.empty() ? "" : fmt::format("\tstruct {{\n{}\t}} {};\n", pointers, member);
}

/// Sets the pointers to shadows.
std::string shadow_assignments(const Skeleton& skeleton) {
  std::string text;
  for (const Shadow& shadow : skeleton.shadows)
    text += fill_in(R"(	obj->struct_ops.$shadow = (__typeof__(obj->struct_ops.$shadow))
		bpf_map__initial_value(obj->maps.$shadow, &size);
)",
                    {{"shadow", shadow.name}});
  return text.empty() ? "" : "\tsize_t size;\n\n" + text;
}

std::string struct_member(const std::string& type, const std::string& declarator,
                          const std::vector<Member>& members, const std::string& indent) {
  std::string inner = indent + '\t';
  std::string text = fmt::format("{}struct {} {{\n", indent, type);
  for (const Member& member : members)
    text += fmt::format("{}{};\n", inner, indented(member.declaration, inner));
  return text + fmt::format("{}}} {};\n", indent, declarator);
}

/// A member `declarator`, "*rodata" or "rodata", with the definition of its struct, for a Section
/// or Shadow.
std::string struct_member(const std::string& type, const std::string& declarator,
                          const auto& record, const std::string& indent) {
  std::string text = struct_member(type, declarator, record.members, indent);
  if (record.members_on_32_bits.empty()) return text;
  return fmt::format("#if __SIZEOF_POINTER__ == 8\n{}#else\n{}#endif\n", text,
                     struct_member(type, declarator, record.members_on_32_bits, indent));
}

/// The members `maps`, `progs` and `links`, if there are any.
std::string map_pointers(const Skeleton& skeleton) {
  return struct_of(pointers("bpf_map", skeleton.maps, &MapEntry::name), "maps");
}

std::string program_pointers(const Skeleton& skeleton) {
  return struct_of(pointers("bpf_program", skeleton.programs, &ProgramEntry::name), "progs");
}

std::string link_pointers(const Skeleton& skeleton) {
  return struct_of(pointers("bpf_link", skeleton.programs, &ProgramEntry::link) +
                       pointers("bpf_link", skeleton.maps, &MapEntry::link),
                   "links");
}

/// The member `struct_ops`: a pointer to each shadow.
std::string shadow_pointers(const Skeleton& skeleton) {
  if (skeleton.shadows.empty()) return "";
  std::string text = "\tstruct {\n";
  for (const Shadow& shadow : skeleton.shadows)
    text += struct_member(fmt::format("{}__{}__{}", skeleton.name, shadow.name, shadow.type),
                          "*" + shadow.name, shadow, "\t\t");
  return text + "\t} struct_ops;\n";
}

/// A function that sets those pointers after the object is opened.
std::string shadow_function(const Skeleton& skeleton) {
  return fill_in(R"(/* The initial values of struct_ops; null with a libbpf before 1.4. */
static inline void $name__find_shadows(struct $name *obj)
{
$assignments	(void)obj;
}
)",
                 {{"name", skeleton.name}, {"assignments", shadow_assignments(skeleton)}});
}

/// Allocates `array` of the skeleton `s` with its count and the size of its elements.
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

/// Fills in an array of the skeleton `s`: of each entry its name, the member of its kind, where the
/// loader puts a pointer, and what `rest` says.
template <typename Entries, typename Rest>
std::string table(std::string_view array, std::string_view kind, const Entries& entries,
                  Rest rest) {
  std::string text = entries.empty() ? "" : allocate(array, kind, entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    std::string begin = fmt::format("\ts->{}[{}].", array, i);
    text += fmt::format("{0}name = {1};\n{0}{2} = &obj->{3}.{4};\n", begin,
                        quoted_in_c(entries[i].loader_name), kind, array, entries[i].name) +
            rest(entries[i], begin);
  }
  return text;
}

std::string map_table(const Skeleton& skeleton) {
  return table("maps", "map", skeleton.maps, [&](const auto& map, const auto& begin) {
    std::string text;
    if (!map.section.empty())
      text = fmt::format("{}mmaped = (void **)&obj->{};\n", begin, map.section);
    if (!map.link.empty())
      text += fmt::format("#ifdef BPFSKEL_{}_MAP_LINKS\n{}link = &obj->links.{};\n#endif\n",
                          skeleton.name, begin, map.link);
    return text;
  });
}

std::string program_table(const Skeleton& skeleton) {
  return table("progs", "prog", skeleton.programs, [](const auto& program, const auto& begin) {
    return program.link.empty() ? ""
                                : fmt::format("{}link = &obj->links.{};\n", begin, program.link);
  });
}

std::string main_struct(const Skeleton& skeleton) {
  std::string text = fmt::format(
      "struct {} {{\n\tstruct bpf_object_skeleton *skeleton;\n\tstruct bpf_object *obj;\n",
      skeleton.name);
  text += map_pointers(skeleton) + shadow_pointers(skeleton) + program_pointers(skeleton) +
          link_pointers(skeleton);
  for (const Section& section : skeleton.sections)
    text += struct_member(fmt::format("{}__{}", skeleton.name, section.name), "*" + section.name,
                          section, "\t");
  return text + "$declarations};\n";
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
                     {"size", member.is_pointer ? "sizeof(void *)" : std::to_string(member.size)}});
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

/// The structs of pointers of a subskeleton.
std::string pointer_members(const Skeleton& skeleton) {
  std::string text =
      map_pointers(skeleton) + shadow_pointers(skeleton) + program_pointers(skeleton);
  for (const Section& section : skeleton.sections)
    text += struct_member(fmt::format("{}__{}", skeleton.name, section.name), section.name, section,
                          "\t");
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
                          {"variable", quoted_in_c(member.loader_name)},
                          {"section", section.name},
                          {"member", member.name}});
  return count == 0 ? "" : allocate("vars", "var", count) + entries;
}

/// The members that hold the object's bytes. A string has a zero at its end, the first of those
/// that follow.
std::string image_members(const Skeleton& skeleton) {
  std::string text;
  size_t i = 0;
  for (const ImageRun& run : split_image(skeleton.image)) {
    text += fmt::format("\t\tchar bytes{}[{}];\n", i, run.bytes.size() + 1);
    if (run.zeros != 0) text += fmt::format("\t\tchar zeros{}[{}];\n", i, run.zeros - 1);
    ++i;
  }
  return text;
}

std::string image_values(const Skeleton& skeleton) {
  std::string text;
  for (const ImageRun& run : split_image(skeleton.image))
    text += fmt::format("\"\\\n{}\",\n{}", c_escapes(run.bytes), run.zeros == 0 ? "" : "{0},\n");
  return text;
}

}  // namespace

std::string emit_c(const Skeleton& skeleton) {
  std::string guard = fmt::format("BPFSKEL_{}", skeleton.name);
  Values values = {{"name", skeleton.name},
                   {"guard", guard},
                   {"size", std::to_string(skeleton.image.size())},
                   {"which", "skeleton"},
                   {"member", "skeleton"},
                   {"source", ""},
                   {"object", fill_in(R"(	s->name = "$name";
	s->obj = &obj->obj;
	s->data = $name__elf_bytes(&s->data_sz);
)",
                                      {{"name", skeleton.name}})},
                   {"open", "open_opts(const struct bpf_object_open_opts *opts)"},
                   {"given", ""},
                   {"options", ", opts"},
                   {"shadows", shadow_function(skeleton)},
                   {"tables", map_table(skeleton) + program_table(skeleton)},
                   {"parts", image_members(skeleton)},
                   {"checks", layout_checks(skeleton)}};
  values.emplace_back("opening", fill_in(opening, values));
  add_methods(values, methods);
  std::string text = avoid_reserved_names(
      fill_in(std::string(head) + main_struct(skeleton), values) + fill_in(functions, values),
      guard + "_NAME");
  constexpr std::string_view place = "$image";
  return text.replace(text.find(place), place.size(), image_values(skeleton));
}

std::string emit_subskeleton(const Skeleton& skeleton) {
  std::string guard = "BPFSUBSKEL_" + skeleton.name;
  Values values = {
      {"name", skeleton.name},
      {"guard", guard},
      {"members", pointer_members(skeleton)},
      {"which", "subskeleton"},
      {"member", "subskel"},
      {"source", ", const struct bpf_object *src"},
      {"object", "\ts->obj = src;\n"},
      {"open", "open(const struct bpf_object *src)"},
      {"given", ", src"},
      {"options", ""},
      {"shadows", shadow_function(skeleton)},
      {"tables", map_table(skeleton) + program_table(skeleton) + variable_table(skeleton)}};
  values.emplace_back("opening", fill_in(opening, values));
  add_methods(values, methods_of_subskeleton);
  return avoid_reserved_names(fill_in(subskeleton, values), guard + "_NAME");
}

}  // namespace bpflink
