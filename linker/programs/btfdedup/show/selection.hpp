// Which types of the inputs to take: those that options name, and those that programs need.
#pragma once

#include <cstddef>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/for_linker.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/input_file.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

class Selection {
 public:
  /// `given` and what is added to `files` must outlive the selection. Errors name the option or
  /// file: a pattern is malformed; a file cannot be read, or is a malformed object.
  static std::expected<std::unique_ptr<Selection>, Error> read(const BtfdedupOptions::Choice& given,
                                                               std::vector<InputFile>& files);

  /// The chosen types of a blob, which is split from `base` or from nothing; valid as long as this.
  /// Both must outlive this. Errors: the blob is malformed; those of select_types().
  std::expected<std::span<const std::byte>, Error> select(std::span<const std::byte> blob,
                                                          const Btf* base);
  /// Call it after the last select(). Errors: a pattern matched nothing in any input.
  std::expected<void, Error> check() const;
  /// What the printer must know of all.
  PrintedChoice take_printed() { return std::move(printed_); }

 private:
  std::expected<void, Error> add_members(std::string_view text);
  std::expected<void, Error> add_program(const std::string& path, std::vector<InputFile>& files);
  std::expected<void, Error> add_object(std::unique_ptr<const ObjectFile> object);
  void add_source(std::string_view text);
  std::expected<void, Error> add_header(const std::string& name, std::vector<InputFile>& files);
  std::vector<std::string_view> scan_header(std::string_view text);

  TypeChoice choice_;
  PrintedChoice printed_;
  std::vector<std::unique_ptr<const ObjectFile>> objects_;
  std::deque<std::string> names_;  ///< of functions for targets
  std::unordered_set<std::string> headers_;
  std::optional<Btf> first_;  ///< of the first input
  std::deque<std::vector<std::byte>> blobs_;
};

}  // namespace bpflink
