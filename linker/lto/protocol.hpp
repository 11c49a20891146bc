// What the linker asks of bpflink-lto, the program that compiles LLVM bitcode, and what that
// answers. Both are sequences of numbers (8 bytes) and of texts (a number of bytes, and the bytes),
// in a file in memory each. What LLVM prints, and assembly may have it print, is in a third one.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/object/bytes.hpp"

namespace bpflink::lto {

/// Descriptors of bpflink-lto. Its standard input is the request; on its standard output and errors
/// is what LLVM prints.
constexpr int answer_descriptor = 3;
constexpr int life_descriptor = 4;  ///< a pipe, which ends when the linker does
constexpr int last_descriptor = life_descriptor;

/// A file of bitcode, with what symbol resolution found out about it.
struct Module {
  std::string_view name;  ///< for messages
  std::string_view bitcode;
  std::vector<std::string_view> overridden = {};  ///< symbols that another input defines
  std::vector<std::string_view> internal = {};    ///< that nothing outside of bitcode needs
};

/// What code generation may call, though no code says so.
inline constexpr std::string_view built_in_functions[] = {"memcpy", "memmove", "memset",
                                                          "memcmp", "bcmp",    "strlen"};

inline bool is_built_in(std::string_view name) {
  return std::ranges::find(built_in_functions, name) != std::end(built_in_functions);
}

struct Request {
  std::string_view library;            ///< the file of LLVM; "" for the newest that is installed
  std::string_view first = {};         ///< the file to try before the newest one
  std::string_view cpu;                ///< as for -mcpu; "" for what the modules say
  std::string_view yielding_cpu = {};  ///< one that counts if no module names another
  std::string_view features = {};      ///< as for -mattr, with a cpu
  std::vector<std::string_view> switches = {};  ///< as for -mllvm
  uint64_t level = 2;                           ///< 0 to 3, as for -O
  uint64_t seconds = 0;                         ///< of processor time; 0 for any
  uint64_t mebibytes = 0;                       ///< of memory; 0 for any
  bool takes_foreign = false;  ///< whether bitcode for another machine needs no warning
  /// Whether to join and optimize the modules. Otherwise the answer has an object of each with its
  /// symbols and types alone.
  bool joins = false;
  bool internalizes = false;  ///< whether also definitions of default visibility become internal
  bool keeps_dwarf = true;    ///< whether the joined module's object has DWARF
  bool renames = false;       ///< whether debug information gets names that kernels take
  LinkOptions::Emit emit = LinkOptions::Emit::Object;  ///< what to make of the joined module
  bool shows_bitcode = false;  ///< whether to answer with the joined and the optimized bitcode
  std::vector<Module> modules = {};
};

/// A file, and what changes with its contents: "PATH\nSIZE TIME"; "" if it is not there.
inline std::string identity_of(const std::string& file) {
  struct stat info;
  if (::stat(file.c_str(), &info) != 0) return {};
  return fmt::format("{}\n{} {}.{}", file, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// A part of the answer.
enum class PartKind : uint64_t {
  Error,
  Warning,
  NoLibrary,  ///< an error: there is no LLVM that reads the bitcode
  Output,     ///< an object, or the assembly
  Joined,     ///< bitcode before optimization
  Optimized,  ///< bitcode after it
  Library,    ///< the identity of LLVM's library
  Release,    ///< its release, for messages
};

struct Part {
  PartKind kind;
  uint64_t module = 0;  ///< the index of the module that this is about
  std::string_view bytes;
};

template <typename T>
concept Number = std::integral<T> || std::is_enum_v<T>;
template <typename T>
concept Fields = std::same_as<T, Module> || std::same_as<T, Request>;

/// What both sides of the protocol pass over, in this order.
template <typename M>
requires std::same_as<std::remove_const_t<M>, Module>
auto fields_of(M& m) {
  return std::tie(m.name, m.bitcode, m.overridden, m.internal);
}
template <typename R>
requires std::same_as<std::remove_const_t<R>, Request>
auto fields_of(R& r) {
  return std::tie(r.library, r.first, r.cpu, r.yielding_cpu, r.features, r.switches, r.level,
                  r.seconds, r.mebibytes, r.takes_foreign, r.joins, r.internalizes, r.keeps_dwarf,
                  r.renames, r.emit, r.shows_bitcode, r.modules);
}

class Writer {
 public:
  template <Number T>
  void put(T value) {
    auto number = static_cast<uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(std::string_view text) {
    put(text.size());
    bytes_.append(text);
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const T& element : list) put(element);
  }
  template <Fields T>
  void put(const T& fields) {
    std::apply([&](const auto&... field) { (put(field), ...); }, fields_of(fields));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what a Writer wrote; where that ends early, as when its program crashed, gives nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::optional<uint64_t> number() {
    uint64_t value;
    if (rest_.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::optional<std::string_view> text() {
    auto size = number();
    if (!size || *size > rest_.size()) return std::nullopt;
    std::string_view value = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return value;
  }
  template <Number T>
  void get(T& value) {
    value = static_cast<T>(number().value_or(0));
  }
  void get(std::string_view& value) { value = text().value_or(""); }
  template <typename T>
  void get(std::vector<T>& list) {
    list.resize(std::min<uint64_t>(number().value_or(0), rest_.size() / sizeof(uint64_t)));
    for (T& element : list) get(element);
  }
  template <Fields T>
  void get(T& fields) {
    std::apply([&](auto&... field) { (get(field), ...); }, fields_of(fields));
  }

 private:
  std::string_view rest_;
};

inline std::optional<Part> decode_part(Reader& reader) {
  auto kind = reader.number(), module = reader.number();
  auto bytes = reader.text();
  if (!bytes) return std::nullopt;
  return Part{static_cast<PartKind>(*kind), *module, *bytes};
}

}  // namespace bpflink::lto
