// libbpf's linker interface on top of ours: its functions, its structs by size, its errors by
// errno. Like libbpf, this reads an input when it is added, so that files may be deleted and
// buffers reused before the link.
#include "bpflink/bpf_linker.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/elf/object_file.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/retry.hpp"

using namespace bpflink;

namespace {

void print_to_stderr(void*, const char* line) {
  std::fprintf(stderr, "%s\n", line);
}

}  // namespace

struct bpf_linker {
  std::string path;  ///< of the output; "" if it goes to `fd`
  int fd = -1;
  struct Input {
    std::string name;
    std::vector<std::byte> image;
  };
  std::deque<Input> inputs;
  /// The strong definitions of all inputs, with the name of the input.
  std::unordered_map<std::string, std::string> definitions;
  std::optional<std::endian> byte_order;
  bool finalized = false;
  bpflink_libbpf_message_fn on_message = print_to_stderr;
  void* message_context = nullptr;
};

namespace {

/// Fails like libbpf: returns the code and sets errno.
int fail(int code) {
  errno = code;
  return -code;
}

/// Passes a diagnostic to the caller, line by line.
void report(const bpf_linker& linker, const Diagnostic& diagnostic) {
  if (!linker.on_message) return;
  std::istringstream text(render(diagnostic));
  for (std::string line; std::getline(text, line);)
    linker.on_message(linker.message_context, line.c_str());
}

void report(const bpf_linker& linker, const std::string& name, const std::string& what) {
  report(linker, {.message = name + ": " + what, .file = name});
}

/// Whether the caller's struct, of any size, sets no unknown option. Its size is the only known
/// field.
bool are_valid_options(const void* options) {
  if (!options) return true;
  size_t size = *static_cast<const size_t*>(options);
  if (size < sizeof size) return false;
  const auto* bytes = static_cast<const unsigned char*>(options);
  return std::all_of(bytes + sizeof size, bytes + size,
                     [](unsigned char byte) { return byte == 0; });
}

/// Returns why a file at `path` cannot be written, as an errno; 0 if it can.
int check_target(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return EISDIR;
    return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  if (errno != ENOENT || path.empty()) return errno;
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::access(directory.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

template <typename Call>
int guarded(Call call) noexcept {
  try {
    return call();
  } catch (const std::exception&) {
    return fail(ENOMEM);
  }
}

bpf_linker* make_linker(std::string path, int fd) {
  auto* linker = new bpf_linker;
  linker->path = std::move(path);
  linker->fd = fd;
  return linker;
}

/// Reports a strong definition of a name that an earlier input defines.
bool has_duplicates(bpf_linker& linker, const ObjectFile& object) {
  bool found = false;
  for (const InputSymbol& symbol : object.symbols) {
    if (symbol.binding != STB_GLOBAL || !symbol.is_in_section()) continue;
    if (facts_of(object.sections[symbol.section].role).is_kept_once) continue;
    auto [entry, is_new] = linker.definitions.try_emplace(std::string(symbol.name), object.name);
    if (is_new) continue;
    report(linker, {.message = "duplicate symbol: " + entry->first,
                    .symbol = entry->first,
                    .references = {{ReferenceRole::DefinedAt, {.object = entry->second}},
                                   {ReferenceRole::DefinedAt, {.object = object.name}}}});
    found = true;
  }
  return found;
}

/// Reports externs without a type, which tells variables from functions.
bool has_untyped_externs(const bpf_linker& linker, const ObjectFile& object) {
  std::vector<bool> is_declared(object.symbols.size());
  for (const BtfDeclaration& declaration : object.declarations)
    is_declared[declaration.symbol_index] = true;
  bool found = false;
  for (size_t i = 1; i < object.symbols.size(); ++i) {
    const InputSymbol& symbol = object.symbols[i];
    if (symbol.is_local() || symbol.is_defined() || is_declared[i]) continue;
    report(linker, object.name, "extern without a type in BTF: " + std::string(symbol.name));
    found = true;
  }
  return found;
}

/// Whether it is a readable ELF64 header of another machine or file type.
bool is_other_elf(std::span<const std::byte> image) {
  if (!is_elf(image) || image.size() < sizeof(Elf64_Ehdr)) return false;
  auto data = std::to_integer<int>(image[EI_DATA]);
  return image[EI_CLASS] == std::byte{ELFCLASS64} && image[EI_VERSION] == std::byte{EV_CURRENT} &&
         (data == ELFDATA2LSB || data == ELFDATA2MSB) && !describe_foreign_file(image).empty();
}

int add_image(bpf_linker& linker, std::string name, std::span<const std::byte> bytes) {
  bpf_linker::Input input{std::move(name), {bytes.begin(), bytes.end()}};
  auto object = ObjectFile::read(input.name, input.image);
  if (!object) {
    report(linker, input.name, object.error().message);
    return fail(is_other_elf(input.image) ? EOPNOTSUPP : EINVAL);
  }
  if (linker.byte_order.value_or((*object)->byte_order) != (*object)->byte_order) {
    report(linker, input.name, "has another byte order than earlier inputs");
    return fail(EOPNOTSUPP);
  }
  if (has_untyped_externs(linker, **object)) return fail((*object)->btf ? ENOENT : EINVAL);
  if (has_duplicates(linker, **object)) return fail(EINVAL);
  linker.byte_order = (*object)->byte_order;
  linker.inputs.push_back(std::move(input));
  return 0;
}

int add_open_file(bpf_linker& linker, std::string name, int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return fail(errno);
  if (S_ISDIR(info.st_mode)) return fail(EISDIR);
  auto file = InputFile::open(fd, name);
  if (!file) {
    report(linker, name, file.error().message);
    return fail(EINVAL);
  }
  return add_image(linker, std::move(name), file->bytes());
}

int finalize(bpf_linker& linker) {
  linker.finalized = true;
  int code = EINVAL;
  auto on_diagnostic = [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Note) return;
    if (diagnostic.code == DiagnosticCode::OutputFailure) code = EIO;
    report(linker, diagnostic);
  };
  LinkOptions options;
  options.partial = true;
  Linker our_linker(options, on_diagnostic);
  for (const bpf_linker::Input& input : linker.inputs)
    our_linker.add_memory(input.name, input.image);
  bool linked =
      linker.fd >= 0 ? our_linker.link_to_fd(linker.fd) : our_linker.link_to_file(linker.path);
  return linked ? 0 : fail(code);
}

}  // namespace

extern "C" {

bpf_linker* bpf_linker__new(const char* filename, bpf_linker_opts* opts) {
  bpf_linker* linker = nullptr;
  guarded([&] {
    if (!filename || !are_valid_options(opts)) return fail(EINVAL);
    if (int code = check_target(filename); code != 0) return fail(code);
    linker = make_linker(filename, -1);
    return 0;
  });
  return linker;
}

bpf_linker* bpf_linker__new_fd(int fd, bpf_linker_opts* opts) {
  bpf_linker* linker = nullptr;
  guarded([&] {
    if (fd < 0 || !are_valid_options(opts)) return fail(EINVAL);
    linker = make_linker("", fd);
    return 0;
  });
  return linker;
}

int bpf_linker__add_file(bpf_linker* linker, const char* filename,
                         const bpf_linker_file_opts* opts) {
  return guarded([&] {
    if (!linker || !are_valid_options(opts) || linker->finalized) return fail(EINVAL);
    if (!filename) return fail(EFAULT);
    int fd = retry([&] { return ::open(filename, O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    if (fd < 0) {
      int code = errno;
      report(*linker, filename, std::strerror(code));
      return fail(code);
    }
    int result = add_open_file(*linker, filename, fd);
    int code = errno;
    ::close(fd);
    errno = code;
    return result;
  });
}

int bpf_linker__add_fd(bpf_linker* linker, int fd, const bpf_linker_file_opts* opts) {
  return guarded([&] {
    if (!linker || fd < 0 || !are_valid_options(opts) || linker->finalized) return fail(EINVAL);
    return add_open_file(*linker, "/proc/self/fd/" + std::to_string(fd), fd);
  });
}

int bpf_linker__add_buf(bpf_linker* linker, void* buf, size_t buf_sz,
                        const bpf_linker_file_opts* opts) {
  return guarded([&] {
    if (!linker || !buf || !are_valid_options(opts) || linker->finalized) return fail(EINVAL);
    std::string name = "buffer " + std::to_string(linker->inputs.size() + 1);
    return add_image(*linker, std::move(name), {static_cast<const std::byte*>(buf), buf_sz});
  });
}

int bpf_linker__finalize(bpf_linker* linker) {
  return guarded([&] {
    if (!linker || linker->finalized) return fail(EINVAL);
    return finalize(*linker);
  });
}

void bpf_linker__free(bpf_linker* linker) {
  delete linker;
}

void bpflink_libbpf_set_messages(bpf_linker* linker, bpflink_libbpf_message_fn on_message,
                                 void* context) {
  if (!linker) return;
  linker->on_message = on_message;
  linker->message_context = context;
}

}  // extern "C"
