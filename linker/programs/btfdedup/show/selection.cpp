// What a program needs of a kernel's types is found in its object: its own BTF has the types of
// CO-RE relocations with all that these contain, extern functions are kfuncs, sections name attach
// targets. What leaves no trace there, such as the constants of enums, is named in its source, of
// which .BTF.ext quotes the lines that have code; the source itself may be given as well.
#include "linker/programs/btfdedup/show/selection.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "bpflink/object.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/bytes.hpp"
#include "linker/text/c_tokens.hpp"

namespace bpflink {
namespace {

/// What libbpf's headers need, and nearly every program.
constexpr std::string_view basic_names[] = {
    "__u8",   "__u16",  "__u32",  "__u64",  "__s8",    "__s16", "__s32", "__s64",
    "__be16", "__be32", "__be64", "__wsum", "u8",      "u16",   "u32",   "u64",
    "s8",     "s16",    "s32",    "s64",    "__sum16", "bool",  "true",  "size_t"};

std::string_view trim(std::string_view text) {
  size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool is_tag_keyword(std::string_view word) {
  return word == "struct" || word == "union" || word == "enum";
}

/// Calls `visit` with the words and signs of C. `skips` gets each line of the preprocessor, and
/// says whether to skip what is in it.
template <typename Visit, typename Skips>
void for_each_word_and_sign(std::string_view text, Visit visit, Skips skips) {
  for (size_t i = 0, end = 0; i < text.size(); i = end) {
    end = token_end(text, i);
    std::string_view token = text.substr(i, end - i);
    bool is_comment = token.starts_with("/*") || token.starts_with("//");
    if (token[0] == '#' && !skips(token.substr(1)))
      end = i + 1;
    else if (token[0] != '#' && !is_comment && token != " " && token != "\t" && token != "\n")
      visit(token);
  }
}

/// The path of a header: itself, or where compilers look for <name>.
std::optional<std::string> find_header(const std::string& name) {
  std::error_code error;
  utsname system{};
  ::uname(&system);
  for (const std::string& directory : {std::string(), std::string("/usr/include/"),
                                       fmt::format("/usr/include/{}-linux-gnu/", system.machine)})
    if (std::filesystem::is_regular_file(directory + name, error)) return directory + name;
  return std::nullopt;
}

/// The header that a line of the preprocessor includes, or "".
std::string_view included(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("include")) return {};
  size_t begin = line.find_first_of("<\""), end = line.find_last_of(">\"");
  return begin < end && end != line.npos ? line.substr(begin + 1, end - begin - 1) : "";
}

}  // namespace

std::expected<std::unique_ptr<Selection>, Error> Selection::read(
    const BtfdedupOptions::Choice& given, std::vector<InputFile>& files) {
  auto selection = std::make_unique<Selection>();
  TypeChoice& choice = selection->choice_;
  choice.is_deep = given.deep;
  for (const std::string& text : given.types) choice.types.push_back(TRY(parse_type_pattern(text)));
  for (const std::string& text : given.members) TRY(selection->add_members(text));
  for (const std::string& path : given.programs) TRY(selection->add_program(path, files));
  for (const std::string& what : given.except) {
    if (what.ends_with(".h"))
      TRY(selection->add_header(what, files));
    else
      choice.except.push_back(TRY(parse_type_pattern(what)));
  }
  return selection;
}

/// Adds "task_struct: pid, *_css".
std::expected<void, Error> Selection::add_members(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == text.npos) return fail("--members: '{}' is not \"STRUCT: MEMBER, MEMBER...\"", text);
  TypePattern pattern = TRY(parse_type_pattern(trim(text.substr(0, colon))));
  std::vector<MemberPattern>& members = choice_.members[pattern.subjects.front().name];
  choice_.types.push_back(std::move(pattern));
  for (size_t begin = colon + 1, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(',', begin);
    members.push_back({std::string(trim(text.substr(begin, end - begin)))});
  }
  return {};
}

std::expected<void, Error> Selection::add_program(const std::string& path,
                                                  std::vector<InputFile>& files) {
  choice_.names.insert(std::begin(basic_names), std::end(basic_names));
  choice_.is_sparse = true;
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  const InputFile& input = files.emplace_back(std::move(*file));
  if (!is_elf(input.bytes())) {
    add_source(text_of(input.bytes()));
    return {};
  }
  auto object = ObjectFile::read(path, input.bytes());
  if (!object) return fail_in(path, object.error());
  return add_object(std::move(*object));
}

std::expected<void, Error> Selection::add_object(std::unique_ptr<const ObjectFile> object) {
  if (!object->btf) return fail("{}: has no BTF: compile with -g", object->name);
  const Btf& btf = *object->btf;
  choice_.programs.push_back(&btf);
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    std::string_view name = btf.name(type);
    if (type.kind() == BtfKind::Func && type.func_linkage() == BtfLinkage::Extern) {
      choice_.functions.insert(name);
      // An iterator, which is a variable of the program.
      constexpr std::string_view maker = "_new";
      if (name.ends_with(maker)) choice_.tags.insert(name.substr(0, name.size() - maker.size()));
    }
  }
  object->for_each_core_relo([&](const InputSection&, const CoreRelo& relo) {
    CoreRelocation relocation{relo.type_id, btf.string(relo.access_str_off), CoreKind{relo.kind}};
    choice_.tags.insert(btf.name(btf.type(skip_modifiers(btf, relo.type_id))));
    for (const CoreStep& step : core_steps(btf, relocation))
      choice_.tags.insert(btf.name(btf.type(step.type_id)));
  });
  object->for_each_line_info(
      [&](const InputSection&, const LineInfo& line) { add_source(btf.string(line.line_off)); });
  for (const InputSection& section : object->sections) {
    std::string_view target = section_meaning(section.name).target;
    target.remove_prefix(target.rfind(':') + 1);
    for (std::string_view prefix : {"", "bpf_lsm_", "btf_trace_", "bpf_iter_"})
      if (!target.empty())
        choice_.targets.insert(names_.emplace_back(fmt::format("{}{}", prefix, target)));
    if (section.holds_maps()) choice_.tags.insert("bpf_map_type");
  }
  objects_.push_back(std::move(object));
  return {};
}

