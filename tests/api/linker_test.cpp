// bpflink::Linker: inputs and outputs of every form, and the fields of diagnostics
#include "bpflink/linker.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "fixtures.hpp"

using namespace bpflink;

namespace {

struct Recorder {
  std::vector<Diagnostic> diagnostics;
  Linker linker(LinkOptions options = {}) {
    return Linker(std::move(options), [this](const Diagnostic& diagnostic) {
      if (diagnostic.severity != Severity::Note) diagnostics.push_back(diagnostic);
    });
  }
};

Linker both(LinkOptions options = {}) {
  Linker linker(std::move(options), {});
  linker.add_file(fixture("counters.o"));
  linker.add_file(fixture("state.o"));
  return linker;
}

std::vector<std::byte> link_files() {
  auto image = both().link_to_memory();
  REQUIRE(image);
  return *image;
}

}  // namespace

TEST_CASE("the output does not depend on the form of inputs and output, or on verification") {
  auto expected = link_files();
  auto counters = read_file(fixture("counters.o"));
  for (bool verify : {false, true}) {
    TemporaryDirectory directory;
    Recorder recorder;
    Linker linker = recorder.linker({.verify = verify});
    linker.add_memory("counters", counters);
    int fd = open(fixture("state.o").c_str(), O_RDONLY);
    linker.add_fd(fd, "state");
    close(fd);  // the interface permits closing it at once

    CHECK(linker.link_to_memory() == expected);
    CHECK(linker.link_to_file(directory.file("out.o")));
    CHECK(read_file(directory.file("out.o")) == expected);
    fd = open(directory.file("fd.o").c_str(), O_RDWR | O_CREAT, 0666);
    CHECK(linker.link_to_fd(fd));
    close(fd);
    CHECK(read_file(directory.file("fd.o")) == expected);
    CHECK(linker.link_to_memory() == expected);  // again
    CHECK(recorder.diagnostics.empty());
  }
}

TEST_CASE("a seekable descriptor is overwritten completely") {
  auto expected = link_files();
  TemporaryDirectory directory;
  std::ofstream(directory.file("out.o")) << std::string(3 * expected.size(), 'x');
  Linker linker = both();
  int fd = open(directory.file("out.o").c_str(), O_RDWR);
  lseek(fd, 100, SEEK_SET);
  CHECK(linker.link_to_fd(fd));
  CHECK(fcntl(fd, F_GETFD) >= 0);  // still the caller's
  close(fd);
  CHECK(read_file(directory.file("out.o")) == expected);
}

TEST_CASE("an unwritable descriptor is an error") {
  Recorder recorder;
  Linker linker = recorder.linker();
  linker.add_file(fixture("counters.o"));
  linker.add_file(fixture("state.o"));
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  CHECK_FALSE(linker.link_to_fd(ends[0]));
  close(ends[0]);
  close(ends[1]);
  REQUIRE(recorder.diagnostics.size() == 1);
  CHECK(recorder.diagnostics[0].message ==
        "the output: cannot open output file: it is closed, or open only for reading");
  CHECK(recorder.diagnostics[0].code == DiagnosticCode::OutputFailure);
}

TEST_CASE("output to a pipe") {
  auto expected = link_files();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  CHECK(both().link_to_fd(ends[1]));
  close(ends[1]);
  std::vector<std::byte> got(expected.size() + 1);
  size_t size = 0;
  for (ssize_t step; (step = read(ends[0], got.data() + size, got.size() - size)) > 0;)
    size += step;
  close(ends[0]);
  got.resize(size);
  CHECK(got == expected);
}

TEST_CASE("a pipe is read to the end when it is added") {
  auto image = read_file(fixture("state.o"));
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread writer([&] {
    CHECK(write(ends[1], image.data(), image.size()) == static_cast<ssize_t>(image.size()));
    close(ends[1]);
  });
  Linker linker({}, {});
  linker.add_file(fixture("counters.o"));
  linker.add_fd(ends[0]);
  writer.join();
  close(ends[0]);
  CHECK(linker.link_to_memory() == link_files());
  CHECK(linker.link_to_memory() == link_files());  // again
}

