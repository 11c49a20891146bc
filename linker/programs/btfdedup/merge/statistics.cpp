#include "linker/programs/btfdedup/merge/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "linker/programs/btfdedup/merge/image_btf.hpp"

namespace bpflink {

void BtfSizes::add(const Btf& btf, uint64_t size) {
  ++blobs;
  types += btf.end_id() - btf.first_id();
  string_bytes += btf.string_end() - (btf.base() ? btf.base()->string_end() : 0);
  bytes += size;
}

namespace {

std::string image_as_text(const ImageResult& linked) {
  auto row = [](std::string_view name, uint64_t count) {
    return count == 0 ? "" : fmt::format("{:<14}{:>28}\n", name, count);
  };
  std::string text =
      row("functions", linked.function_count) + row("variables", linked.variable_count);
  if (!linked.omitted.empty()) text += "\nomitted\n";
  for (const OmissionText& reason : omission_texts())
    if (auto count = std::ranges::count(linked.omitted, reason.reason, &OmittedSymbol::reason))
      text += fmt::format("{:>10}  {}\n", count, reason.text);
  return text;
}

nlohmann::ordered_json image_as_json(const ImageResult& linked) {
  auto omitted = nlohmann::ordered_json::object();
  for (const OmissionText& reason : omission_texts()) {
    auto names = nlohmann::ordered_json::array();
    for (const OmittedSymbol& symbol : linked.omitted)
      if (symbol.reason == reason.reason) names.push_back(symbol.name);
    if (!names.empty()) omitted[reason.key] = std::move(names);
  }
  return {{"functions", linked.function_count},
          {"variables", linked.variable_count},
          {"omitted", std::move(omitted)}};
}

}  // namespace

std::string Statistics::as_text(const BtfSizes& output) const {
  auto row = [](std::string_view name, uint64_t in, uint64_t out) {
    return fmt::format("{:<14}{:>14}{:>14}\n", name, in, out);
  };
  auto time = [](std::string_view name, double seconds) {
    return fmt::format("{:<14}{:>14}\n", name, std::to_string(seconds));
  };
  return fmt::format("{:<14}{:>14}{:>14}\n", "", "in", "out") +
         row("blobs", input.blobs, output.blobs) + row("types", input.types, output.types) +
         row("string bytes", input.string_bytes, output.string_bytes) +
         row("bytes", input.bytes, output.bytes) + (linked ? image_as_text(*linked) : "") +
         fmt::format("\n{:<14}{:>14}\n", "", "seconds") + time("classify", classify) +
         time("resolve", resolve) + time("write", write) +
         time("total", classify + resolve + write);
}

std::string Statistics::as_json(const BtfSizes& output) const {
  auto sizes = [](const BtfSizes& s) {
    return nlohmann::ordered_json{{"blobs", s.blobs},
                                  {"types", s.types},
                                  {"string_bytes", s.string_bytes},
                                  {"bytes", s.bytes}};
  };
  nlohmann::ordered_json json{{"in", sizes(input)},
                              {"out", sizes(output)},
                              {"seconds",
                               {{"classify", classify},
                                {"resolve", resolve},
                                {"write", write},
                                {"total", classify + resolve + write}}}};
  if (linked) json["linked"] = image_as_json(*linked);
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace bpflink
