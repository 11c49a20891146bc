// Pass: opens, maps and checks the inputs. All of them are tried, so that one
// run reports every bad file.
#include <fmt/format.h>

#include "linker/context.hpp"

namespace bpflink {
namespace {

std::string_view name_of(std::endian order) {
  return order == std::endian::little ? "little-endian" : "big-endian";
}

std::expected<std::unique_ptr<ObjectFile>, Error> read_source(const InputSource& source) {
  if (source.image) return ObjectFile::read(source.name, *source.image);
  auto file = MappedFile::open(source.name);
  if (!file) return std::unexpected(file.error());
  auto object = ObjectFile::read(source.name, file->bytes());
  if (object) (*object)->file = std::move(*file);
  return object;
}

}  // namespace

void read_inputs(Context& context) {
  for (const InputSource& source : context.sources) {
    auto object = read_source(source);
    if (!object) {
      context.diagnostics.error(fmt::format("{}: {}", source.name, object.error().message));
      continue;
    }
    context.objects.push_back(std::move(*object));
  }
  if (context.diagnostics.failed()) return;
  if (context.objects.empty()) return context.diagnostics.error("no input files");

  const ObjectFile& first = *context.objects.front();
  context.byte_order = first.byte_order;
  for (const auto& object : context.objects)
    if (object->byte_order != first.byte_order)
      context.diagnostics.error(fmt::format("{}: is {}, but {} is {}", object->name,
                                            name_of(object->byte_order), first.name,
                                            name_of(first.byte_order)));
}

}  // namespace bpflink
