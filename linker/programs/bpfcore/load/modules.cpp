// The modules that a guest inserts.
#include <algorithm>
#include <map>
#include <set>

#include "linker/error.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/kernel_modules.hpp"
#include "linker/object/linux_release.hpp"
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

/// The names behind "depends=" in a module's .modinfo, a list of strings that end with NUL.
std::vector<std::string> dependencies_of(const ElfFile& elf) {
  std::vector<std::string> names;
  auto section = elf.find(".modinfo");
  if (!section) return names;
  auto contents = elf.contents(elf.sections[*section]);
  std::string_view text(reinterpret_cast<const char*>(contents.data()), contents.size());
  constexpr std::string_view key = "depends=";
  while (!text.empty() && !text.starts_with(key))
    text.remove_prefix(std::min(text.size(), text.find('\0')) + (text.contains('\0') ? 1 : 0));
  text = text.substr(std::min(text.size(), key.size()));
  for (char c : text.substr(0, text.find('\0'))) {
    if (names.empty() || c == ',') names.emplace_back();
    if (c != ',') names.back() += c == '-' ? '_' : c;
  }
  return names;
}

}  // namespace

std::expected<OwnedBytes, Error> read_module_file(const std::string& path) {
  auto file = InputFile::open_regular(path);
  if (!file) return fail_in(path, file.error());
  auto image = unpack_kernel(OwnedBytes::of(std::move(*file)));
  if (!image) return fail_in(path, image.error());
  return image->contents;
}

std::expected<std::vector<std::string>, Error> find_modules(
    const std::string& directory, const Kernel& kernel, const std::vector<CoreObject>& objects) {
  auto files = list_files(directory, [&](const std::string& folder) {
    return !version_code(folder) || folder == kernel.identity.release;
  });
  if (!files) return std::unexpected(files.error());
  std::map<std::string, std::string> paths;
  for (const std::string& path : *files)
    if (auto name = module_name(path); name && path.contains(".ko")) paths.emplace(*name, path);
  std::vector<std::string> ordered, waiting = needed_modules(kernel, objects);
  std::set<std::string> begun;
  while (!waiting.empty()) {
    auto found = paths.find(waiting.back());
    if (found == paths.end()) {  // built in, or already in the order
      waiting.pop_back();
    } else if (begun.insert(found->first).second) {
      auto module = read_module_file(found->second);
      if (!module) return std::unexpected(module.error());
      auto elf = read_elf(module->bytes);
      if (!elf) return fail_in(found->second, elf.error());
      std::ranges::copy_if(dependencies_of(*elf), std::back_inserter(waiting),
                           [&](const std::string& name) { return !begun.contains(name); });
    } else {  // all that it depends on are in the order
      ordered.push_back(found->second);
      paths.erase(found);
    }
  }
  return ordered;
}

}  // namespace bpflink
