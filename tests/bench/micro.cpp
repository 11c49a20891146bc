// Micro-benchmarks of the most frequent operations of linker and deduplicator, on inputs of a fixed
// seed: hashing, the string table, the id maps, relocation. The argument is the number of elements:
// a cost that grows faster than that shows.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "bpflink/dedup.hpp"
#include "dedup/format/hash.hpp"
#include "dedup/format/string_table.hpp"
#include "linker/context.hpp"
#include "linker/object/relocation.hpp"
#include "linker/object/symbol.hpp"

using namespace bpflink;

namespace {

constexpr int FEW = 1 << 8, MANY = 1 << 16;

std::vector<std::string> make_names(int64_t count) {
  std::mt19937 random(1);
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; i++)
    names.push_back("name_" + std::to_string(random() % 97) + "_" + std::to_string(i));
  return names;
}

void count_elements(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Hashes the words of a type; the argument is their number of bytes.
void hash_words(benchmark::State& state) {
  std::vector<std::byte> bytes(state.range(0), std::byte{0x5a});
  for (auto _ : state) benchmark::DoNotOptimize(hash_bytes(bytes.data(), bytes.size()));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(hash_words)->Arg(12)->Arg(24)->Arg(120)->Arg(1200);

void intern_new_strings(benchmark::State& state) {
  auto names = make_names(state.range(0));
  for (auto _ : state) {
    StringTable table;
    for (const std::string& name : names) benchmark::DoNotOptimize(table.intern(name));
  }
  count_elements(state);
}
BENCHMARK(intern_new_strings)->Range(FEW, MANY);

void intern_known_strings(benchmark::State& state) {
  auto names = make_names(state.range(0));
  StringTable table;
  for (const std::string& name : names) table.intern(name);
  for (auto _ : state)
    for (const std::string& name : names) benchmark::DoNotOptimize(table.intern(name));
  count_elements(state);
}
BENCHMARK(intern_known_strings)->Range(FEW, MANY);

void intern_symbols(benchmark::State& state) {
  auto names = make_names(state.range(0));
  for (auto _ : state) {
    SymbolTable table;
    for (const std::string& name : names) benchmark::DoNotOptimize(&table.intern(name));
  }
  count_elements(state);
}
BENCHMARK(intern_symbols)->Range(FEW, MANY);

void map_type_ids(benchmark::State& state) {
  std::vector<uint32_t> ids(state.range(0));
  std::mt19937 random(1);
  for (uint32_t& id : ids) id = random();
  const TypeMap map(1, ids);
  for (auto _ : state)
    for (uint32_t id = 0; id < map.end_id(); id++) benchmark::DoNotOptimize(map[id]);
  count_elements(state);
}
BENCHMARK(map_type_ids)->Range(FEW, MANY);

/// Maps offsets of a section of two-instruction fragments.
void map_offsets(benchmark::State& state) {
  constexpr uint64_t fragment_size = 2 * insn_size;
  OutputSection output;
  InputSection section;
  section.output = &output;
  section.size = fragment_size * state.range(0);
  for (uint64_t at = 0; at < section.size; at += fragment_size)
    section.fragments.push_back({at, at + fragment_size});
  std::mt19937 random(1);
  std::vector<uint64_t> offsets(state.range(0));
  for (uint64_t& offset : offsets) offset = random() % section.size;
  for (auto _ : state)
    for (uint64_t offset : offsets) benchmark::DoNotOptimize(place_of(section, offset));
  count_elements(state);
}
BENCHMARK(map_offsets)->Range(FEW, MANY);

/// Reads and writes the addends of many instructions.
template <RelocationType type>
void relocate_instructions(benchmark::State& state) {
  constexpr uint64_t extent = 2 * insn_size;  // the larger of both
  std::vector<std::byte> code(extent * state.range(0));
  for (auto _ : state)
    for (uint64_t at = 0; at < code.size(); at += extent) {
      int64_t addend = load_addend(type, &code[at], std::endian::native);
      benchmark::DoNotOptimize(
          store_addend(type, &code[at], addend + int64_t{insn_size}, std::endian::native));
    }
  count_elements(state);
}
BENCHMARK(relocate_instructions<R_BPF_64_64>)->Range(FEW, MANY);
BENCHMARK(relocate_instructions<R_BPF_64_32>)->Range(FEW, MANY);

}  // namespace

BENCHMARK_MAIN();
