// Why a symbol is in the output, or is not (`--explain`).
#pragma once

#include <string>
#include <string_view>

#include "linker/context.hpp"
#include "linker/report/output_graph.hpp"

namespace bpflink {

class SymbolStory {
 public:
  /// `graph` is that of the output that the context has.
  SymbolStory(const Context& context, const OutputGraph& graph);

  /// Who defines symbols of that name, who gave way, what keeps them, where they went, and what
  /// they are in C, over several lines. Of a name that no input has, what it may have been meant
  /// for.
  std::string tell(std::string_view name) const;

 private:
  std::string tell_global(const Symbol& symbol) const;
  std::string tell_local(const ObjectFile& object, const InputSymbol& symbol) const;
  std::string tell_place(const ObjectFile& object, const InputSymbol& symbol) const;
  std::string tell_why_kept(OutputPlace place) const;
  std::string_view root_reason(const OutputEntity& entity) const;

  const Context& context_;
  const OutputGraph& graph_;
  /// By entity: that from which a shortest way from a root comes, itself for a root; none where
  /// no root reaches it.
  std::vector<uint32_t> reached_from_;
};

}  // namespace bpflink