/// Adds what a text in C names. A struct behind a pointer is only mentioned, unless its members are
/// used.
void Selection::add_source(std::string_view text) {
  // A tag waits for the sign behind it, and a pointer's tag for its name. `signs` are those since
  // the last name.
  std::string_view before, keyword, tag, pointed, name;
  std::string signs;
  auto add_tag = [&](bool is_mentioned) {
    if (!tag.empty()) (is_mentioned ? choice_.mentioned : choice_.tags).insert(tag);
    tag = {};
  };
  for_each_word_and_sign(
      text,
      [&](std::string_view token) {
        bool is_pointer = keyword != "enum" && (token == "*" || token == ";");
        if (is_pointer && !tag.empty()) pointed = tag;
        add_tag(is_pointer);
        bool is_name = is_letter(token[0]) || token[0] == '_';
        if (!is_name) {
          signs += token.substr(0, 1);
        } else if (is_tag_keyword(before)) {
          keyword = before, tag = token;
        } else if (!is_tag_keyword(token)) {
          choice_.names.insert(token);
          if (!pointed.empty()) choice_.pointers[std::exchange(pointed, {})].insert(token);
          if (signs.find_first_not_of("-> .,()") == signs.npos &&
              signs.find_first_of(">.,") != signs.npos)
            choice_.followers[name].insert(token);
          name = token;
        }
        if (is_name) signs.clear();
        before = token;
      },
      [](std::string_view) { return false; });
  add_tag(true);
}

/// Adds what a header and those that it includes define.
std::expected<void, Error> Selection::add_header(const std::string& name,
                                                 std::vector<InputFile>& files) {
  auto path = find_header(name);
  if (!path) return fail("--except {}: there is no such header, here or in /usr/include", name);
  printed_.includes +=
      *path == name ? fmt::format("#include \"{}\"\n", name) : fmt::format("#include <{}>\n", name);
  std::vector<std::string> open{*path};
  while (!open.empty()) {
    std::string header = std::move(open.back());
    open.pop_back();
    if (!headers_.insert(header).second) continue;
    auto file = InputFile::open(header);
    if (!file) return fail_in(header, file.error());
    for (std::string_view next : scan_header(text_of(files.emplace_back(std::move(*file)).bytes())))
      if (auto found = find_header(std::string(next))) open.push_back(std::move(*found));
  }
  return {};
}

/// Adds the tags, typedefs, enumerators and macros that a header defines. Returns the headers that
/// it includes.
std::vector<std::string_view> Selection::scan_header(std::string_view text) {
  std::vector<std::string_view> includes;
  std::string_view before, last;          // the tokens before this one
  size_t depth = 0, enum_depth = 0;       // of braces; that of an enum's
  std::optional<size_t> typedef_depth{};  // of braces around a typedef
  for_each_word_and_sign(
      text,
      [&](std::string_view token) {
        if (token == "{") {
          bool is_enum = last == "enum" || before == "enum";
          if (is_tag_keyword(before)) choice_.known.insert(last);
          ++depth;
          if (is_enum) enum_depth = depth;
        } else if (token == "}") {
          if (enum_depth == depth) enum_depth = 0;
          depth -= depth != 0 ? 1 : 0;
        } else if (token == "typedef") {
          typedef_depth = depth;
        } else if (token == ";" && typedef_depth == depth) {
          choice_.known.insert(last);
          typedef_depth.reset();
        } else if (enum_depth != 0 && enum_depth == depth && (last == "{" || last == ",")) {
          choice_.known.insert(token);
        }
        before = std::exchange(last, token);
      },
      [&](std::string_view line) {
        if (std::string_view next = included(line); !next.empty()) includes.push_back(next);
        line = trim(line);
        if (!line.starts_with("define ")) return true;
        line = trim(line.substr(line.find(' ')));
        choice_.known.insert(
            line.substr(0, std::ranges::find_if_not(line, is_word) - line.begin()));
        return true;
      });
  return includes;
}

std::expected<std::span<const std::byte>, Error> Selection::select(std::span<const std::byte> blob,
                                                                   const Btf* base) {
  if (choice_.is_all() && base == nullptr) return blob;
  auto btf = TRY(Btf::parse(blob, base));
  auto selected = TRY(select_types(btf, btf.byte_order(), choice_, printed_));
  if (!first_) first_ = std::move(btf);
  return blobs_.emplace_back(std::move(selected));
}

std::expected<void, Error> Selection::check() const {
  for (const TypePattern& pattern : choice_.types) {
    if (pattern.is_matched || !first_) continue;
    return fail("no input has a type '{}'{}", pattern.text,
                pattern.has_wildcards ? "" : suggest_type(*first_, pattern.subjects));
  }
  for (const auto& [name, patterns] : choice_.members)
    for (const MemberPattern& pattern : patterns)
      if (!pattern.is_matched && !pattern.fault.empty()) return fail("{}", pattern.fault);
  return {};
}

}  // namespace bpflink
