// Shared by the interface tests: the objects that CMake compiled for them, files, linkers
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bpflink/bpflink.h"

inline std::string fixture(const std::string& name) {
  return std::string(FIXTURES) + '/' + name;
}

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(chars.size());
  for (size_t i = 0; i < chars.size(); i++) bytes[i] = static_cast<std::byte>(chars[i]);
  return bytes;
}

/// Takes a text that the library gives to its caller.
inline std::string take(char* text) {
  std::string copy = text ? text : "(null)";
  bpflink_free(text);
  return copy;
}

/// The items of an array for C.
template <typename Item>
std::vector<Item> items(const bpflink_array& array) {
  CHECK(array.stride == sizeof(Item));
  const auto* first = static_cast<const Item*>(array.items);
  return {first, first + array.count};
}

/// The item of that name, which is there.
template <typename Item>
Item named(const bpflink_array& array, const std::string& name) {
  for (const Item& item : items<Item>(array))
    if (name == item.name) return item;
  FAIL("there is no ", name);
  return {};
}

using Options = std::vector<std::string>;

/// A linker with options, or null and why they are refused.
inline bpflink_linker* make_linker(const Options& options, std::string& refusal,
                                   bpflink_diagnostic_fn on_diagnostic = nullptr,
                                   void* context = nullptr) {
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  bpflink_linker* linker = nullptr;
  char* error = nullptr;
  bpflink_status status =
      bpflink_linker_new(texts.data(), texts.size(), on_diagnostic, context, &linker, &error);
  CHECK((status == BPFLINK_OK) == (linker != nullptr));
  CHECK((status == BPFLINK_ERROR_ARGUMENT) == (error != nullptr));
  refusal = take(error);
  return linker;
}

/// A linker with options that are right.
inline bpflink_linker* linker_with(const Options& options,
                                   bpflink_diagnostic_fn on_diagnostic = nullptr,
                                   void* context = nullptr) {
  std::string refusal;
  bpflink_linker* linker = make_linker(options, refusal, on_diagnostic, context);
  CAPTURE(refusal);
  REQUIRE(linker != nullptr);
  return linker;
}

/// A directory that the destructor removes.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bpflink-api-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};
