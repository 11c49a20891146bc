// libbpf's linker interface on top of ours: its functions, its structs by size, its errors by
// errno. Like libbpf, this reads an input when it is added, so that files may be deleted and
// buffers reused before the link.
#include "bpflink/bpf_linker.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/input_file.hpp"

using namespace bpflink;

namespace {

using Print = int (*)(int level, const char* format, va_list arguments);
constexpr int warn_level = 0;  // LIBBPF_WARN

}  // namespace

// Null in a program without libbpf.
extern "C" [[gnu::weak, gnu::visibility("default")]] Print libbpf_set_print(Print print);

namespace {

// In libbpf's functions the level is an enum of libbpf's, for which UndefinedBehaviorSanitizer
// looks.
#ifdef __clang__
#define BPFLINK_CALLS_LIBBPF __attribute__((no_sanitize("function")))
#else
#define BPFLINK_CALLS_LIBBPF
#endif

std::mutex print_mutex;
Print libbpf_print;

/// Prints what libbpf has to say while libbpf_print is being read.
BPFLINK_CALLS_LIBBPF int print_later(int level, const char* format, va_list arguments) {
  print_mutex.lock();
  Print print = libbpf_print;
  print_mutex.unlock();
  return print ? print(level, format, arguments) : 0;
}

/// What the program gave to libbpf_set_print(), else libbpf's own function. libbpf returns it only
/// to a caller that sets another one.
Print get_libbpf_print() {
  std::lock_guard lock(print_mutex);
  libbpf_print = libbpf_set_print(print_later);
  libbpf_set_print(libbpf_print);
  return libbpf_print;
}

BPFLINK_CALLS_LIBBPF __attribute__((format(printf, 2, 3))) void print_with(Print print,
                                                                           const char* format,
                                                                           ...) {
  va_list arguments;
  va_start(arguments, format);
  if (print) print(warn_level, format, arguments);
  va_end(arguments);
}

/// Prints a line as libbpf prints.
void print_like_libbpf(void*, const char* line) {
  if (libbpf_set_print)
    print_with(get_libbpf_print(), "%s\n", line);
  else
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
  bpflink_libbpf_message_fn on_message = print_like_libbpf;
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

/// An error if the caller's struct, of any size, sets an option. Its size is the only known field.
std::expected<void, Error> check_options(const void* options) {
  constexpr size_t known = sizeof(size_t);
  size_t size = known;
  if (options) std::memcpy(&size, options, known);
  if (size < known) return bpflink::fail("the size is {}, less than {}", size, known);
  const auto* bytes = static_cast<const unsigned char*>(options);
  for (size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return bpflink::fail("byte {} is set, which is of a newer version: this one knows {}", i,
                           known);
  return {};
}

bool are_valid_options(const bpf_linker& linker, const std::string& name, const void* options) {
  auto valid = check_options(options);
  if (!valid) report(linker, {.message = name + ": " + valid.error().message});
  return valid.has_value();
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

/// Makes a linker in `made`.
int make_linker(bpf_linker*& made, const char* path, int fd, const bpf_linker_opts* options) {
  auto linker = std::make_unique<bpf_linker>();
  linker->path = path;
  linker->fd = fd;
  if (!are_valid_options(*linker, "bpf_linker_opts", options)) return fail(EINVAL);
  if (int code = fd < 0 ? check_target(path) : 0; code != 0) {
    report(*linker, path, std::strerror(code));
    return fail(code);
  }
  made = linker.release();
  return 0;
}

bool can_add(const bpf_linker* linker, const bpf_linker_file_opts* options) {
  return linker && are_valid_options(*linker, "bpf_linker_file_opts", options) &&
         !linker->finalized;
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
  guarded([&] { return filename ? make_linker(linker, filename, -1, opts) : fail(EINVAL); });
  return linker;
}

bpf_linker* bpf_linker__new_fd(int fd, bpf_linker_opts* opts) {
  bpf_linker* linker = nullptr;
  guarded([&] { return fd >= 0 ? make_linker(linker, "", fd, opts) : fail(EINVAL); });
  return linker;
}

int bpf_linker__add_file(bpf_linker* linker, const char* filename,
                         const bpf_linker_file_opts* opts) {
  return guarded([&] {
    if (!can_add(linker, opts)) return fail(EINVAL);
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
    if (fd < 0 || !can_add(linker, opts)) return fail(EINVAL);
    return add_open_file(*linker, "/proc/self/fd/" + std::to_string(fd), fd);
  });
}

int bpf_linker__add_buf(bpf_linker* linker, void* buf, size_t buf_sz,
                        const bpf_linker_file_opts* opts) {
  return guarded([&] {
    if (!buf || !can_add(linker, opts)) return fail(EINVAL);
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
