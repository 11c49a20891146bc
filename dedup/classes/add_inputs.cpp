// Adds inputs: one after the other, or with threads that have parts of one or some of many to
// themselves, or sorted by readers before.
#include <algorithm>
#include <thread>
#include <unordered_map>
#include <utility>

#include "dedup/classes/large_inputs.hpp"
#include "dedup/classes/parallel.hpp"
#include "dedup/classes/run_threads.hpp"
#include "dedup/dedup_impl.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

namespace {

std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// A unit whose classes have room, but no size yet.
Unit make_unit(std::string name, const Btf& btf) {
  Unit unit;
  unit.name = std::move(name);
  unit.first_id = btf.first_id();
  unit.classes.reserve(btf.end_id() - btf.first_id());
  return unit;
}

Unit make_unit(const DedupInput& input, std::string name) {
  const Btf& btf = *input.btf;
  Unit unit = make_unit(std::move(name), btf);
  if (!input.omit.empty()) unit.classes.resize(btf.end_id() - btf.first_id());
  for (uint32_t id = btf.first_id(); id < input.omit.size() && id < btf.end_id(); ++id)
    if (input.omit[id]) unit.classes[id - btf.first_id()] = omitted_class;
  return unit;
}

}  // namespace

std::expected<void, Error> Deduplicator::Impl::take_layout(const Btf& btf) {
  for (size_t kind = BTF_KIND_END; kind < std::min(layout.size(), btf.layout().size()); ++kind)
    if (layout[kind] != btf.layout()[kind])
      return fail("layout section gives other sizes for kind " + std::to_string(kind) +
                  " than that of an input before");
  if (btf.layout().size() > layout.size()) layout.assign(btf.layout().begin(), btf.layout().end());
  return {};
}

/// Whether more input will fit the 32-bit numbers, even if all in it is new.
std::expected<void, Error> Deduplicator::Impl::check_room(const Size& size) const {
  constexpr uint64_t max_classes = 1 << 28;
  constexpr uint64_t max_offset = UINT32_MAX;
  if (2 * size.types + table.class_count() > max_classes)
    return fail("too many different types to deduplicate");
  if (size.string_bytes + table.strings().size() > max_offset)
    return fail("too many different strings to deduplicate");
  if (2 * size.words + table.word_count() > max_offset)
    return fail("too large types to deduplicate");
  return {};
}

/// How many threads should have inputs to themselves.
unsigned Deduplicator::Impl::choose_sharers(std::span<const DedupInput> inputs) const {
  // What a thread has done by the time that another is started and its table merged.
  constexpr size_t least_words = large_from(1 << 16);
  if (options.base != nullptr || inputs.size() < 2) return 1;
  Size all;
  for (const DedupInput& input : inputs) {
    Size size(*input.btf);
    if (choose_threads(size.words, options.threads) > 1) return 1;  // it has threads itself
    all.add(size);
  }
  if (all.words < 2 * least_words || !check_room(all)) return 1;
  size_t threads = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  return static_cast<unsigned>(std::min({threads, inputs.size(), size_t{most_threads}}));
}

/// Gives the types of an input their classes.
std::expected<void, Error> Deduplicator::Impl::classify(const Btf& btf, Unit& unit,
                                                        bool has_omissions, Checks checks) {
  if (auto ok = take_layout(btf); !ok) return ok;
  if (auto ok = check_room(Size(btf)); !ok) return ok;
  canonicalizer.set_consumed(options.consumed);
  unsigned threads = choose_threads(count_words(btf), options.threads);
  if (threads == 1 || has_omissions || options.base != nullptr) {
    unit.classes.resize(btf.end_id() - btf.first_id());
    return canonicalizer.run(btf, base().classes, unit.classes, checks);
  }
  canonicalize_in_parallel(btf, unit.classes, table, canonicalizer, threads, options.consumed,
                           checks);
  return {};
}

/// Gives the types of an input that was checked their classes, and takes it in.
void Deduplicator::Impl::add(const Btf& btf, Unit& unit, bool has_omissions) {
  if (auto ok = classify(btf, unit, has_omissions, Checks::done); !ok)
    failure = Error{unit.name + ": " + ok.error().message};
  else
    take_classified(btf, unit, find_confused(unit));
}

