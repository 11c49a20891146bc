// BTF for older readers: what replaces each type, and that nothing moves.
#include "bpflink/convert.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "random_types.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

using Words = std::vector<uint32_t>;

Parsed converted(const Btf& btf, LinuxRelease release, BtfUse use = BtfUse::Program) {
  return Parsed(convert_btf(btf, release, use).value(), btf.base());
}

std::string error_of(const Btf& btf, LinuxRelease release, BtfUse use = BtfUse::Program) {
  auto blob = convert_btf(btf, release, use);
  return blob ? "converts" : blob.error().message;
}

Words words(const Btf& btf, uint32_t id) {
  auto all = btf.type(id).words();
  return {all.begin(), all.end()};
}

constexpr uint32_t info(BtfKind kind, uint32_t vlen = 0) {
  return BtfBuilder::info(kind, vlen);
}

/// A type of each kind that some release does not read.
struct AllKinds {
  AllKinds() {
    integer = types.add_type(name("int"), info(BtfKind::Int), 4, Words{32});
    byte = types.add_type(name("char"), info(BtfKind::Int), 1, Words{8});
    enum64 = types.add_type(name("wide"), BtfBuilder::info(BtfKind::Enum64, 2, true), 8,
                            Words{name("A"), 1, 2, name("B"), 3, 4});
    number = types.add_type(name("double"), info(BtfKind::Float), 8);
    type_tag = types.add_type(name("user"), info(BtfKind::TypeTag), integer);
    values = types.add_type(name("signed"), BtfBuilder::info(BtfKind::Enum, 1, true), 4,
                            Words{name("C"), 0xffffffff});
    prototype = types.add_type(0, info(BtfKind::FuncProto, 1), integer, Words{name("x"), byte});
    function = types.add_type(name("f.part"), BtfBuilder::info(BtfKind::Func, BtfLinkage::Global),
                              prototype);
    variable = types.add_type(name("v"), info(BtfKind::Var), integer, Words{1});
    section =
        types.add_type(name("?.data/x"), info(BtfKind::Datasec, 1), 16, Words{variable, 8, 4});
    tag = types.add_type(name("about"), BtfBuilder::info(BtfKind::DeclTag, 0, true), function,
                         Words{0});
    attribute = types.add_type(name("a(1)"), BtfBuilder::info(BtfKind::TypeTag, 0, true), byte);
    flagged = types.add_type(name("s"), BtfBuilder::info(BtfKind::Struct, 1, true), 4,
                             Words{name("m"), integer, 0});
    forward = types.add_type(name("u"), BtfBuilder::info(BtfKind::Fwd, 0, true), 0);
    empty = types.add_type(name(".none"), info(BtfKind::Datasec), 4);
  }
  uint32_t name(std::string_view text) { return types.add_string(text); }

  BtfBuilder types;
  uint32_t integer, byte, enum64, number, type_tag, values, prototype, function, variable, section,
      tag, attribute, flagged, forward, empty;
};

constexpr LinuxRelease releases[] = {{4, 18}, {5, 0},  {5, 2},  {5, 4}, {5, 6}, {5, 10},
                                     {5, 13}, {5, 15}, {5, 16}, {6, 0}, {6, 1}, {6, 6},
                                     {6, 12}, {6, 15}, {7, 0},  {7, 1}, {7, 2}};

/// The kinds whose types keep their size.
bool keeps_size(BtfKind kind) {
  constexpr std::array kinds = {BtfKind::Int,  BtfKind::Struct, BtfKind::Union,
                                BtfKind::Enum, BtfKind::Enum64, BtfKind::Float};
  return std::ranges::find(kinds, kind) != kinds.end();
}

}  // namespace

