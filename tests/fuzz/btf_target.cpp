// The BTF reader, the kernels' rules, the printer of C types, conversion for older kernels, and
// deduplication of the input alone, with itself, and with itself as the base
#include "bpflink/check.hpp"
#include "bpflink/convert.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/print.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

/// Prints one type only: a few bytes can make a long text.
void print_one(const Btf& btf, size_t choice) {
  uint32_t count = btf.end_id() - btf.first_id();
  if (count == 0) return;
  auto id = static_cast<uint32_t>(btf.first_id() + choice % count);
  print_c_declaration(btf, id, "name");
  print_c_definition(btf, id);
}

/// True if a type contains itself, perhaps through a member whose type is only declared: the
/// library detects that once it has all inputs.
bool is_circular(const auto& result) {
  return !result &&
         result.error().message.ends_with("contains itself without a pointer in between");
}

/// The same, or types of unknown kinds, which cannot move, would have to.
bool is_refused(const auto& result) {
  return is_circular(result) ||
         (!result && result.error().message.find(" has unknown kind ") != std::string::npos);
}

std::vector<std::byte> deduplicate(std::span<const Btf* const> inputs, const Btf* base) {
  Deduplicator deduplicator({.threads = 1, .base = base});
  for (const Btf* input : inputs) deduplicator.add("input", *input);
  auto result = deduplicator.run();
  if (is_refused(result)) return {};
  require(result.has_value(), "valid inputs can be deduplicated");
  require(result->type_maps.size() == inputs.size(), "each input has its map");
  for (size_t i = 0; i < inputs.size(); i++) {
    require(result->type_maps[i].end_id() == inputs[i]->end_id(), "each type is in the map");
    for (uint32_t id = 1; id < inputs[i]->end_id(); id++) {
      uint32_t to = result->type_maps[i][id];
      require(to != 0 && to < result->types.end_id(), "each type has a type of the output");
      if (to < result->types.first_id()) continue;
      require(inputs[i]->name(inputs[i]->type(id)) == result->types.name(result->types.type(to)),
              "a type keeps its name");
    }
  }
  auto blob = result->types.finish(inputs[0]->byte_order());
  return blob ? std::move(*blob) : std::vector<std::byte>();  // a limit of the kernel
}

void check_dedup(const Btf& btf) {
  const Btf* inputs[] = {&btf, &btf};
  auto once = deduplicate(inputs, nullptr);
  if (once.empty()) return;
  auto again = Btf::parse(once);
  require(again.has_value(), "the output can be read");
  const Btf* output[] = {&*again};
  require(deduplicate(output, nullptr) == once, "deduplicating the output changes nothing");
}

/// Adding a blob gives the same result as parsing it and adding the types.
void check_blob(std::span<const std::byte> blob, const std::expected<Btf, Error>& btf) {
  Deduplicator deduplicator({.threads = 1});
  auto added = deduplicator.add_blob("input", blob);
  if (is_circular(btf)) {
    require(added.has_value(), "what contains itself is not looked for yet");
    return require(is_circular(deduplicator.run()), "and is found in the end");
  }
  require(added.has_value() == btf.has_value(), "a blob that is added is checked");
  if (!btf) {
    require(added.error().message == btf.error().message, "with the same result");
    return;
  }
  auto result = deduplicator.run();
  const Btf* inputs[] = {&*btf};
  auto expected = deduplicate(inputs, nullptr);
  if (is_refused(result)) return require(expected.empty(), "with the same error");
  require(result.has_value(), "a blob that was added can be deduplicated");
  auto types = result->types.finish(btf->byte_order());
  require(types ? *types == expected : expected.empty(), "with the same types");
}

/// check_btf() handles every blob, and the parser accepts blobs that kernels accept, except for
/// circles that kernels overlook because of the order of ids.
void check_rules(std::span<const std::byte> blob, const std::expected<Btf, Error>& btf) {
  BtfVerdict verdict = check_btf(blob);
  for (const BtfFault& fault : verdict.faults)
    require(!describe_fault(fault).empty(), "a fault has a text");
  require(!verdict.faults.empty() || btf || is_circular(btf), "what a kernel takes can be read");
  check_btf(blob, BtfUse::Kernel);
}

/// What is converted has the same ids. If kernels accept the types, they need no newer release
/// then; of others, a name may stand where they allow none.
void check_conversion(const Btf& btf, bool is_accepted) {
  for (LinuxRelease release : {LinuxRelease{4, 18}, {5, 4}, {5, 15}, last_classic_header}) {
    auto blob = convert_btf(btf, release);
    if (!blob) continue;
    auto converted = Btf::parse(*blob, btf.base());
    require(converted.has_value(), "what was converted can be read");
    require(converted->end_id() == btf.end_id(), "and has all types");
    require(converted->strings().size() == btf.strings().size(), "and all strings");
    require(!is_accepted || check_btf(*blob).needs.release <= release,
            "and needs no newer release");
    auto again = convert_btf(*converted, release);
    require(again && *again == *blob, "and stays as it is when converted again");
  }
}

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto blob = std::as_bytes(std::span(data, size));
  auto btf = Btf::parse(blob);
  fuzz::check_blob(blob, btf);
  fuzz::check_rules(blob, btf);
  if (!btf) {
    fuzz::require(!btf.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  fuzz::print_one(*btf, size);
  fuzz::check_dedup(*btf);
  fuzz::check_conversion(*btf, check_btf(blob).faults.empty());
  check_btf(blob, BtfUse::Kernel, &*btf);
  if (auto split = Btf::parse(blob, &*btf)) {
    fuzz::print_one(*split, size);
    const Btf* inputs[] = {&*split};
    fuzz::deduplicate(inputs, &*btf);
    fuzz::check_conversion(*split, false);
  }
  return 0;
}
