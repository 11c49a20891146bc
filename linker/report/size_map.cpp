#include "linker/report/size_map.hpp"

#include <nlohmann/json.hpp>

#include "linker/report/report_json.hpp"

namespace bpflink {

std::string make_size_map(const OutputReport& report) {
  nlohmann::ordered_json json;
  add_report(json, report);
  std::string page(size_map_page_before);
  for (char c : to_text(json, -1)) {
    // No name may end the element that the report stands in.
    if (c == '<')
      page += "\\u003c";
    else
      page += c;
  }
  return page.append(size_map_page_after);
}

}  // namespace bpflink
