// What the linker asks of bpflink-lto, the program that compiles LLVM bitcode, and what that
// answers. Both are sequences of numbers (8 bytes) and of texts (a number of bytes, and the bytes),
// in a file in memory each. What LLVM prints, and assembly may have it print, is in a third one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/linker.hpp"

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

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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
  LinkOptions::Emit emit = LinkOptions::Emit::Object;  ///< what to make of the joined module
  bool shows_bitcode = false;  ///< whether to answer with the joined and the optimized bitcode
  std::vector<Module> modules = {};
};

/// A part of the answer.
enum class PartKind : uint64_t {
  Error,
  Warning,
  NoLibrary,  ///< an error: there is no LLVM that reads the bitcode
  Output,     ///< an object, or the assembly
  Joined,     ///< bitcode before optimization
  Optimized,  ///< bitcode after it
};

struct Part {
  PartKind kind;
  uint64_t module = 0;  ///< the index of the module that this is about
  std::string_view bytes;
};

class Writer {
 public:
  void put(uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(std::string_view text) {
    put(text.size());
    bytes_.append(text);
  }
  void put(const std::vector<std::string_view>& texts) {
    put(texts.size());
    for (std::string_view text : texts) put(text);
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
  std::vector<std::string_view> texts() {
    std::vector<std::string_view> values;
    for (uint64_t left = number().value_or(0); left > 0; --left)
      if (auto value = text())
        values.push_back(*value);
      else
        break;
    return values;
  }

 private:
  std::string_view rest_;
};

inline std::string encode(const Request& request) {
  Writer writer;
  writer.put(request.library);
  writer.put(request.first);
  writer.put(request.cpu);
  writer.put(request.yielding_cpu);
  writer.put(request.features);
  writer.put(request.switches);
  writer.put(request.level);
  writer.put(request.seconds);
  writer.put(request.mebibytes);
  writer.put(uint64_t{request.takes_foreign});
  writer.put(uint64_t{request.joins});
  writer.put(uint64_t{request.internalizes});
  writer.put(static_cast<uint64_t>(request.emit));
  writer.put(uint64_t{request.shows_bitcode});
  writer.put(request.modules.size());
  for (const Module& module : request.modules) {
    writer.put(module.name);
    writer.put(module.bitcode);
    writer.put(module.overridden);
    writer.put(module.internal);
  }
  return writer.bytes();
}

inline Request decode_request(std::string_view bytes) {
  Reader reader(bytes);
  Request request{.library = reader.text().value_or(""),
                  .first = reader.text().value_or(""),
                  .cpu = reader.text().value_or(""),
                  .yielding_cpu = reader.text().value_or(""),
                  .features = reader.text().value_or(""),
                  .switches = reader.texts(),
                  .level = reader.number().value_or(0),
                  .seconds = reader.number().value_or(0),
                  .mebibytes = reader.number().value_or(0),
                  .takes_foreign = reader.number() == 1,
                  .joins = reader.number() == 1,
                  .internalizes = reader.number() == 1,
                  .emit = static_cast<LinkOptions::Emit>(reader.number().value_or(0)),
                  .shows_bitcode = reader.number() == 1};
  for (uint64_t left = reader.number().value_or(0); left > 0; --left)
    request.modules.push_back({.name = reader.text().value_or(""),
                               .bitcode = reader.text().value_or(""),
                               .overridden = reader.texts(),
                               .internal = reader.texts()});
  return request;
}

inline std::optional<Part> decode_part(Reader& reader) {
  auto kind = reader.number(), module = reader.number();
  auto bytes = reader.text();
  if (!bytes) return std::nullopt;
  return Part{static_cast<PartKind>(*kind), *module, *bytes};
}

}  // namespace bpflink::lto
