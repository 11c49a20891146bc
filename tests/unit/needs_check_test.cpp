// What no program shows of an object's needs; tests/core has the rest.
#include "linker/programs/bpfcore/needs/needs_check.hpp"

#include <doctest/doctest.h>

#include "bpflink/btf.hpp"
#include "bpflink/core.hpp"
#include "linker/facts/helpers.hpp"

using namespace bpflink;

TEST_CASE("names of helpers") {
  CHECK(helper_name(0) == "bpf_unspec");
  CHECK(helper_name(1) == "bpf_map_lookup_elem");
  CHECK(helper_name(112) == "bpf_probe_read_user");
  CHECK(helper_name(211) == "bpf_cgrp_storage_delete");
  CHECK(helper_name(100'000) == "bpf_func_100000");
}

TEST_CASE("types that refer to themselves or to very many are compared in bounded time") {
  // A prototype whose parameters are pointers to the previous one: each level doubles the work.
  BtfBuilder types;
  const uint32_t parameters[] = {0, 2, 0, 2};
  uint32_t prototype = types.add_type(0, BtfBuilder::info(BtfKind::FuncProto, 2), 0, parameters);
  uint32_t pointer = types.add_type(0, BtfBuilder::info(BtfKind::Ptr), prototype);
  uint32_t circle = types.add_type(0, BtfBuilder::info(BtfKind::Ptr), pointer + 1);
  CHECK_FALSE(are_types_compatible(types, prototype, types, prototype));
  CHECK_FALSE(are_types_compatible(types, circle, types, circle));
  CHECK(are_types_compatible(types, 0, types, 0));
}
