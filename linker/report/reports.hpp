// The reports of a link and of its output's model, and what they share.
#pragma once

#include <array>
#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "bpflink/linker.hpp"
#include "bpflink/report.hpp"
#include "linker/report/model.hpp"

namespace bpflink {

struct Context;
struct ObjectFile;
struct OutputParts;

/// Every fragment of every output section with where it is from, and what was dropped and why
/// (`--Map`).
std::string make_map(const Context& context);

/// Every symbol with the object that defines it and those that refer to it (`--cref`).
std::string make_cross_references(const Context& context);

/// Dropped sections and definitions, in the order of --Map.
std::vector<DroppedPart> find_dropped(const Context& context);

/// A section that is dropped, or the definition `name` at `offset` of it.
DroppedPart dropped_part(const ObjectFile& object, std::string_view section, uint64_t offset,
                         std::string_view name, uint64_t bytes, std::string reason);

/// The sections of strings that earlier inputs have, with the bytes of these strings.
std::vector<DroppedPart> find_merged_strings(const Context& context);

/// Why symbols and types of a name are in the output, or are not (`--explain`), over several lines:
/// who defines the symbol, whose definitions are overridden, what keeps it, where it is, and its
/// type in C; what brings the type in. Errors: no input has the name, but perhaps a similar one.
/// `parts` are in the model of `context`.
std::expected<std::string, Error> explain_name(const Context& context, const OutputParts& parts,
                                               std::string_view name);

/// An option that makes outputs smaller, and nothing worse that loads them.
struct SavingOption {
  bool LinkOptions::*flag;
  const char *option, *what;
  /// About how many bytes the option would save, of a described output.
  uint64_t (*bytes)(const Context&);
};
/// --shrink sets them all, --gc-sections not with -r.
extern const std::array<SavingOption, 4> saving_options;

/// What each option would save that makes outputs smaller and was not given. An object without
/// programs is not offered --gc-sections: a later link may add programs that reach its code.
std::vector<Saving> find_savings(const Context& context);

/// What --json writes, as in bpflink-reports(5) and output.schema.json: the figures of a link,
/// without the map and the cross references, and the model of its output.
std::string make_json(const LinkReport& report, const OutputModel& model);

/// The model, or if it has more nodes than a page should have, one in which groups take the place
/// of the small ones: of nodes of one kind, section, input, program and dominator whose names begin
/// with one word. The sums stay the same. Roots, and what the chains to other nodes pass through,
/// stay nodes of their own.
OutputModel fold_small_nodes(const OutputModel& model);

/// A page for browsers that shows where the bytes of an output come from (`--size-map`). It needs
/// no other file.
std::string make_size_map(const OutputModel& model);

/// What is large, as lists for a terminal (`--print-sizes`): the `most` costliest programs, maps,
/// types, source lines and files, and what can be saved, in lines of at most 80 columns.
std::string make_sizes_text(const OutputModel& model, unsigned most);

/// For each type of a name (`--explain`), the chain that leads to it, its input, and its bytes.
/// `what` is "struct NAME", "union NAME", "enum NAME", "typedef NAME", "func NAME" or "var NAME",
/// or NAME alone for all types of C of that name. "" if there are none.
std::string explain_types(const OutputModel& model, std::string_view what);

/// A number with a comma before each three digits.
std::string grouped(uint64_t number);

/// JSON as text. Replaces bytes that are not UTF-8, which names of files may have.
std::string to_text(const nlohmann::ordered_json& json, int indent);

/// Puts JSON between the two parts of a page from make_page() of cmake/MakePage.cmake.
std::string put_into_page(std::string_view before, std::string_view json, std::string_view after);

/// The page around the report: HTML, style and script of the folder size_map.
extern const std::string_view size_map_page_before, size_map_page_after;

}  // namespace bpflink