TEST_CASE("an unreadable descriptor is reported") {
  Recorder recorder;
  Linker linker = recorder.linker();
  linker.add_fd(-1, "nowhere");
  CHECK_FALSE(linker.link_to_memory());
  REQUIRE(recorder.diagnostics.size() == 1);
  CHECK(recorder.diagnostics[0].code == DiagnosticCode::InvalidInput);
  CHECK(recorder.diagnostics[0].file == "nowhere");
}

TEST_CASE("an undefined symbol has its name and places in fields") {
  Recorder recorder;
  Linker linker = recorder.linker();
  linker.add_file(fixture("counters.o"));
  TemporaryDirectory directory;
  CHECK_FALSE(linker.link_to_file(directory.file("out.o")));
  CHECK_FALSE(std::filesystem::exists(directory.file("out.o")));
  REQUIRE(recorder.diagnostics.size() == 2);
  const Diagnostic* helper = nullptr;
  for (const Diagnostic& diagnostic : recorder.diagnostics) {
    CHECK(diagnostic.code == DiagnosticCode::UndefinedSymbol);
    if (diagnostic.symbol == "helper") helper = &diagnostic;
  }
  REQUIRE(helper);
  REQUIRE(helper->references.size() == 1);
  CHECK(helper->references[0].role == ReferenceRole::ReferencedBy);
  const DiagnosticLocation& location = helper->references[0].location;
  CHECK(location.object == fixture("counters.o"));
  CHECK(location.section == "xdp");
  CHECK(location.offset % 8 == 0);
  CHECK(location.source.ends_with("counters.bpf.c"));
  CHECK(location.line > 50);
  CHECK(location.column > 0);
}

TEST_CASE("render() makes the text of a diagnostic from its facts") {
  DiagnosticLocation place{.object = "a.o", .section = "xdp", .offset = 8};
  Diagnostic diagnostic{
      .severity = Severity::Warning,
      .message = "what\nand why",
      .references = {{ReferenceRole::ReferencedBy, place},
                     {.role = ReferenceRole::ReferencedBy, .more = 2},
                     {ReferenceRole::Definition, place, "struct s {\n\tint x;\n} y"},
                     {.role = ReferenceRole::Hint, .text = "try\033 again"}}};
  std::string details =
      ">>> referenced by a.o:(xdp+0x8)\n"
      ">>> referenced 2 more times\n"
      ">>> struct s {\n"
      ">>> \tint x;\n"
      ">>> } y\n"
      ">>>     defined in a.o:(xdp+0x8)\n"
      ">>> try? again\n";
  CHECK(render(diagnostic, {.program = "tool"}) == "tool: warning: what?and why\n" + details);

  DiagnosticLocation& first = diagnostic.references[0].location;
  first.source = "a.bpf.c";
  first.line = 3;
  first.column = 2;
  first.text = "\tgo();";
  details.replace(0, details.find('\n'),
                  ">>> referenced by a.bpf.c:3\n>>>               a.o:(xdp+0x8)");
  CHECK(render(diagnostic) ==
        "a.bpf.c:3:2: warning: what?and why\n    3 | \tgo();\n      | \t^\n" + details);
  diagnostic.severity = Severity::Note;
  diagnostic.references.clear();
  CHECK(render(diagnostic) == "bpflink: what?and why\n");
}

TEST_CASE("libraries are searched in the directories of the options") {
  auto expected = link_files();
  std::string directory = FIXTURES;
  Recorder recorder;
  Linker linker = recorder.linker({.library_paths = {"/nowhere", directory}});
  linker.add_library(":counters.o");
  linker.add_library(":state.o", true);
  CHECK(linker.link_to_memory() == expected);
  CHECK(recorder.diagnostics.empty());

  linker.add_library("absent");
  CHECK(!linker.link_to_memory());
  REQUIRE(recorder.diagnostics.size() == 1);
  CHECK(recorder.diagnostics[0].message ==
        "-labsent: no libabsent.a in the directories given with -L");

  Linker without = recorder.linker();
  without.add_library("absent");
  CHECK(!without.link_to_memory());
  REQUIRE(recorder.diagnostics.size() == 2);
  CHECK(recorder.diagnostics[1].message == "-labsent: no directory to look in is given with -L");
}
