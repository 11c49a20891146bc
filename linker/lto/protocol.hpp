// How the linker and LLVM work together. Begin here.
//
// `clang -flto` and rustc write bitcode: a program in LLVM's own form, before code is chosen. Only
// LLVM reads it, a library that may abort, so a program of its own loads it: bpflink-lto. A link
// with bitcode runs that twice:
//
// - read_inputs asks for an outline of each file: an object with its symbols and types
//   (outline.cpp). The passes resolve and compare these like any object's.
// - join_bitcode asks for one object in place of all. The files are joined without the definitions
//   that lost (join.cpp), optimized as one program (optimize.cpp), and compiled (session.cpp).
//
// backend.cpp is the linker's end of this, main.cpp the program's. A request and its answer are
// numbers (8 bytes) and texts (a number of bytes, and the bytes), in a file in memory each. What
// LLVM prints, and assembly may have it print, is in a third one.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/io/bytes.hpp"

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
  LinkOptions options = {};  ///< what both sides need is in fields_of()
  /// Whether to join and optimize the modules. Otherwise the answer has an object of each with its
  /// symbols and types alone.
  bool joins = false;
  std::vector<Module> modules = {};

  bool makes_object() const { return options.lto_emit == LinkOptions::Emit::Object; }
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
  Output,     ///< an object, or the assembly
  Joined,     ///< bitcode before optimization
  Optimized,  ///< bitcode after it
  Library,    ///< the identity of LLVM's library
  Release,    ///< its release, for messages
  Renamed,    ///< "NAME\nOLD NAME" of a static function or variable
};

struct Part {
  PartKind kind;
  uint64_t module = 0;  ///< the index of the module that this is about
  std::string_view bytes;

  bool is_message() const { return kind <= PartKind::Warning; }
};

template <typename T>
concept Number = std::integral<T> || std::is_enum_v<T>;
template <typename T>
concept Text = std::convertible_to<T, std::string_view>;
template <typename T>
concept Fields = std::same_as<T, Module> || std::same_as<T, Request> || std::same_as<T, Part>;

/// What both sides pass over, in this order.
template <typename T>
auto fields_of(T& s) {
  if constexpr (std::same_as<const T, const Part>) {
    return std::tie(s.kind, s.module, s.bytes);
  } else if constexpr (std::same_as<const T, const Module>) {
    return std::tie(s.name, s.bitcode, s.overridden, s.internal);
  } else {
    auto& o = s.options;
    return std::tie(o.lto_library, o.lto_first_library, o.lto_cpu, o.for_rustc, o.lto_features,
                    o.lto_switches, o.lto_checked_switches, o.lto_dump_directory, o.lto_level,
                    o.lto_timeout, o.lto_memory, o.lto_foreign, o.lto_internalize, o.keep_debug,
                    o.kernel_names, o.lto_emit, o.lto_save_temps, s.joins, s.modules);
  }
}

/// Appends a value to `bytes`.
template <typename T>
void encode(const T& value, std::string& bytes) {
  if constexpr (Fields<T>) {
    std::apply([&](const auto&... field) { (encode(field, bytes), ...); }, fields_of(value));
  } else if constexpr (Number<T>) {
    auto number = static_cast<uint64_t>(value);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  } else {
    encode(value.size(), bytes);
    if constexpr (Text<T>)
      bytes += value;
    else
      for (const auto& element : value) encode(element, bytes);
  }
}

/// Takes a value from the front of `bytes`. Returns whether it is there: an answer ends early if
/// its program crashed.
template <typename T>
bool decode(T& value, std::string_view& bytes) {
  if constexpr (Fields<T>) {
    return std::apply([&](auto&... field) { return (decode(field, bytes) && ...); },
                      fields_of(value));
  } else {
    uint64_t number;
    if (bytes.size() < sizeof number) return false;
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes.remove_prefix(sizeof number);
    if constexpr (Number<T>) {
      value = static_cast<T>(number);
      return true;
    } else {
      if constexpr (Text<T>) {
        if (number > bytes.size()) return false;
        value = bytes.substr(0, number);
        bytes.remove_prefix(number);
        return true;
      } else {
        if (number > bytes.size() / sizeof number) return false;
        value.resize(number);
        return std::ranges::all_of(value, [&](auto& element) { return decode(element, bytes); });
      }
    }
  }
}

}  // namespace bpflink::lto
