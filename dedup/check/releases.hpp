// The Linux releases that introduced features of BTF. The table of kinds has those of kinds.
#pragma once

#include "dedup/format/kinds.hpp"

namespace bpflink::releases {

inline constexpr LinuxRelease first = kind_row(BtfKind::Int).since,
                              functions = kind_row(BtfKind::Func).since,
                              variables = kind_row(BtfKind::Var).since, enum_sizes = {5, 5},
                              global_functions = {5, 6}, floats = kind_row(BtfKind::Float).since,
                              decl_tags = kind_row(BtfKind::DeclTag).since,
                              type_tags = kind_row(BtfKind::TypeTag).since,
                              enum64 = kind_row(BtfKind::Enum64).since, dots = {6, 5},
                              attributes = {6, 15}, layouts = {7, 1};

}  // namespace bpflink::releases