TEST_CASE("each type is replaced from the release before the one that brought it") {
  AllKinds all;
  Parsed source(all.types);
  auto in = [&](LinuxRelease release, uint32_t id) {
    return words(converted(source.btf, release).btf, id);
  };
  auto same = [&](LinuxRelease release, uint32_t id) {
    return in(release, id) == words(source.btf, id);
  };
  auto name = [&](std::string_view text) { return all.name(text); };

  CHECK(same({6, 0}, all.enum64));
  CHECK(in({5, 19}, all.enum64) == Words{name("wide"), info(BtfKind::Union, 2), 8, name("A"),
                                         all.byte, 0, name("B"), all.byte, 0});
  CHECK(same({6, 0}, all.values));
  CHECK(in({5, 19}, all.values) ==
        Words{name("signed"), info(BtfKind::Enum, 1), 4, name("C"), 0xffffffff});
  CHECK(same({5, 13}, all.number));
  CHECK(in({5, 12}, all.number) == Words{0, info(BtfKind::Struct), 8});
  CHECK(same({5, 17}, all.type_tag));
  CHECK(in({5, 16}, all.type_tag) == Words{0, info(BtfKind::Const), all.integer});
  CHECK(same({6, 15}, all.attribute));
  CHECK(in({6, 14}, all.attribute) == Words{name("a(1)"), info(BtfKind::TypeTag), all.byte});
  CHECK(in({5, 16}, all.attribute) == Words{0, info(BtfKind::Const), all.byte});
  CHECK(same({6, 15}, all.tag));
  CHECK(in({6, 14}, all.tag) == Words{name("about"), info(BtfKind::DeclTag), all.function, 0});
  CHECK(in({5, 15}, all.tag) == Words{name("about"), info(BtfKind::Int), 1, 8});
  CHECK(same({5, 6}, all.function));
  CHECK(in({5, 5}, all.function) == Words{name("f.part"), info(BtfKind::Func), all.prototype});
  CHECK(in({4, 20}, all.function) == Words{name("f.part"), info(BtfKind::Typedef), all.prototype});
  CHECK(same({5, 0}, all.prototype));
  CHECK(in({4, 20}, all.prototype) == Words{0, info(BtfKind::Enum, 1), 4, name("x"), all.byte});
  CHECK(same({5, 2}, all.variable));
  CHECK(in({5, 1}, all.variable) == Words{name("v"), info(BtfKind::Int), 1, 8});
  CHECK(same({5, 2}, all.section));
  CHECK(in({5, 1}, all.section) ==
        Words{name("?.data/x"), info(BtfKind::Struct, 1), 16, name("v"), all.variable, 64});
  CHECK(same({5, 12}, all.empty));
  CHECK(in({5, 11}, all.empty) == Words{name(".none"), info(BtfKind::Struct), 4});
  CHECK(same({5, 0}, all.flagged));
  CHECK(in({4, 20}, all.flagged) ==
        Words{name("s"), info(BtfKind::Struct, 1), 4, name("m"), all.integer, 0});
  CHECK(same({5, 0}, all.forward));
  CHECK(in({4, 20}, all.forward) == Words{name("u"), info(BtfKind::Fwd), 0});
  CHECK(in({4, 18}, all.integer) == words(source.btf, all.integer));
}

TEST_CASE("names that a release refuses are cleaned where they stand") {
  AllKinds all;
  Parsed source(all.types);
  auto name_in = [&](LinuxRelease release, uint32_t id) {
    Parsed now = converted(source.btf, release);
    return std::string(now.btf.name(now.btf.type(id)));
  };
  CHECK(name_in({6, 9}, all.section) == "?.data/x");
  CHECK(name_in({6, 8}, all.section) == "_.data_x");
  CHECK(name_in({5, 1}, all.section) == "__data_x");
  CHECK(name_in({5, 11}, all.empty) == "_none");
  CHECK(name_in({6, 5}, all.function) == "f.part");
  CHECK(name_in({6, 4}, all.function) == "f_part");
  CHECK(name_in({4, 20}, all.function) == "f_part");
}

