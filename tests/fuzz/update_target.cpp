// btfdedup --update, alone, with --sort, and with --distill on a base: the program as a whole
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "linker/files/elf_file.hpp"
#include "tests/fuzz/pair.hpp"
#include "tests/fuzz/target.hpp"

int btfdedup_main(int argc, char** argv);  // its main()

namespace {

/// A directory in memory, removed at the end.
class Files {
 public:
  Files() { bpflink::fuzz::require(::mkdtemp(directory_.data()) != nullptr, "/dev/shm is there"); }
  ~Files() {
    for (const char* name : {"object", "base"}) ::unlink(path(name).c_str());
    ::rmdir(directory_.c_str());
  }
  std::string path(const char* name) const { return directory_ + "/" + name; }

  void write(const char* name, std::span<const uint8_t> bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::vector<char> read(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string directory_ = "/dev/shm/bpflink-update-XXXXXX";
};

enum Choice : uint32_t { SORT = 1, BASE = 2, DISTILL = 4 };

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  static const Files files;
  auto pair = fuzz::Pair::read({data, size});
  std::vector<std::string> words = {"btfdedup", "--update", files.path("object")};
  if (pair.choices & SORT) words.emplace_back("--sort");
  if (pair.choices & (BASE | DISTILL)) words.insert(words.end(), {"--base", files.path("base")});
  if (pair.choices & DISTILL) words.emplace_back("--distill");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  auto update = [&] {
    files.write("object", pair.first);
    files.write("base", pair.second);
    return btfdedup_main(static_cast<int>(words.size()), arguments.data());
  };
  if (update() != 0) {
    auto left = files.read("object");
    auto same = std::ranges::equal(std::as_bytes(std::span(left)), std::as_bytes(pair.first));
    fuzz::require(same, "a file that is refused stays");
    return 0;
  }
  auto updated = files.read("object");
  auto elf = read_elf(std::as_bytes(std::span(updated)));
  fuzz::require(elf && elf->find(".BTF"), "the result is an ELF file with BTF");
  fuzz::require(update() == 0 && files.read("object") == updated, "the result has no chance in it");
  return 0;
}
