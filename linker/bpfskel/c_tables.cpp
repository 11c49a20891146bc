#include "linker/bpfskel/c_tables.hpp"

#include <fmt/format.h>

#include "linker/bpfskel/text.hpp"

namespace bpflink {

namespace {

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

}  // namespace

std::string struct_member(const std::string& type, const std::string& declarator,
                          const std::vector<Member>& members, const std::string& indent) {
  std::string inner = indent + '\t';
  std::string text = fmt::format("{}struct {} {{\n", indent, type);
  for (const Member& member : members)
    text += fmt::format("{}{};\n", inner, indented(member.declaration, inner));
  return text + fmt::format("{}}} {};\n", indent, declarator);
}

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

std::string shadow_pointers(const Skeleton& skeleton) {
  if (skeleton.shadows.empty()) return "";
  std::string text = "\tstruct {\n";
  for (const Shadow& shadow : skeleton.shadows)
    text += struct_member(fmt::format("{}__{}__{}", skeleton.name, shadow.name, shadow.type),
                          "*" + shadow.name, shadow.members, "\t\t");
  return text + "\t} struct_ops;\n";
}

std::string shadow_function(const Skeleton& skeleton) {
  return fill_in(R"(/* The initial values of struct_ops; null with a libbpf before 1.4. */
static inline void $name__find_shadows(struct $name *obj)
{
$assignments	(void)obj;
}
)",
                 {{"name", skeleton.name}, {"assignments", shadow_assignments(skeleton)}});
}

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
    if (!map.link.empty())
      text += fmt::format("#ifdef BPFSKEL_{}_MAP_LINKS\n{}link = &obj->links.{};\n#endif\n",
                          skeleton.name, entry, map.link);
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
    if (!program.link.empty())
      text += fmt::format("{}link = &obj->links.{};\n", entry, program.link);
  }
  return text;
}

}  // namespace bpflink
