#include "linker/btfdedup/statistics.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bpflink {

void BtfSizes::add(const Btf& btf, uint64_t size) {
  ++blobs;
  types += btf.end_id() - btf.first_id();
  string_bytes += btf.string_end() - (btf.base() ? btf.base()->string_end() : 0);
  bytes += size;
}

std::string Statistics::as_text() const {
  auto row = [](std::string_view name, uint64_t in, uint64_t out) {
    return fmt::format("{:<14}{:>14}{:>14}\n", name, in, out);
  };
  auto time = [](std::string_view name, double seconds) {
    return fmt::format("{:<14}{:>14}\n", name, std::to_string(seconds));
  };
  return fmt::format("{:<14}{:>14}{:>14}\n", "", "in", "out") +
         row("blobs", input.blobs, output.blobs) + row("types", input.types, output.types) +
         row("string bytes", input.string_bytes, output.string_bytes) +
         row("bytes", input.bytes, output.bytes) + fmt::format("\n{:<14}{:>14}\n", "", "seconds") +
         time("classify", classify) + time("resolve", resolve) + time("write", write) +
         time("total", classify + resolve + write);
}

std::string Statistics::as_json() const {
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
  return json.dump(2) + "\n";
}

}  // namespace bpflink
