// Makes the BTF of a linked image, such as vmlinux. Begin here.
//
// The units' BTF has the types, but also FUNCs and VARs of functions and variables that are only
// declared, were inlined, or were removed by the linker. The image's symbols say which are there.
// So the units are deduplicated without FUNCs, VARs and DATASECs. Then FUNCs (functions.cpp) and
// VARs (image_variables.cpp) are added for the symbols, and their tags.
#include "bpflink/image_btf.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "dedup/edit/image_state.hpp"
#include "dedup/format/builder.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/reader.hpp"
#include "dedup/messages.hpp"
#include "dedup/sort_by_name.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

/// The types to omit from the deduplication: FUNCs, VARs, DATASECs, their tags, and prototypes that
/// only FUNCs refer to. Lists the FUNCs, VARs and tags in `input`.
std::vector<bool> choose_omitted(ImageInput& input) {
  const BtfView& types = input.btf;
  std::vector<bool> omitted(types.end_id()), needed(types.end_id());
  std::vector<uint32_t> prototypes, tags;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfKind kind = types.kind(id);
    omitted[id] = kind == BtfKind::Func || kind == BtfKind::Var || kind == BtfKind::Datasec;
    if (kind == BtfKind::Func) input.functions.push_back(id);
    if (kind == BtfKind::Var) input.variables.push_back(id);
    if (kind == BtfKind::DeclTag) tags.push_back(id);
    if (kind == BtfKind::FuncProto) prototypes.push_back(id);
    if (!is_of_program(kind))
      for_each_reference(types.words_of(id), [&](uint32_t used) { needed[used] = true; });
  }
  for (uint32_t id : tags) {
    uint32_t target = types.first_word(id)[2];
    needed[target] = true;
    if (!omitted[target]) continue;
    omitted[id] = true;
    input.tags.push_back(id);
  }
  for (uint32_t id : prototypes)
    if (!needed[id]) omitted[id] = true;
  return omitted;
}

/// Adds the inputs' tags to the FUNCs and VARs of the output.
void add_tags(const ImageState& state) {
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    const ImageInput& input = state.inputs[i];
    for (uint32_t id : input.tags) {
      BtfType tag = input.btf.type(id);
      uint32_t target = state.map(i)[tag.type()];
      if (target == 0) continue;
      uint32_t component[] = {static_cast<uint32_t>(tag.component_idx())};
      uint32_t text = state.types().add_string(input.btf.name(tag));
      state.map(i).set(id, state.function_types.add(text, tag.info(), target, component));
    }
  }
}

/// Sorts the types by name again, because FUNCs, VARs and tags were appended.
void sort(DedupResult& result) {
  BtfBuilder& types = result.types;
  std::vector<uint32_t> order(types.end_id() - types.first_id());
  std::iota(order.begin(), order.end(), types.first_id());
  sort_by_name(
      order, [&](uint32_t id) { return types.type(id).name_off(); },
      [&](uint32_t offset) { return types.string(offset); });
  std::vector<uint32_t> ids = rearrange_types(types, order);
  for (TypeMap& map : result.type_maps)
    for (uint32_t id = types.first_id(); id < map.end_id(); ++id) map.set(id, ids[map[id]]);
}

}  // namespace

struct ImageDeduplicator::Impl {
  DedupOptions options;
  Deduplicator deduplicator;
  std::vector<ImageInput> inputs;

  /// The deduplicator borrows the inputs from here, and does not sort, because run() does.
  explicit Impl(const DedupOptions& asked)
      : options(asked),
        deduplicator({.threads = options.threads,
                      .base = options.base,
                      .borrow_inputs = true,
                      .for_kernel = true}) {}
};

ImageDeduplicator::ImageDeduplicator(DedupOptions options)
    : impl_(std::make_unique<Impl>(options)) {}

ImageDeduplicator::ImageDeduplicator(ImageDeduplicator&&) noexcept = default;
ImageDeduplicator& ImageDeduplicator::operator=(ImageDeduplicator&&) noexcept = default;
ImageDeduplicator::~ImageDeduplicator() = default;

std::expected<Btf, Error> ImageDeduplicator::add(std::string name, const Btf& btf,
                                                 std::vector<ImageFunction> functions) {
  const DedupOptions& options = impl_->options;
  if (btf.base()) return fail("is split BTF, not a compiler's BTF of one unit");
  std::expected<Btf, Error> own = options.base
                                      ? split_off(btf, *options.base, options.borrow_inputs)
                                  : options.borrow_inputs ? share(btf)
                                                          : copy(btf);
  if (!own) return own;
  ImageInput& input = impl_->inputs.emplace_back(share(*own));
  if (!functions.empty()) {
    uint32_t moved = own->first_id() - btf.first_id();
    for (ImageFunction& function : functions) function.id += moved;
    input.code = std::move(functions);
  }
  impl_->deduplicator.add(std::move(name), input.btf, choose_omitted(input));
  return own;
}

std::expected<Btf, Error> ImageDeduplicator::add_blob(std::string name,
                                                      std::span<const std::byte> blob) {
  auto btf = parse_without_cycle_check(blob);
  if (!btf) return btf;
  return add(std::move(name), *btf);
}

void ImageDeduplicator::add_weak_function(std::string_view name) {
  if (!impl_->inputs.empty()) impl_->inputs.back().weak_functions.insert(name);
}

std::expected<ImageResult, Error> ImageDeduplicator::run(const ImageSymbols& symbols) {
  auto dedup = TRY(impl_->deduplicator.run());
  ImageResult result{.dedup = std::move(dedup)};
  FunctionTypes function_types(result.dedup.types);
  ImageState state{symbols, impl_->inputs, result, function_types};

  // Add FUNCs for the symbols of functions, with the tags of ImageSymbols.
  add_functions(state);

  // Add VARs for the symbols of variables, and their DATASEC.
  add_variables(state);

  // Add the inputs' tags on these FUNCs and VARs.
  add_tags(state);

  if (impl_->options.sort) sort(result.dedup);
  auto key = [](const OmittedSymbol& symbol) { return std::tuple(symbol.name, symbol.reason); };
  std::ranges::sort(result.omitted, {}, key);
  auto repeated = std::ranges::unique(result.omitted, {}, key);
  result.omitted.erase(repeated.begin(), repeated.end());
  return result;
}

}  // namespace bpflink
