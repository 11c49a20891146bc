// check_btf() decides as the running kernel does, for random blobs and mutants of them.
//
//   BPFLINK_SEEDS=10000   the number of seeds, each with its blobs and a hundred mutants of each
//   BPFLINK_SEED=4711     only this one
//
// Skipped if BPF_BTF_LOAD is not permitted.
#include <doctest/doctest.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bpflink/check.hpp"
#include "random_cases.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

using Blob = std::vector<std::byte>;

/// The kernel's verdict: 0 or an error number, and its log if `log` is not null.
int load(const Blob& blob, std::vector<char>* log = nullptr) {
  union bpf_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.btf = reinterpret_cast<uintptr_t>(blob.data());
  attributes.btf_size = static_cast<uint32_t>(blob.size());
  if (log != nullptr) {
    attributes.btf_log_buf = reinterpret_cast<uintptr_t>(log->data());
    attributes.btf_log_size = static_cast<uint32_t>(log->size());
    attributes.btf_log_level = 1;
  }
  long fd = ::syscall(SYS_bpf, BPF_BTF_LOAD, &attributes, sizeof attributes);
  if (fd < 0) return errno;
  ::close(static_cast<int>(fd));
  return 0;
}

LinuxRelease running_release() {
  utsname system{};
  ::uname(&system);
  LinuxRelease release;
  std::sscanf(system.release, "%hu.%hu", &release.major, &release.minor);
  return release;
}

/// The last line of the kernel's log.
std::string last_words(const Blob& blob) {
  std::vector<char> log(1 << 20);
  load(blob, &log);
  std::string text(log.data());
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// Whether a kernel may read what its release does not: stable releases took over dots in names.
bool may_be_ahead(const BtfRequirement& needs) {
  return needs.what == "a dot in a name";
}

/// True if both decide alike; otherwise prints both verdicts.
bool agree(const Blob& blob, LinuxRelease release) {
  BtfVerdict verdict = check_btf(blob);
  bool is_taken = is_accepted(verdict, release);
  int error = load(blob);
  if (is_taken == (error == 0)) return true;
  if (error == 0 && verdict.needs.release > release && may_be_ahead(verdict.needs)) return true;
  std::string ours;
  for (const BtfFault& fault : verdict.faults) ours += "\n  " + describe_fault(fault);
  MESSAGE("the kernel: ", error, " '", last_words(blob), "'; we: ", ours.empty() ? "taken" : ours,
          ", needs Linux ", verdict.needs.release.major, ".", verdict.needs.release.minor, " for ",
          verdict.needs.what);
  return false;
}

/// Valid types of all kinds, about two of each.
RandomUnit sound_unit() {
  using Kind = BtfKind;
  constexpr uint32_t is_signed = 1 << 24;
  auto global = static_cast<uint32_t>(BtfLinkage::Global);
  return {
      {.kind = Kind::Int, .name = "int", .size = 4, .number = is_signed | 32},
      {.kind = Kind::Int, .name = "long", .size = 8, .number = 64},
      {.kind = Kind::Ptr, .type = 4},
      {.kind = Kind::Struct,
       .name = "node",
       .size = 48,
       .elements =
           {{"next", 3, 0}, {"value", 1, 64}, {"list", 5, 96}, {"f", 11, 192}, {"", 6, 256}}},
      {.kind = Kind::Array, .type = 1, .index = 1, .number = 3},
      {.kind = Kind::Union, .size = 8, .elements = {{"a", 2, 0}, {"b", 3, 0}, {"c", 7, 0}}},
      {.kind = Kind::Enum, .name = "color", .size = 4, .elements = {{"RED", 0, 0}, {"BLUE", 0, 1}}},
      {.kind = Kind::Enum64, .name = "wide", .size = 8, .elements = {{"HUGE", 0, 1ull << 40}}},
      {.kind = Kind::Struct,
       .kind_flag = true,
       .name = "bits",
       .size = 16,
       .elements = {{"x", 1, 3u << 24}, {"y", 12, 5u << 24 | 3}, {"z", 2, 64}}},
      {.kind = Kind::Fwd, .name = "opaque"},
      {.kind = Kind::Float, .name = "double", .size = 8},
      {.kind = Kind::Typedef, .name = "int32", .type = 13},
      {.kind = Kind::Const, .type = 1},
      {.kind = Kind::Volatile, .type = 16},
      {.kind = Kind::TypeTag, .name = "user", .type = 14},
      {.kind = Kind::Restrict, .type = 3},
      {.kind = Kind::Ptr, .type = 15},
      {.kind = Kind::FuncProto,
       .type = 1,
       .elements = {{"node", 3, 0}, {"count", 12, 0}, {"", 0, 0}}},
      {.kind = Kind::Func, .name = "walk", .type = 18, .number = global},
      {.kind = Kind::Var, .name = "first", .type = 7, .number = global},
      {.kind = Kind::Var, .name = "second", .type = 12},
      {.kind = Kind::Datasec, .name = ".data", .size = 64, .elements = {{"", 20, 0}, {"", 21, 8}}},
      {.kind = Kind::DeclTag, .name = "about", .type = 4, .number = 1},
      {.kind = Kind::DeclTag, .name = "argument", .type = 19, .number = 0},
      {.kind = Kind::Ptr, .type = 10},
      {.kind = Kind::Typedef, .name = "callback", .type = 27},
      {.kind = Kind::Ptr, .type = 18},
  };
}

/// Adds a chain of types, each of which refers to the previous or the next one.
RandomUnit with_chain(RandomUnit unit, Random& random) {
  constexpr BtfKind kinds[] = {BtfKind::Ptr,     BtfKind::Const, BtfKind::Volatile,
                               BtfKind::Typedef, BtfKind::Array, BtfKind::TypeTag};
  size_t length = 1 + random() % 40, first = unit.size() + 1;
  bool is_upward = random() % 2 == 0;
  BtfKind one = kinds[random() % std::size(kinds)];
  for (size_t i = 0; i < length; ++i) {
    BtfKind kind = random() % 4 != 0 ? one : kinds[random() % std::size(kinds)];
    bool is_end = is_upward ? i + 1 == length : i == 0;
    size_t next = is_upward ? first + i + 1 : first + i - 1;
    RandomType type{.kind = kind, .index = 1, .number = 1};
    type.type = static_cast<uint32_t>(is_end ? 1 + random() % (first + length) : next);
    if (kind == BtfKind::Typedef || kind == BtfKind::TypeTag) type.name = "chain";
    unit.push_back(type);
  }
  return unit;
}

/// Changes a few words of types, bytes of strings or words of the header.
void mutate(Blob& blob, const Btf& btf, Random& random) {
  auto read = [&](size_t at) {
    uint32_t word = 0;
    std::memcpy(&word, &blob[at], sizeof word);
    return word;
  };
  auto write = [&](size_t at, uint64_t word) {
    auto value = static_cast<uint32_t>(word);
    std::memcpy(&blob[at], &value, sizeof value);
  };
  constexpr size_t header_size = 24;
  uint32_t count = btf.end_id() - 1;
  auto type_at = [&](uint32_t id) { return header_size + sizeof(uint32_t) * btf.starts()[id - 1]; };
  for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
    auto id = static_cast<uint32_t>(1 + random() % count);
    size_t begin = type_at(id), words = btf.type(id).words().size();
    size_t at = begin + 4 * (random() % words), info = begin + 4;
    switch (random() % 10) {
      case 0:
        write(at, random() % (count + 2));
        break;
      case 1:
        write(at, random() % (btf.string_end() + 1));
        break;
      case 2:
        write(at, read(at) ^ 1u << random() % 32);
        break;
      case 3:
        write(at, read(at) + random() % 17 - 8);
        break;
      case 4:
        write(info, (read(info) & 0x80ffffff) | (1 + random() % 19) << 24);
        break;
      case 5:
        write(info, read(info) ^ 0x80000000);
        break;
      case 6:
        write(info, (read(info) & 0xffff0000) | random() % 4);
        break;
      case 7:
        write(begin + 8, random() % (count + 2));
        break;
      case 8:
        blob[blob.size() - 1 - random() % btf.strings().size()] =
            std::byte("a_.0 -\xe9\xd7"[random() % 9]);
        break;
      default:
        if (random() % 8 == 0)
          write(4 * (random() % 6), read(4 * (random() % 6)) + random() % 9 - 4);
    }
  }
}

}  // namespace

