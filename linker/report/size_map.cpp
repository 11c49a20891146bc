#include "linker/report/size_map.hpp"

#include <nlohmann/json.hpp>

#include "linker/report/page.hpp"
#include "linker/report/report_json.hpp"

namespace bpflink {

std::string make_size_map(const OutputModel& model) {
  nlohmann::ordered_json json;
  add_model(json, model);
  return put_into_page(size_map_page_before, to_text(json, -1), size_map_page_after);
}

}  // namespace bpflink
