// CO-RE relocations on hand-made types that compilers do not generate
#include "bpflink/core.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "bpflink/btf_query.hpp"
#include "dedup/format/kinds.hpp"
#include "random_cases.hpp"
#include "units.hpp"

namespace bpflink::test {
namespace {

CoreResult resolve(const Parsed& program, const Parsed& kernel, const CoreRelocation& relocation,
                   std::endian order = std::endian::little) {
  CoreKernel index(kernel.btf);
  return CoreResolver(program.btf, order, index).resolve(relocation);
}

/// The types that a program's relocations need of a kernel.
Parsed minimized(const CoreKernel& kernel, const Parsed& program,
                 const std::vector<CoreRelocation>& relocations) {
  CoreMinimizer minimizer(kernel);
  minimizer.keep(program.btf, std::endian::little, relocations);
  auto blob = minimizer.finish(std::endian::native);
  REQUIRE(blob);
  return Parsed(std::move(*blob));
}

/// `struct NAME { int a; TYPE b; }` of a program, with its id
struct Local {
  Unit unit;
  uint32_t id;

  explicit Local(std::string_view name = "s") {
    uint32_t integer = unit.integer("int");
    id = unit.record(name, {{"a", integer}, {"b", integer}});
  }
  Parsed types() const { return Parsed(unit.b); }
};

TEST_CASE("essential names") {
  CHECK(essential_name("task_struct___old") == "task_struct");
  CHECK(essential_name("a___b___c") == "a___b");
  CHECK(essential_name("task____x") == "task____x");
  CHECK(essential_name("___x") == "___x");
  CHECK(essential_name("x___") == "x___");
  CHECK(essential_name("a____b") == "a____b");
  CHECK(essential_name("").empty());
}

TEST_CASE("kinds have the names of libbpf's log") {
  CHECK(core_kind_name(CoreKind::FieldByteOffset) == "byte_off");
  CHECK(core_kind_name(CoreKind::TypeMatches) == "type_matches");
  CHECK(core_kind_name(CoreKind(13)) == "unknown");
}

TEST_CASE("invalid accesses") {
  Local local;
  Parsed program = local.types();
  for (std::string_view access : {"", ":", "0:", "0::1", "x", "0:2", "0:1:0", "-1", "0:-1", "0 1",
                                  "99999999999", "0:4294967296"}) {
    CAPTURE(access);
    CoreResult result = resolve(program, program, {local.id, access, CoreKind::FieldExists});
    CHECK(result.outcome == CoreOutcome::Failed);
    CHECK(result.reason == CoreReason::Malformed);
  }
  CHECK(resolve(program, program, {local.id, "0:1", CoreKind::FieldByteOffset}).value == 8);
  CHECK(resolve(program, program, {local.id, "1:0", CoreKind::FieldByteOffset}).value == 16);
  CHECK(resolve(program, program, {0, "0", CoreKind::TypeExists}).reason == CoreReason::Anonymous);
  CHECK(resolve(program, program, {local.id, "0", CoreKind(13)}).outcome == CoreOutcome::Failed);
}

TEST_CASE("several types of one name") {
  Local local;
  Parsed program = local.types();
  Unit unit;
  uint32_t integer = unit.integer("int");
  unit.record("s", {{"a", integer}, {"b", integer}});
  unit.record("s___two", {{"b", integer}, {"a", integer}, {"c", integer}});
  unit.record("s___three", {{"c", integer}});
  Parsed kernel(unit.b);
  CoreKernel index(kernel.btf);
  CoreRelocation offset{local.id, "0:1", CoreKind::FieldByteOffset};
  CoreRelocation exists{local.id, "0:1", CoreKind::FieldExists};
  CoreRelocation size{local.id, "0", CoreKind::TypeSize};

  CoreResolver resolver(program.btf, std::endian::little, index);
  CHECK(resolver.resolve(offset).reason == CoreReason::Ambiguous);
  CHECK(resolver.candidates().size() == 2);  // it skips the third
  CHECK(resolver.resolve(size).reason == CoreReason::Ambiguous);

  // A resolved relocation rules out types without its member.
  Unit same;
  integer = same.integer("int");
  same.record("s", {{"a", integer}, {"b", integer}});
  same.record("s___three", {{"c", integer}, {"d", integer}, {"e", integer}});
  Parsed other(same.b);
  CoreKernel other_index(other.btf);
  CHECK(CoreResolver(program.btf, std::endian::little, other_index).resolve(size).reason ==
        CoreReason::Ambiguous);
  CoreResolver narrowed(program.btf, std::endian::little, other_index);
  CHECK(narrowed.resolve(exists).value == 1);
  CHECK(narrowed.resolve(size).value == 16);
}

TEST_CASE("modules count if vmlinux has no type of the name") {
  Local local;
  Parsed program = local.types();
  Unit vmlinux;
  uint32_t integer = vmlinux.integer("int");
  vmlinux.record("other", {{"a", integer}});
  Parsed kernel(vmlinux.b);

  BtfBuilder module(&kernel.btf);
  uint32_t name = module.add_string("s"), a = module.add_string("a"), b = module.add_string("b");
  std::vector<uint32_t> members{a, integer, 0, b, integer, 96};
  module.add_type(name, BtfBuilder::info(BtfKind::Struct, 2), 16, members);
  Parsed split(module, &kernel.btf);
  const BtfView modules[] = {split.btf};
  CoreKernel with(kernel.btf, modules), without(kernel.btf);
  CoreRelocation offset{local.id, "0:1", CoreKind::FieldByteOffset};
  CHECK(CoreResolver(program.btf, std::endian::little, without).resolve(offset).reason ==
        CoreReason::NoType);
  CoreResolver resolver(program.btf, std::endian::little, with);
  CHECK(resolver.resolve(offset).value == 12);
  CHECK(resolver.candidates().front().module == 1);

  // Minimized, the modules' types are among the others.
  Parsed flat = minimized(with, program, {offset});
  CHECK(resolve(program, flat, offset).value == 12);
  CHECK(flat.btf.end_id() == 3);  // int, s

  vmlinux.record("s", {{"c", integer}});
  Parsed full(vmlinux.b);
  CHECK(resolve(program, full, offset).reason == CoreReason::NoMember);
}

TEST_CASE("minimized BTF keeps the order of candidates, of which loaders drop the first") {
  Local local;
  Unit vmlinux;
  uint32_t integer = vmlinux.integer("int");
  vmlinux.record("s", {{"a", integer}, {"b", integer}});
  vmlinux.record("s", {});
  vmlinux.record("s", {{"b", integer}, {"a", integer}});
  Parsed program = local.types(), kernel(vmlinux.b);
  std::vector<CoreRelocation> relocations{{local.id, "0:1", CoreKind::FieldByteOffset},
                                          {local.id, "0", CoreKind::TypeSize}};
  CoreKernel whole(kernel.btf);
  Parsed small = minimized(whole, program, relocations);
  for (const Btf* types : {&kernel.btf, &small.btf}) {
    CoreKernel index(*types);
    CoreResolver resolver(program.btf, std::endian::little, index);
    // b has two offsets. Loaders drop as many of the first candidates as had matched by then, if
    // they do not match, so the empty struct stays and has another size than the first.
    for (const CoreRelocation& relocation : relocations)
      CHECK(resolver.resolve(relocation).reason == CoreReason::Ambiguous);
  }
}

/// A relocation of a random kind for a random type, whose access is valid for most.
std::pair<CoreRelocation, std::string> random_relocation(const Btf& types, Random& random) {
  auto below = [&](uint64_t end) { return static_cast<uint32_t>(random() % end); };
  uint32_t id = 1 + below(types.end_id() - 1), at = skip_modifiers(types, id);
  auto kind = static_cast<CoreKind>(below(std::to_underlying(CoreKind::TypeMatches) + 1));
  std::string access = "0";
  if (is_enum(types.kind(at))) {
    if (random() % 4 != 0)
      kind = random() % 2 == 0 ? CoreKind::EnumvalExists : CoreKind::EnumvalValue;
    if (uint32_t count = types.type(at).vlen(); count != 0) access = std::to_string(below(count));
  }
  while (is_field_kind(kind) &&
         (is_composite(types.kind(at)) || types.kind(at) == BtfKind::Array)) {
    BtfType type = types.type(at);
    bool is_array = type.kind() == BtfKind::Array;
    uint32_t count = is_array ? std::min(type.array_length(), 9U) : type.vlen();
    if (count == 0) break;
    uint32_t index = below(count);
    access += ':' + std::to_string(index);
    at = skip_modifiers(types, is_array ? type.array_element_type() : type.member(index).type);
    if (access.size() > 100) break;
  }
  return {{id, {}, kind}, access};
}

/// Whether relocations have other results with the kernel's types that they need than with all.
std::optional<std::string> compare_minimized(const RandomInputs& inputs, uint64_t seed) {
  if (!inputs.bases.empty() || inputs.inputs.empty()) return "";
  auto blob = encode(inputs.inputs.front()), all = encode(concatenate(inputs.inputs));
  auto program = Btf::parse(blob), kernel = Btf::parse(all);
  if (!program || !kernel) return std::nullopt;
  if (program->end_id() == 1) return "";
  Random random(seed);
  std::vector<std::pair<CoreRelocation, std::string>> made(20);
  std::ranges::generate(made, [&] { return random_relocation(*program, random); });
  std::vector<CoreRelocation> relocations;
  for (auto& [relocation, access] : made) {
    relocation.access = access;
    relocations.push_back(relocation);
  }
  CoreKernel whole(*kernel);
  Parsed small = minimized(whole, Parsed(blob), relocations);
  CoreKernel needed(small.btf);
  CoreResolver with_whole(*program, std::endian::little, whole),
      with_needed(*program, std::endian::little, needed);
  for (const CoreRelocation& relocation : relocations) {
    CoreResult a = with_whole.resolve(relocation), b = with_needed.resolve(relocation);
    if (a.outcome == b.outcome && (a.value == b.value || relocation.kind == CoreKind::TypeIdTarget))
      continue;
    return fmt::format("{} of [{}] {}: {} and {}, minimized {} and {}",
                       core_kind_name(relocation.kind), relocation.type_id, relocation.access,
                       int(a.outcome), a.value, int(b.outcome), b.value);
  }
  return "";
}

TEST_CASE("random relocations have the same results with minimized BTF") {
  run_seeds(1000, compare_minimized);
}

TEST_CASE("bit-fields in both byte orders, and shifts") {
  auto bitfield = [](Unit& unit, uint32_t offset, uint32_t bits) {
    uint32_t integer = unit.integer("unsigned int", 4, false);
    return unit.record("s", {{"a", integer, bits << 24 | offset}}, BtfKind::Struct, true);
  };
  Unit local, target;
  uint32_t id = bitfield(local, 0, 3);
  bitfield(target, 30, 5);
  // Bits 30 to 35 are in two words, so the program loads eight bytes.
  Parsed program(local.b), kernel(target.b);
  auto ask = [&](CoreKind kind, std::endian order) {
    return resolve(program, kernel, {id, "0:0", kind}, order).value;
  };
  CHECK(ask(CoreKind::FieldByteOffset, std::endian::little) == 0);
  CHECK(ask(CoreKind::FieldByteSize, std::endian::little) == 8);
  CHECK(ask(CoreKind::FieldLshiftU64, std::endian::little) == 29);
  CHECK(ask(CoreKind::FieldRshiftU64, std::endian::little) == 59);
  CHECK(ask(CoreKind::FieldLshiftU64, std::endian::big) == 30);
  CHECK(ask(CoreKind::FieldSigned, std::endian::big) == 0);
}

TEST_CASE("four-byte pointers") {
  auto make = [](Unit& unit, uint32_t long_size) {
    unit.integer("long int", long_size);
    return unit.record("s", {{"p", unit.ptr(0)}});
  };
  Unit local, target;
  uint32_t id = make(local, 8);
  make(target, 4);
  Parsed program(local.b), kernel(target.b);
  CoreRelocation size{id, "0:0", CoreKind::FieldByteSize};
  CHECK(resolve(program, kernel, size).value == 4);
  Parsed small = minimized(CoreKernel(kernel.btf), program, {size});
  CHECK(resolve(program, small, size).value == 4);
}

TEST_CASE("compilers' names of long") {
  for (std::string_view name : {"long", "long int", "int long", "unsigned long", "long unsigned",
                                "unsigned long int", "long unsigned int", "unsigned int long",
                                "int long unsigned", "int unsigned long", "long int unsigned"}) {
    CAPTURE(name);
    Unit unit;
    unit.integer(name, 4);
    uint32_t id = unit.record("s", {{"p", unit.ptr(0)}});
    Parsed types(unit.b);
    CHECK(resolve(types, types, {id, "0:0", CoreKind::FieldByteSize}).value == 4);
  }
}

TEST_CASE("an array without elements that is not the last member keeps its length") {
  Unit local, target;
  auto make = [](Unit& unit, uint32_t length, bool has_more) {
    uint32_t integer = unit.integer("int");
    std::vector<Unit::Member> members{{"list", unit.array(integer, integer, length), 0}};
    if (has_more) members.push_back({"more", integer});
    return unit.record("s", members);
  };
  uint32_t id = make(local, 4, false);
  make(target, 0, true);
  Parsed program(local.b), kernel(target.b);
  CoreRelocation whole{id, "0:0", CoreKind::FieldByteOffset},
      element{id, "0:0:3", CoreKind::FieldExists};
  CHECK(resolve(program, kernel, element).value == 0);
  Parsed minimal = minimized(CoreKernel(kernel.btf), program, {whole, element});
  CoreKernel small(minimal.btf);
  CoreResolver again(program.btf, std::endian::little, small);
  CHECK(again.resolve(whole).outcome == CoreOutcome::Value);
  CHECK(again.resolve(element).value == 0);
}

TEST_CASE("a member with another type, whose offset loaders add") {
  Local local;
  Unit target;
  uint32_t integer = target.integer("int");
  uint32_t inner = target.record("", {{"other", integer}, {"a", target.ptr(integer)}});
  target.record("s", {{"before", integer}, {"", inner}, {"a", integer}});
  Parsed program = local.types(), kernel(target.b);
  CoreKernel index(kernel.btf);
  CoreResolver resolver(program.btf, std::endian::little, index);
  CoreRelocation relocation{local.id, "0:0", CoreKind::FieldByteOffset};
  CoreResult whole = resolver.resolve(relocation);
  CHECK(whole.value !=
        kernel.btf.type(index.find(BtfKind::Struct, "s").value()).member_bit_offset(2) / 8);
  CHECK(resolve(program, minimized(index, program, {relocation}), relocation).value == whole.value);
}

/// Structs that each contain the previous one twice, without names: 2^depth paths.
uint32_t add_doubling(Unit& unit, std::string_view name, int depth) {
  uint32_t inner = unit.integer("int");
  for (int i = 0; i < depth; ++i) inner = unit.record("", {{"", inner, 0}, {"", inner, 0}});
  return unit.record(name, {{"", inner, 0}});
}

TEST_CASE("the effort is bounded") {
  Local local;
  Parsed program = local.types();
  Unit target;
  add_doubling(target, "s", 50);
  Parsed kernel(target.b);
  CoreResult result = resolve(program, kernel, {local.id, "0:1", CoreKind::FieldExists});
  CHECK(result.outcome == CoreOutcome::Failed);
  CHECK(result.reason == CoreReason::TooDeep);

  Unit doubling;
  uint32_t id = add_doubling(doubling, "s", 29);
  Parsed both(doubling.b);
  CHECK(resolve(both, kernel, {id, "0", CoreKind::TypeMatches}).outcome != CoreOutcome::Absent);

  // Many relocations share the rest of the budget.
  CoreKernel index(kernel.btf);
  CoreResolver resolver(program.btf, std::endian::little, index);
  for (int i = 0; i < 10'000; ++i)
    CHECK(resolver.resolve({local.id, "0:1", CoreKind::FieldExists}).reason == CoreReason::TooDeep);
}

TEST_CASE("pointers to themselves") {
  Unit unit;
  uint32_t name = unit.b.add_string("p");
  unit.b.add_type(name, BtfBuilder::info(BtfKind::Typedef), 2);
  unit.b.add_type(0, BtfBuilder::info(BtfKind::Ptr), 1);
  Parsed types(unit.b);
  CoreResult result = resolve(types, types, {1, "0", CoreKind::TypeExists});
  CHECK(result.outcome == CoreOutcome::Failed);
  CHECK(result.reason == CoreReason::TooDeep);
}

}  // namespace
}  // namespace bpflink::test
