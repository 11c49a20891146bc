// Why a symbol or a type is in the output, or is not (`--explain`).
#pragma once

#include <string>
#include <string_view>

#include "linker/context.hpp"
#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"

namespace bpflink {

class SymbolStory {
 public:
  /// `nodes` are those of the parts in `model`, which describes the output of `context`.
  SymbolStory(const Context& context, const OutputParts& parts, std::vector<uint32_t> nodes,
              const OutputModel& model)
      : context_(context), parts_(parts), nodes_(std::move(nodes)), model_(model) {}

  /// Who defines symbols of that name, who gave way, what keeps them, where they went, and what
  /// they are in C, over several lines; of types of that name, who brings them in. Of a name that
  /// no input has, what it may have been meant for.
  std::string explain(std::string_view name) const;

 private:
  std::string explain_global(const Symbol& symbol) const;
  std::string explain_local(const ObjectFile& object, const InputSymbol& symbol) const;
  std::string explain_place(const ObjectFile& object, const InputSymbol& symbol) const;
  std::string explain_why_kept(OutputPlace place) const;
  std::string describe_type(const ObjectFile& object, std::string_view name) const;

  const Context& context_;
  const OutputParts& parts_;
  std::vector<uint32_t> nodes_;
  const OutputModel& model_;
};

}  // namespace bpflink
