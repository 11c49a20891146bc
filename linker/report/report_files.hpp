// The table of reports that go to files.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "bpflink/linker.hpp"

namespace bpflink {

struct Context;

/// A report that goes to the file that an option names.
struct ReportFile {
  std::string_view option;
  std::string LinkOptions::*path;  ///< "" for none
  bool shows_model;                ///< whether make() needs Context::model, with all its lists
  std::string (*make)(Context&);
};

extern const std::array<ReportFile, 4> report_files;

/// Whether a file shows the model of the output, with what was dropped, and tags.
bool lists_dropped(const LinkOptions& options);

/// Whether a report shows the model of the output, apart from explanations.
bool shows_model(const LinkOptions& options);

}  // namespace bpflink