TEST_CASE("the kernel and check_btf() decide alike") {
  RandomUnit sound = sound_unit();
  for (const BtfFault& fault : check_btf(encode(sound)).faults) FAIL(describe_fault(fault));
  if (int error = load(encode(sound)); error == EPERM || error == ENOSYS) {
    MESSAGE("skipped: this system does not allow BPF_BTF_LOAD");
    return;
  }
  uint64_t only = from_environment("BPFLINK_SEED", 0), first = only ? only : 1;
  uint64_t seeds = only ? 1 : from_environment("BPFLINK_SEEDS", 250);
  LinuxRelease release = running_release();
  uint64_t blobs = 0, taken = 0, differ = 0;
  for (uint64_t seed = first; seed < first + seeds && differ < 10; ++seed) {
    Random random(seed);
    std::vector<RandomUnit> units = random_units(seed);
    units.push_back(sound);
    units.push_back(with_chain(sound, random));
    for (const RandomUnit& unit : units) {
      Blob original = encode(unit);
      auto btf = Btf::parse(original);
      for (int i = 0; i <= (btf && btf->end_id() > 1 ? 100 : 0); ++i) {
        Blob blob = original;
        if (i > 0) mutate(blob, *btf, random);
        bool is_alike = agree(blob, release);
        CHECK_MESSAGE(is_alike, "seed ", seed);
        ++blobs;
        taken += load(blob) == 0;
        differ += !is_alike;
      }
    }
  }
  MESSAGE(blobs, " blobs, of which the kernel takes ", taken);
  CHECK(differ == 0);
}
