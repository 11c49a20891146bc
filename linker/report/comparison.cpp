// What grew and shrank since an earlier output.
//
// Nodes of two outputs are the same if section, kind and name are. Nodes of one output that are the
// same count together.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "linker/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::tuple<std::string, std::string, std::string>;  ///< section, kind, name

struct Sizes {
  uint64_t before = 0, after = 0;
};

/// Returns the earlier output's name and size; adds its nodes to `sizes`. Throws an exception of
/// Json if the text has another form.
Comparison read_nodes(std::string_view text, std::map<Key, Sizes>& sizes) {
  Json json = Json::parse(text);
  const Json& output = json.at("output");
  for (const Json& node : json.at("nodes")) {
    if (node.at("kind") == "output") continue;
    Key key{node.at("section"), node.at("kind"), node.at("name")};
    sizes[key].before += node.at("bytes").get_ref<const Json::number_unsigned_t&>();
  }
  return {.name = output.at("name"),
          .bytes = output.at("bytes").get_ref<const Json::number_unsigned_t&>()};
}

}  // namespace

std::expected<void, Error> compare_with(const std::string& file, OutputModel& model) {
  auto input = InputFile::open(file);
  if (!input) return fail_in(file, input.error());
  std::string_view text(reinterpret_cast<const char*>(input->bytes().data()),
                        input->bytes().size());
  std::map<Key, Sizes> sizes;
  try {
    model.against = read_nodes(text, sizes);
  } catch (const Json::exception&) {
    return fail("{}: is not what --json writes", file);
  }
  // JSON replaces bytes that are not UTF-8.
  auto in_json = [](const std::string& name) { return Json::parse(to_text(name, -1)); };
  for (const Node& node : std::span(model.nodes).subspan(1)) {
    Key key{in_json(model.sections[node.section].name), node.kind, in_json(node.name)};
    sizes[key].after += node.bytes;
  }
  for (const auto& [key, size] : sizes)
    if (size.before != size.after)
      model.against->changes.push_back(
          {std::get<0>(key), std::get<1>(key), std::get<2>(key), size.before, size.after});
  std::ranges::stable_sort(model.against->changes, std::greater(), &SizeChange::difference);
  return {};
}

}  // namespace bpflink
