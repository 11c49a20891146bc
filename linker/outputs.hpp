// The files that one run of a program writes: its object after all others, or not at all.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "linker/files/object_file.hpp"
#include "linker/io/output_file.hpp"

namespace bpflink {

/// What is wrong with an output.
struct OutputProblem {
  std::string file;  ///< as the user named it
  std::string message;
  /// Whether the output only looks like a mistake.
  bool is_suspicion = false;
};

/// Use: open() all outputs before the work, so that an unwritable one fails first; check() when the
/// inputs are known; write(); commit().
class Outputs {
 public:
  struct Output {
    std::string option;  ///< for messages, such as "-o"
    std::string name;    ///< as the user named it, for messages
    bool is_object;      ///< whether it may replace objects and archives
    OutputFile file;
  };

  /// `advice` helps a user who names an input as the object to write.
  explicit Outputs(std::string advice = "name another file") : advice_(std::move(advice)) {}

  /// Opens the output that `option` names. The result stays where it is. Errors: those of
  /// OutputFile::open(), behind the name.
  std::expected<Output*, OutputProblem> open(std::string option, const std::string& path,
                                             bool is_object = false);
  /// The same for a file that is open, or could not be opened.
  std::expected<Output*, OutputProblem> add(std::string option, std::string name, bool is_object,
                                            std::expected<OutputFile, Error> file);

  /// Finds outputs that are an input or an earlier output, by whatever name, and outputs that would
  /// replace what somebody else needs: a typing error turns `main.o -o` into `-o main.o`, or omits
  /// the file of --Map, so that `--Map main.o` follows; a shell expands `-o *.o` to `-o a.o b.o`.
  /// `is_related` tells whether an object was compiled from a source file of the inputs.
  std::vector<OutputProblem> check(
      std::span<const NamedFile> inputs,
      const std::function<bool(const ObjectFile&)>& is_related = {}) const;

  /// The first output of the option, or null.
  Output* find(std::string_view option);

  /// The error as a problem of the file.
  static OutputProblem problem_of(const std::string& file, const Error& error);

  /// Appends to an output. Errors: those of write_all(), behind the name.
  static std::expected<void, OutputProblem> write(const Output& output,
                                                  std::span<const std::byte> bytes);

  /// Puts all outputs in their places, the first one last: if that is new, all are. No signal comes
  /// between them. Errors: one cannot be written; what comes after it stays as it was.
  std::expected<void, OutputProblem> commit();

  /// Removes temporary files that were not renamed.
  void clear() { outputs_.clear(); }

 private:
  std::string advice_;
  std::deque<Output> outputs_;
};

}  // namespace bpflink
