// The program bpfcore: which kernels a BPF program fits.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dedup/internal.hpp"
#include "linker/core/core_records.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/program.hpp"

namespace {
using namespace bpflink;
int run(const std::vector<std::string>& arguments) {
  auto program = InputFile::open(arguments[0]);
  auto kernel = InputFile::open(arguments[1]);
  auto object = ObjectFile::read(arguments[0], program->bytes());
  if (!object) { print_error("bpfcore", object.error().message); return 1; }
  std::span<const std::byte> blob = kernel->bytes();
  auto elf = read_elf(blob);
  if (elf) blob = elf->contents(elf->sections[*elf->find(".BTF")]);
  auto btf = Btf::parse(blob);
  if (!btf) { print_error("bpfcore", btf.error().message); return 1; }
  CoreKernel types(*btf);
  if (!(*object)->btf) return 3;
  CoreResolver resolver(*(*object)->btf, (*object)->byte_order, types);
  CoreMinimizer minimizer(types);
  auto records = read_core_records(**object);
  for (auto& record : records) {
    auto result = resolver.resolve(record.relocation);
    minimizer.keep(record.relocation, resolver);
    bind_instruction(**object, record, result);
    auto outcome = result.outcome;
    std::string line = fmt::format("{} {} {} {}", (*object)->sections[record.section].name, record.index, core_kind_name(record.relocation.kind), outcome == CoreOutcome::Value ? "value" : outcome == CoreOutcome::Absent ? "absent" : "failed");
    if (outcome == CoreOutcome::Value) line += fmt::format(" {}", result.value);
    print_text(line + "\n");
    if (outcome == CoreOutcome::Failed) break;
  }
  if (arguments.size() > 2) { auto blob2 = minimizer.finish(std::endian::little); FILE* f = fopen(arguments[2].c_str(), "w"); fwrite(blob2->data(), 1, blob2->size(), f); fclose(f); }
  return records.empty() ? 3 : 0;
}
}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfcore", argc, argv, run);
}
