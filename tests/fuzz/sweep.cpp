// Mutation sweep: links every small change of an object.
//
//   sweep OBJECT GOOD-OBJECT
//
// It sets each byte to 0 and 0xff and flips one of its bits; cuts the object at each length; sets
// each word of .BTF and .BTF.ext to 0, 1, 0x7fffffff and 0xffffffff. It links each result alone and
// with the good object. A link must end within a second of processor time and 256 MB, either with a
// message and no output, or with an output that passes verification.
//
// Child processes do the links. If one dies, the sweep reports the mutation, and the next child
// continues after it.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "bpflink/linker.hpp"
#include "tests/fuzz/elf_image.hpp"

namespace bpflink::fuzz {
namespace {

constexpr rlim_t MAX_MEMORY = 256 << 20;
constexpr size_t MAX_REPORTED = 20;

struct Mutation {
  enum class Kind { Byte, Word, Cut } kind;
  size_t offset;  ///< bytes into the file; the length for Cut
  uint32_t value;
  bool with_good;  ///< link it with the good object
};

/// The child's report to the parent, in shared memory.
struct Progress {
  size_t next;    ///< index of the mutation being linked
  size_t faults;  ///< number of reported faults
  size_t linked, refused;
};

Bytes read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(1);
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

class Sweep {
 public:
  Sweep(Bytes object, Bytes good) : object_(std::move(object)), good_(std::move(good)) {
    void* shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    progress_ = new (shared) Progress{};
  }

  void add_mutations();
  /// True if all links ended well.
  bool run();

 private:
  void add(Mutation::Kind kind, size_t offset, uint32_t value);
  void add_words(std::string_view section);
  Bytes apply(const Mutation& mutation) const;
  void link_from(size_t first);
  void link_one(const Mutation& mutation);
  void report(const Mutation& mutation, const std::string& what);

  Bytes object_, good_;
  std::vector<Mutation> mutations_;
  Progress* progress_;
};

void Sweep::add(Mutation::Kind kind, size_t offset, uint32_t value) {
  for (bool with_good : {false, true}) mutations_.push_back({kind, offset, value, with_good});
}

void Sweep::add_words(std::string_view section_name) {
  auto image = ElfImage::read(object_);
  const ElfSection* section = image ? image->find(section_name) : nullptr;
  if (!section) {
    std::fprintf(stderr, "the object has no section %s\n", std::string(section_name).c_str());
    std::exit(1);
  }
  for (size_t at = 0; at + 4 <= section->bytes.size(); at += 4)
    for (uint32_t value : {0u, 1u, 0x7fffffffu, 0xffffffffu})
      add(Mutation::Kind::Word, section->header.sh_offset + at, value);
}

void Sweep::add_mutations() {
  for (size_t i = 0; i < object_.size(); i++)
    for (uint8_t value : {uint8_t{0}, uint8_t{0xff}, static_cast<uint8_t>(object_[i] ^ 1 << i % 8)})
      if (value != object_[i]) add(Mutation::Kind::Byte, i, value);
  for (size_t size = 0; size < object_.size(); size++) add(Mutation::Kind::Cut, size, 0);
  add_words(".BTF");
  add_words(".BTF.ext");
}

Bytes Sweep::apply(const Mutation& mutation) const {
  Bytes bytes = object_;
  switch (mutation.kind) {
    case Mutation::Kind::Byte:
      bytes[mutation.offset] = static_cast<uint8_t>(mutation.value);
      break;
    case Mutation::Kind::Word:
      std::memcpy(&bytes[mutation.offset], &mutation.value, sizeof mutation.value);
      break;
    case Mutation::Kind::Cut:
      bytes.resize(mutation.offset);
      bytes.shrink_to_fit();  // lets sanitizers detect reads past the end
      break;
  }
  return bytes;
}

void Sweep::report(const Mutation& mutation, const std::string& what) {
  static constexpr const char* kinds[] = {"byte", "word", "cut"};
  if (progress_->faults++ < MAX_REPORTED)
    std::fprintf(stderr, "%s at %#zx = %#x, %s: %s\n", kinds[static_cast<int>(mutation.kind)],
                 mutation.offset, mutation.value,
                 mutation.with_good ? "with the good object" : "alone", what.c_str());
}

void Sweep::link_one(const Mutation& mutation) {
  Bytes bytes = apply(mutation);
  std::string message;
  Linker linker({.partial = true, .verify = true}, [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Error && message.empty()) message = diagnostic.message;
  });
  linker.add_memory("mutated.o", std::as_bytes(std::span(bytes)));
  if (mutation.with_good) linker.add_memory("good.o", std::as_bytes(std::span(good_)));
  bool linked = linker.link_to_memory().has_value();
  ++(linked ? progress_->linked : progress_->refused);
  if (linked != message.empty())
    report(mutation, linked ? "links with an error" : "fails without a message");
  else if (message.find("internal error") != message.npos || message.find("alloc") != message.npos)
    report(mutation, message);
}

/// In a child: links until the end, or until a link kills it.
void Sweep::link_from(size_t first) {
#ifndef BPFLINK_IS_SANITIZED  // AddressSanitizer reserves terabytes
  rlimit memory{MAX_MEMORY, MAX_MEMORY};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  for (progress_->next = first; progress_->next < mutations_.size(); progress_->next++) {
    itimerval second{{0, 0}, {1, 0}};
    ::setitimer(ITIMER_PROF, &second, nullptr);
    link_one(mutations_[progress_->next]);
  }
}

bool Sweep::run() {
  for (size_t first = 0; first < mutations_.size() && progress_->faults < MAX_REPORTED;
       first = progress_->next + 1) {
    pid_t child = ::fork();
    if (child < 0) std::abort();
    if (child == 0) {
      link_from(first);
      std::fflush(stderr);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    bool is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    report(mutations_[progress_->next], is_late ? "takes more than a second" : "crashes");
  }
  std::printf("%zu links: %zu went well, %zu were refused, %zu faults\n", mutations_.size(),
              progress_->linked, progress_->refused, progress_->faults);
  return progress_->faults == 0 && progress_->linked > 0 && progress_->refused > 0;
}

}  // namespace
}  // namespace bpflink::fuzz

int main(int argc, char** argv) {
  using namespace bpflink::fuzz;
  if (argc != 3) {
    std::fprintf(stderr, "usage: sweep OBJECT GOOD-OBJECT\n");
    return 1;
  }
  Sweep sweep(read_file(argv[1]), read_file(argv[2]));
  sweep.add_mutations();
  return sweep.run() ? 0 : 1;
}
