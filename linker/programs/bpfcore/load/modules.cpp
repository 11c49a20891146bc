// The modules that a guest inserts.
#include <map>
#include <set>

#include "linker/error.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/programs/bpfcore/load/load.hpp"

namespace bpflink {
namespace {

/// The modules whose functions, tracepoints, structs and types the objects name.
std::vector<std::string> needed_modules(const Kernel& kernel,
                                        const std::vector<CoreObject>& objects) {
  std::set<std::string> needed;
  auto look_up = [&](BtfKind kind, std::string_view name) {
    auto found = name.empty() ? std::vector<KernelType>() : kernel.find_all(kind, name);
    if (!found.empty() && found.front().module != 0) needed.emplace(found.front().owner);
  };
  for (const CoreObject& object : objects) {
    for (const Extern& entry : object.object.externs())
      look_up(entry.is_function ? BtfKind::Func : BtfKind::Var, entry.name);
    for (const Program& program : object.object.programs()) {
      look_up(BtfKind::Func, program.meaning.target);
      look_up(BtfKind::Typedef, "btf_trace_" + std::string(program.meaning.target));
    }
    for (const StructOps& ops : object.object.struct_ops())
      look_up(BtfKind::Struct, "bpf_struct_ops_" + std::string(ops.type_name));
    for (const CoreRecord& record : object.records) {
      const BtfType type = object.object.btf()->type(record.relocation.type_id);
      look_up(type.kind(), object.object.btf()->name(type));
    }
  }
  return {needed.begin(), needed.end()};
}

}  // namespace

std::expected<OwnedBytes, Error> read_unpacked(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  auto image = unpack_kernel(OwnedBytes::of(std::move(*file)));
  if (!image) return fail_in(path, image.error());
  return image->contents;
}

std::vector<std::string> find_modules(const Kernel& kernel,
                                      const std::vector<CoreObject>& objects) {
  auto files = kernel.module_files;
  std::vector<std::string> ordered, waiting = needed_modules(kernel, objects);
  std::set<std::string> begun;
  while (!waiting.empty()) {
    auto found = files.find(waiting.back());
    if (found == files.end()) {  // built in, or already in the order
      waiting.pop_back();
    } else if (begun.insert(found->first).second) {
      std::ranges::copy_if(found->second.depends, std::back_inserter(waiting),
                           [&](const std::string& name) { return !begun.contains(name); });
    } else {  // all that it depends on are in the order
      ordered.push_back(std::move(found->second.path));
      files.erase(found);
    }
  }
  return ordered;
}

}  // namespace bpflink
