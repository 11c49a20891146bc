// libFuzzer's custom mutator: which of the mutators changes an input of the target TARGET.
#include <ar.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "tests/fuzz/mutators.hpp"
#include "tests/fuzz/pair.hpp"

namespace bpflink::fuzz {
namespace {

struct Member {
  size_t header, begin, size;
};

std::vector<Member> find_members(const Bytes& file) {
  std::vector<Member> members;
  for (size_t at = SARMAG; at + sizeof(ar_hdr) <= file.size();) {
    ar_hdr header;
    std::memcpy(&header, &file[at], sizeof header);
    size_t size = 0;
    std::from_chars(header.ar_size, header.ar_size + sizeof header.ar_size, size);
    size_t begin = at + sizeof header;
    if (size > file.size() - begin) break;
    members.push_back({at, begin, size});
    at = begin + size + size % 2;
  }
  return members;
}

void mutate_member(Bytes& file, const Member& member, Random& random) {
  auto begin = file.begin() + static_cast<ptrdiff_t>(member.begin);
  auto end = begin + static_cast<ptrdiff_t>(member.size);
  Bytes object(begin, end);
  mutate_elf(object, random);
  char size[16];
  std::snprintf(size, sizeof size, "%-10zu", object.size());
  std::memcpy(&file[member.header + offsetof(ar_hdr, ar_size)], size, sizeof ar_hdr{}.ar_size);
  bool had_padding = member.size % 2 != 0 && end != file.end();
  if (object.size() % 2 != 0) object.push_back('\n');
  begin = file.erase(begin, end + had_padding);
  file.insert(begin, object.begin(), object.end());
}

/// Mutates members that are objects as objects, and adapts the size in their header; mutates the
/// rest byte by byte.
void mutate_archive(Bytes& file, Random& random) {
  auto members = find_members(file);
  if (members.empty() || random.one_in(20)) return mutate_bytes(file);
  const Member& member = members[random.below(members.size())];
  if (!random.one_in(3)) return mutate_member(file, member, random);
  file[member.header + random.below(sizeof(ar_hdr))] =
      random.one_in(2) ? static_cast<uint8_t>('0' + random.below(10))
                       : static_cast<uint8_t>(random.next());
}

/// Calls `change` with both inputs of a pair; at times flips one of the bits that choose options.
template <typename Change>
void mutate_pair(Bytes& file, Random& random, size_t bits, Change change) {
  auto pair = Pair::read(file);
  Bytes first(pair.first.begin(), pair.first.end()), second(pair.second.begin(), pair.second.end());
  uint32_t choices = pair.choices;
  if (bits != 0 && random.one_in(10)) choices ^= 1u << random.below(bits);
  change(first, second);
  file = Pair::write(choices, first, second);
}

void mutate_btf_ext(Bytes& file, Random& random) {
  mutate_pair(file, random, 0, [&](Bytes& btf, Bytes& ext) {
    bool is_big = btf.size() > 1 && btf[0] == 0xeb;
    if (random.one_in(8)) return mutate_btf(btf, random);
    if (random.one_in(4)) return mutate_bytes(ext);
    mutate_word(ext, is_big ? std::endian::big : std::endian::little, random);
  });
}

void mutate_core(Bytes& file, Random& random) {
  mutate_pair(file, random, 5, [&](Bytes& object, Bytes& kernel) {
    kernel.empty() || random.one_in(2) ? mutate_elf(object, random) : mutate_btf(kernel, random);
  });
}

void mutate_link(Bytes& file, Random& random) {
  mutate_pair(file, random, 9, [&](Bytes& first, Bytes& second) {
    if (random.one_in(30)) std::swap(first, second);
    mutate_elf(second.empty() || random.one_in(2) ? first : second, random);
  });
}

void mutate_update(Bytes& file, Random& random) {
  mutate_pair(file, random, 3, [&](Bytes& object, Bytes& base) {
    if (!base.empty() && random.one_in(10)) return mutate_btf(base, random);
    random.one_in(4) ? mutate_elf(object, random) : mutate_ranges(object, random);
  });
}

constexpr std::pair<std::string_view, void (*)(Bytes&, Random&)> mutators[] = {
    {"archive", mutate_archive}, {"btf", mutate_btf},    {"btf_ext", mutate_btf_ext},
    {"core", mutate_core},       {"dwarf", mutate_elf},  {"elf", mutate_elf},
    {"link", mutate_link},       {"object", mutate_elf}, {"update", mutate_update}};

}  // namespace
}  // namespace bpflink::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  Bytes file(data, data + size);
  Random random(seed);
  std::ranges::find(mutators, TARGET, [](auto& row) { return row.first; })->second(file, random);
  if (file.empty() || file.size() > max_size) return size;
  std::ranges::copy(file, data);
  return file.size();
}
