// The program bpflink-lto, which the linker runs where an input is LLVM bitcode. It loads LLVM,
// which the linker, as a static program and as a library in other programs, cannot; and where LLVM
// aborts, only this program ends. It reads a request from its standard input, and answers on its
// standard output; both are files. Users do not call it.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "dedup/messages.hpp"
#include "linker/lto/bitcode.hpp"
#include "linker/lto/compiler.hpp"

namespace bpflink::lto {
namespace {

std::string_view map_input() {
  struct stat info;
  if (::fstat(STDIN_FILENO, &info) != 0 || info.st_size == 0) return {};
  auto size = static_cast<size_t>(info.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
  return bytes == MAP_FAILED ? "" : std::string_view(static_cast<const char*>(bytes), size);
}

bool write_part(const Part& part) {
  Writer writer;
  writer.put(static_cast<uint64_t>(part.kind));
  writer.put(part.module);
  writer.put(part.bytes);
  const std::string& bytes = writer.bytes();
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
         std::fflush(stdout) == 0;
}

/// The version of the newest LLVM that made a module, 0 if none says, and the module's index.
std::pair<unsigned, size_t> newest_producer(const Request& request) {
  std::pair<unsigned, size_t> newest;
  for (size_t i = 0; i < request.modules.size(); ++i)
    if (auto producer = producer_of(std::as_bytes(std::span(request.modules[i].bitcode))))
      if (unsigned version = version_of_producer(*producer);
          version <= newest_possible && version > newest.first)
        newest = {version, i};
  return newest;
}

int run() {
  Request request = decode_request(map_input());
  bool is_complete = true;
  Answer answer = [&](const Part& part) { is_complete &= write_part(part); };
  auto [newest, module] = newest_producer(request);
  auto llvm = load_llvm(std::string(request.library), newest);
  if (llvm && llvm->version != 0 && llvm->version < newest)
    llvm = fail("{} is of LLVM {}, and LLVM {} made the bitcode", request.library, llvm->version,
                newest);
  if (!llvm)
    answer({PartKind::NoLibrary, module, llvm.error().message});
  else if (request.joins)
    compile_joined(*llvm, request, answer);
  else
    compile_each(*llvm, request, answer);
  // Without LLVM's destructors, which take longer than they are worth.
  ::_exit(is_complete ? 0 : 1);
}

}  // namespace
}  // namespace bpflink::lto

int main(int argc, char**) {
  if (argc > 1 || ::isatty(STDIN_FILENO) != 0) {
    std::fputs("bpflink-lto: compiles LLVM bitcode for bpflink, which runs it itself\n", stderr);
    return 2;
  }
  return bpflink::lto::run();
}