TEST_CASE("what a release cannot say is an error") {
  BtfBuilder types;
  types.add_type(types.add_string("long"), info(BtfKind::Int), 8, Words{64});
  types.add_type(types.add_string("flags"), info(BtfKind::Enum64, 1), 4,
                 Words{types.add_string("A"), 1, 0});
  CHECK(error_of(Parsed(types).btf, {5, 19}) ==
        "type [2] ENUM64 'flags' becomes a union, for whose members there is no INT of its size or "
        "less");
  CHECK(error_of(Parsed(types).btf, {6, 0}) == "converts");
  CHECK(error_of(Parsed(types).btf, {4, 17}) == "there is no BTF before Linux 4.18");

  BtfBuilder small;
  small.add_type(small.add_string("e"), info(BtfKind::Enum, 1), 1, Words{small.add_string("A"), 1});
  CHECK(error_of(Parsed(small).btf, {5, 4}) ==
        "type [1] ENUM 'e' needs Linux 5.5, for an ENUM of other than 4 bytes");
  // Before that, kernels did not read their own BTF.
  CHECK(error_of(Parsed(small).btf, {5, 4}, BtfUse::Kernel) == "converts");

  BtfBuilder named;
  named.add_type(named.add_string(std::string(129, 'n')), info(BtfKind::Struct), 0);
  CHECK(
      error_of(Parsed(named).btf, {6, 0}).ends_with("needs Linux 6.1, for a name above 128 bytes"));
  CHECK(error_of(Parsed(named).btf, {6, 1}) == "converts");

  BtfBuilder bits;
  bits.add_type(bits.add_string("int"), info(BtfKind::Int), 4, Words{32});
  bits.add_type(bits.add_string("s"), BtfBuilder::info(BtfKind::Struct, 1, true), 4,
                Words{bits.add_string("m"), 1, 3u << 24});
  CHECK(error_of(Parsed(bits).btf, {4, 20}) ==
        "type [2] STRUCT 's' has bit-fields, for which the release needs types of their own");

  BtfBuilder large;
  large.add_type(large.add_string(".bss"), info(BtfKind::Datasec), 0x20000000);
  CHECK(error_of(Parsed(large).btf, {5, 1}) ==
        "type [1] DATASEC '.bss' becomes a struct, and is too large for one");

  BtfBuilder externs;
  externs.add_type(0, info(BtfKind::FuncProto), 0);
  externs.add_type(externs.add_string("k"), BtfBuilder::info(BtfKind::Func, BtfLinkage::Extern), 1);
  externs.add_type(externs.add_string(".ksyms"), info(BtfKind::Datasec, 1), 4, Words{2, 0, 4});
  CHECK(error_of(Parsed(externs).btf, {5, 1}) ==
        "type [3] DATASEC '.ksyms' becomes a struct, and lists a function");

  BtfBuilder wide;
  Words enumerators;
  for (uint32_t i = 0; i < 0x10000; ++i)
    enumerators.insert(enumerators.end(), {wide.add_string("A"), i});
  wide.add_type(wide.add_string("e"), info(BtfKind::Enum, 0x10000), 4, enumerators);
  wide.set_layout(std::vector<BtfKindLayout>(1));
  CHECK(error_of(Parsed(wide).btf, last_classic_header) ==
        "type [1] ENUM 'e' needs Linux 7.1, for a vlen above 65535");

  BtfBuilder unknown;
  unknown.add_type(unknown.add_string("x"), info(BtfKind{25}), 0);
  unknown.set_layout(std::vector<BtfKindLayout>(26));
  CHECK(error_of(Parsed(unknown).btf, last_classic_header) ==
        "type [1] UNKNOWN 'x' is of kind 25, which needs a layout section");
  CHECK(error_of(Parsed(unknown).btf, {7, 1}) == "converts");
}

TEST_CASE("split BTF uses what its base becomes") {
  AllKinds all;
  Parsed base(all.types);
  BtfBuilder types(&base.btf);
  uint32_t values = types.add_type(types.add_string("more"), info(BtfKind::Enum64, 1), 8,
                                   Words{types.add_string("D"), 1, 0});
  uint32_t section = types.add_type(types.add_string("?.data/x"), info(BtfKind::Datasec), 4);
  CHECK(types.type(section).name_off() < types.string_begin());
  Parsed split(types, &base.btf);
  Parsed old_base = converted(base.btf, {5, 15});
  auto blob = convert_btf(split.btf, {5, 15});
  REQUIRE(blob);
  // It fits the converted base, also where it was read with that one.
  Parsed old_split(*blob, &old_base.btf);
  CHECK(old_split.btf.type(values).member(0).type == all.byte);
  CHECK(old_split.btf.name(old_split.btf.type(section)) == "_.data_x");
  CHECK(convert_btf(Parsed(split.blob, &old_base.btf).btf, {5, 15}).value() == *blob);

  // The base has the name, but none of its types has it where the release refuses it.
  BtfBuilder plain;
  plain.add_type(plain.add_string("?x"), info(BtfKind::Int), 4, Words{32});
  Parsed plain_base(plain);
  BtfBuilder other(&plain_base.btf);
  other.add_type(other.add_string("?x"), info(BtfKind::Datasec), 4);
  CHECK(error_of(Parsed(other, &plain_base.btf).btf, {5, 15}) ==
        "type [2] DATASEC '?x' has a name that the release refuses, in the strings of the base");
}

TEST_CASE("random types: nothing moves, and no newer release is needed") {
  uint64_t conversions = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed)
    for (const RandomUnit& unit : random_units(seed)) {
      Parsed source(encode(unit));
      BtfVerdict before = check_btf(source.blob);
      for (LinuxRelease release : releases) {
        auto blob = convert_btf(source.btf, release);
        if (!blob) continue;
        ++conversions;
        Parsed now(*blob);
        REQUIRE(now.btf.end_id() == source.btf.end_id());
        REQUIRE(now.btf.strings().size() == source.btf.strings().size());
        REQUIRE(std::ranges::equal(now.btf.starts(), source.btf.starts()));
        for (uint32_t id = 1; id < now.btf.end_id(); ++id) {
          BtfType old = source.btf.type(id), type = now.btf.type(id);
          if (keeps_size(old.kind())) REQUIRE(old.size() == type.size());
        }
        BtfVerdict after = check_btf(*blob);
        REQUIRE(after.needs.release <= release);
        REQUIRE((after.needs.release == before.needs.release || before.needs.release > release));
        REQUIRE(converted(now.btf, release).blob == *blob);
      }
    }
  CHECK(conversions > 1000);
}
