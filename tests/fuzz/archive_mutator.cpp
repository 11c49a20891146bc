// Mutates members that are objects as objects, and adapts the size in their header; mutates the
// rest byte by byte.
#include <ar.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "tests/fuzz/mutators.hpp"

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

}  // namespace
}  // namespace bpflink::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  Bytes file(data, data + size);
  Random random(seed);
  auto members = find_members(file);
  if (members.empty() || random.one_in(20)) {
    mutate_bytes(file);
  } else {
    const Member& member = members[random.below(members.size())];
    uint8_t* header = &file[member.header];
    if (random.one_in(3))
      header[random.below(sizeof(ar_hdr))] = random.one_in(2)
                                                 ? static_cast<uint8_t>('0' + random.below(10))
                                                 : static_cast<uint8_t>(random.next());
    else
      mutate_member(file, member, random);
  }
  return give_back(file, data, size, max_size);
}
