// Messages about CO-RE relocations that fail, on hand-made types
#include "linker/programs/bpfcore/needs/core_complaint.hpp"

#include <doctest/doctest.h>

#include "units.hpp"

namespace bpflink::test {
namespace {

/// Resolves a relocation and explains why it fails; with `reason`, explains that one.
CoreComplaint complain(const Unit& program, const Unit& kernel, const CoreRelocation& relocation,
                       CoreReason reason = CoreReason::None) {
  Parsed local(program.b), target(kernel.b);
  CoreKernel index(target.btf);
  CoreResolver resolver(local.btf, std::endian::little, index);
  CoreResult result = resolver.resolve(relocation);
  if (reason != CoreReason::None) result.reason = reason;
  CHECK(result.reason != CoreReason::None);
  size_t names_left = 1000;
  return explain_failure(local.btf, relocation, index, resolver, result, names_left, "v2");
}

/// `struct s { int a; int list[4]; struct { int c; } inner; }`
struct Program : Unit {
  uint32_t number = integer("int");
  uint32_t inner = record("", {{"c", number}});
  uint32_t id = record(
      "s", {{"a", number, 0}, {"list", array(number, number, 4), 32}, {"inner", inner, 160}});
  uint32_t phase = enumeration("phase", {{"NEW", 0}, {"OLD", 1}});
};

TEST_CASE("types of the name with another kind, and several types") {
  Program program;
  CoreRelocation offset{program.id, "0:0", CoreKind::FieldByteOffset};
  Unit declared;
  declared.fwd("s");
  CoreComplaint complaint = complain(program, declared, offset);
  CHECK(complaint.what == "struct s does not exist");
  CHECK(complaint.there == "struct s; (a declaration only)");

  Unit two;
  uint32_t number = two.integer("int");
  two.record("s", {{"a", number}});
  two.record("s___other", {{"b", number}, {"a", number}});
  CHECK(complain(program, two, offset).what == "several types named struct s differ");
}

TEST_CASE("members and elements that differ") {
  Unit program, kernel;
  auto add = [](Unit& unit, bool is_program) {
    uint32_t number = unit.integer("int");
    uint32_t list = unit.array(number, number, is_program ? 4 : 2);
    uint32_t inner = unit.record("inner", {{"c", number}});
    unit.add(BtfKind::Typedef, "list_t", is_program ? list : number);
    unit.add(BtfKind::Typedef, "inner_t", is_program ? inner : number);
    return unit.record("s", {{"a", is_program ? number : list}, {"list", list}});
  };
  uint32_t id = add(program, true);
  add(kernel, false);
  auto what = [&](uint32_t type, std::string_view access) {
    return complain(program, kernel, {type, access, CoreKind::FieldByteOffset}).what;
  };
  CHECK(what(id, "0:0") == "member 'a' of struct s has another type");
  CHECK(what(id, "0:1:2") == "struct s.list has no element 2");
  CHECK(what(id - 2, "0:1") == "list_t is not an array");
  CHECK(what(id - 1, "0:0") == "inner_t is not a struct with a member 'c'");
}

TEST_CASE("relocations that no loader resolves") {
  Program program;
  CoreRelocation a{program.id, "0:0", CoreKind::FieldByteOffset};
  auto what = [&](CoreReason reason, const CoreRelocation& relocation) {
    return complain(program, program, relocation, reason).what;
  };
  CHECK(what(CoreReason::MemberSize, a) ==
        "struct s.a has 4 bytes, but 4 in the program: no load or store fits both");
  CHECK(what(CoreReason::LargeOffset, a) ==
        "struct s.a is at offset 0, too far for a load or store");
  CHECK(what(CoreReason::UnexpectedInstruction, a) ==
        "the relocation against struct s.a is at an unexpected instruction");
  CHECK(what(CoreReason::WideBitfield, a) == "no load of 8 bytes covers the bit-field struct s.a");
  CHECK(what(CoreReason::NoSize, a) == "struct s.a has no size");
  CHECK(what(CoreReason::TooDeep, a) == "struct s is nested deeper than loaders support");
  CHECK(what(CoreReason::NotAnEnum, {program.phase, "1", CoreKind::EnumvalValue}) ==
        "enum phase is not an enum");
  CHECK(what(CoreReason::None, {program.id, "0:7", CoreKind::FieldExists}) ==
        "the access '0:7' is invalid in struct s");
  CHECK(what(CoreReason::None, {program.inner, "0:0", CoreKind::FieldExists}) ==
        "the relocation is against a type without a name");
  CHECK(what(CoreReason::None, {program.id, "0:1:2", CoreKind::FieldSigned}) ==
        "'signed' is not supported for array elements");
}

}  // namespace
}  // namespace bpflink::test
