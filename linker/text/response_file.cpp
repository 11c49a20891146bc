#include "linker/text/response_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/paths.hpp"

namespace bpflink {
namespace {

constexpr int deepest_nesting = 16;

std::expected<std::vector<std::string>, Error> split_arguments(const std::string& text,
                                                               const std::string& path) {
  std::vector<std::string> arguments;
  std::optional<std::string> current;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && is_space) {
      if (current) arguments.push_back(std::move(*current));
      current.reset();
      continue;
    }
    if (!current) current.emplace();
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      *current += text[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      *current += c;
    }
  }
  if (quote != 0) return fail("{}: quote {} is not closed", path, quote);
  if (current) arguments.push_back(std::move(*current));
  return arguments;
}

std::expected<std::string, Error> read_response_file(const std::string& path) {
  auto fail_to_read = [&](const std::string& why) {
    return fail("{}: {} (as a response file)", path, why);
  };
  int fd = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd < 0) return fail_to_read(fmt::format("cannot open: {}", std::strerror(errno)));
  auto bytes = read_to_end(fd);
  ::close(fd);
  if (!bytes) return fail_to_read(bytes.error().message);
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::expected<void, Error> expand(std::vector<std::string>& out, std::vector<std::string> arguments,
                                  int depth) {
  for (std::string& argument : arguments) {
    std::string path = argument.starts_with('@') ? argument.substr(1) : "";
    auto found = find_file(path);
    if (!found) return fail("{}: {} (as a response file)", path, found.error().message);
    if (!*found) {  // as is ""
      out.push_back(std::move(argument));
      continue;
    }
    if (depth == deepest_nesting) return fail("{}: response files are nested too deeply", path);
    auto text = TRY(read_response_file(path));
    auto inner = TRY(split_arguments(text, path));
    TRY(expand(out, std::move(inner), depth + 1));
  }
  return {};
}

}  // namespace

std::expected<std::vector<std::string>, Error> expand_response_files(
    std::vector<std::string> arguments) {
  std::vector<std::string> out;
  TRY(expand(out, std::move(arguments), 0));
  return out;
}

}  // namespace bpflink