void Deduplicator::Impl::add(DedupInput input) {
  if (failure) return;
  is_sound = false;
  Unit unit = make_unit(input, std::move(input.name));
  add(*input.btf, unit, !input.omit.empty());
  units.push_back(std::move(unit));
}

/// Makes the units of inputs, without classes but for those of what is left out.
std::vector<Unit> Deduplicator::Impl::make_units(std::vector<DedupInput>& inputs) {
  std::vector<Unit> units;
  units.reserve(inputs.size());
  for (DedupInput& input : inputs) {
    units.push_back(make_unit(input, std::move(input.name)));
    units.back().classes.resize(input.btf->end_id() - input.btf->first_id());
    input.omit = {};
    if (auto ok = take_layout(*input.btf); !ok && !failure)
      failure = Error{units.back().name + ": " + ok.error().message};
  }
  return units;
}

/// Takes in units whose types have their classes.
void Deduplicator::Impl::take_units(const std::vector<DedupInput>& inputs,
                                    std::vector<Unit> added) {
  units.reserve(units.size() + added.size());
  for (size_t i = 0; i < added.size(); ++i) {
    canonicalizer.see_all(added[i].classes);
    take_classified(*inputs[i].btf, added[i], find_confused(added[i]));
    units.push_back(std::move(added[i]));
  }
}

void Deduplicator::Impl::add_in_parallel(std::vector<DedupInput> inputs, unsigned threads) {
  if (failure) return;
  is_sound = false;
  std::vector<Unit> added = make_units(inputs);
  std::vector<InputOfMany> many;
  many.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size() && !failure; ++i)
    many.push_back({inputs[i].btf, added[i].classes});
  canonicalize_in_parallel(many, table, canonicalizer, threads, options.consumed);
  for (size_t i = 0; i < many.size(); ++i) {
    if (many[i].failure) failure = Error{added[i].name + ": " + many[i].failure->message};
    if (many[i].failure) break;
  }
  if (!failure) take_units(inputs, std::move(added));
}

/// Adds the classes of a reader to the table, and returns which they are there; none if
/// they are the same.
std::vector<uint32_t> Deduplicator::Impl::take_table(TypeReader& reader) {
  if (table.class_count() > 1) return table.absorb(reader.table(), {});
  table = std::move(reader.table());
  return {};
}

/// Leaves out types that readers have sorted. Where a class is new to a reader with such a
/// type, or in an ambiguous input, the next type of that class is noted, too.
void Deduplicator::Impl::leave_out(SortedInputs& all) {
  std::unordered_map<const TypeReader*, std::vector<bool>> lost;  // by class
  auto lose = [&](const TypeReader* reader, uint32_t type_class) {
    if (type_class == omitted_class) return;
    std::vector<bool>& classes = lost[reader];
    classes.resize(std::max<size_t>(classes.size(), type_class + 1));
    classes[type_class] = true;
  };
  for (size_t i = 0; i < all.inputs.size(); ++i) {
    SortedTypes& sorted = all.sorted[i];
    if (sorted.reader == nullptr) continue;
    for (uint32_t id : sorted.left_out)
      lose(sorted.reader,
           std::exchange(sorted.classes[id - all.inputs[i].btf->first_id()], omitted_class));
    if (!sorted.is_ambiguous) continue;
    for (uint32_t index : sorted.firsts) lose(sorted.reader, sorted.classes[index]);
  }
  for (SortedTypes& sorted : all.sorted) {
    auto found = lost.find(sorted.reader);
    if (found == lost.end() || sorted.is_ambiguous) continue;
    std::vector<bool>& classes = found->second;
    auto noted = static_cast<ptrdiff_t>(sorted.firsts.size());
    for (uint32_t index = 0; index < sorted.classes.size(); ++index) {
      uint32_t type_class = sorted.classes[index];
      if (type_class >= classes.size() || !classes[type_class]) continue;
      classes[type_class] = false;
      sorted.firsts.push_back(index);
    }
    std::ranges::inplace_merge(sorted.firsts, sorted.firsts.begin() + noted);
  }
}

