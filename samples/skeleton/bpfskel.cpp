// bpfskel: links BPF objects in memory and writes a header with which a program
// in user space opens, loads and uses the result.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/linker.hpp"
#include "bpflink/object.hpp"
#include "emit.hpp"
#include "model.hpp"
#include "text.hpp"

namespace {

constexpr std::string_view USAGE =
    "Usage: bpfskel [--cpp] [--name NAME] FILE... > NAME.skel.h\n"
    "\n"
    "Links BPF objects and archives in memory and writes a skeleton of the result.\n"
    "\n"
    "  --cpp        Also write a class that owns the skeleton\n"
    "  --name NAME  The name of the skeleton; without it, that of the first FILE\n"
    "  -h, --help   Print this help and exit\n";

struct CommandLine {
  std::vector<std::string> files;
  std::string name;
  bool cpp = false;
  bool help = false;
};

/// "prog_bpf" of "dir/prog.bpf.o", as bpftool has it.
std::string name_of_file(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view suffix = ".o";
  if (name.size() > suffix.size() && name.ends_with(suffix))
    name.resize(name.size() - suffix.size());
  return identifier(name);
}

/// Nothing where the arguments make no sense.
std::optional<CommandLine> parse(const std::vector<std::string>& arguments) {
  CommandLine command;
  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string& argument = arguments[i];
    if (argument == "--cpp") {
      command.cpp = true;
    } else if (argument == "-h" || argument == "--help") {
      command.help = true;
    } else if (argument == "--name" && i + 1 < arguments.size()) {
      command.name = identifier(arguments[++i]);
    } else if (argument.starts_with('-')) {
      return std::nullopt;
    } else {
      command.files.push_back(argument);
    }
  }
  if (command.files.empty() && !command.help) return std::nullopt;
  if (command.name.empty() && !command.help) command.name = name_of_file(command.files[0]);
  return command;
}

void print(const bpflink::Diagnostic& diagnostic) {
  if (diagnostic.severity == bpflink::Severity::Note) return;
  bool is_error = diagnostic.severity == bpflink::Severity::Error;
  std::cerr << "bpfskel: " << (is_error ? "error: " : "warning: ") << diagnostic.message << '\n';
  for (const std::string& line : diagnostic.details) std::cerr << line << '\n';
}

int run(const CommandLine& command) {
  bpflink::Linker linker({}, print);
  for (const std::string& file : command.files) linker.add_file(file);
  auto image = linker.link_to_memory();
  if (!image) return 1;
  auto object = bpflink::Object::parse(*image);
  if (!object) {
    std::cerr << "bpfskel: error: " << object.error().message << '\n';
    return 1;
  }
  Skeleton skeleton = make_skeleton(*object, command.name, *image);
  std::cout << emit_c(skeleton);
  if (command.cpp) std::cout << emit_cpp(skeleton);
  return std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  auto command = parse({argv + 1, argv + argc});
  if (!command) {
    std::cerr << USAGE;
    return 1;
  }
  if (command->help) {
    std::cout << USAGE;
    return 0;
  }
  return run(*command);
}