/// Gives a unit the classes that a reader has sorted its types into, where `merged` says
/// which these are in the table.
void Deduplicator::Impl::take_sorted(Unit& unit, SortedTypes sorted,
                                     std::span<const uint32_t> merged) {
  unit.classes = std::move(sorted.classes);
  if (!merged.empty())
    for (uint32_t& type_class : unit.classes)
      if (type_class != omitted_class) type_class = merged[type_class];
  if (sorted.is_ambiguous) return;
  unit.firsts = std::move(sorted.firsts);
  unit.has_firsts = true;
  for (uint32_t index : unit.firsts)
    if (unit.classes[index] != omitted_class) ++class_users[unit.classes[index]];
}

void Deduplicator::Impl::add_sorted(SortedInputs all) {
  if (failure) return;
  is_sound = false;
  size_t first = units.size();
  units.reserve(first + all.inputs.size());
  for (DedupInput& input : all.inputs) {
    Unit& unit = units.emplace_back();
    unit.name = std::move(input.name);
    unit.first_id = input.btf->first_id();
    if (auto ok = take_layout(*input.btf); !ok && !failure)
      failure = Error{unit.name + ": " + ok.error().message};
  }
  std::unordered_map<const TypeReader*, std::vector<uint32_t>> merged;
  for (const auto& reader : all.readers)
    if (reader->is_usable()) merged.emplace(reader.get(), take_table(*reader));
  class_users.resize(table.class_count());
  canonicalizer.set_consumed(options.consumed);
  leave_out(all);
  for (size_t i = 0; i < all.inputs.size() && !failure; ++i) {
    DedupInput& input = all.inputs[i];
    Unit& unit = units[first + i];
    auto found = merged.find(all.sorted[i].reader);
    if (found == merged.end()) {
      all.mark_left_out(i);
      unit = make_unit(input, std::move(unit.name));
      add(*input.btf, unit, !input.omit.empty());
      continue;
    }
    bool is_ambiguous = all.sorted[i].is_ambiguous;
    take_sorted(unit, std::move(all.sorted[i]), found->second);
    if (!is_ambiguous) continue;
    canonicalizer.see_all(unit.classes);
    take_classified(*input.btf, unit, find_confused(unit));
  }
}

void Deduplicator::add(std::string name, const Btf& btf, std::vector<bool> omit) {
  impl_->add({std::move(name), &btf, std::move(omit)});
}

void SortedInputs::add_to(Deduplicator& deduplicator) && {
  Size all;
  for (const DedupInput& input : inputs) all.add(Size(*input.btf));
  bool has_room = deduplicator.impl_->check_room(all).has_value();
  if (!readers.empty() && has_room && deduplicator.impl_->options.base == nullptr)
    return deduplicator.impl_->add_sorted(std::move(*this));
  for (size_t i = 0; i < inputs.size(); ++i) mark_left_out(i);
  deduplicator.add(std::move(inputs));
}

void SortedInputs::mark_left_out(size_t i) {
  std::vector<bool>& omit = inputs[i].omit;
  omit.resize(inputs[i].btf->end_id());
  for (uint32_t id : sorted[i].left_out) omit[id] = true;
}

void Deduplicator::add(std::vector<DedupInput> inputs) {
  unsigned threads = impl_->choose_sharers(inputs);
  if (threads > 1) return impl_->add_in_parallel(std::move(inputs), threads);
  for (DedupInput& input : inputs) impl_->add(std::move(input));
}

std::expected<Btf, Error> Deduplicator::add_blob(std::string name,
                                                 std::span<const std::byte> blob) {
  const DedupOptions& options = impl_->options;
  // Below that, what is checked is still in the cache when it is classified.
  constexpr size_t worthwhile = large_from(1 << 21);
  if (blob.size() >= worthwhile && options.base == nullptr && !impl_->failure) {
    auto btf = parse_unchecked(blob, nullptr, options.threads);
    if (!btf) return btf;
    Unit unit = make_unit(name, *btf);
    if (auto ok = impl_->classify(*btf, unit, false, Checks::to_do); !ok) {
      impl_->failure = Error{unit.name + ": " + ok.error().message};
      return btf;
    }
    if (auto confused = impl_->find_confused_if_valid(*btf, unit)) {
      impl_->is_sound = impl_->units.size() == 1;
      impl_->take_classified(*btf, unit, *confused);
      impl_->units.push_back(std::move(unit));
      return btf;
    }
  }
  // Where there is something wrong, or only strange, all checks decide.
  auto btf = Btf::parse(blob, options.base, options.threads);
  if (btf) add(std::move(name), *btf);
  return btf;
}

}  // namespace bpflink
