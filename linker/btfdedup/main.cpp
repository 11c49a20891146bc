// The program btfdedup: reads BTF from files of several kinds, merges equal types, and writes or
// shows the result.
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/check.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/distill.hpp"
#include "bpflink/explain.hpp"
#include "bpflink/print.hpp"
#include "dedup/format/reader.hpp"
#include "linker/btfdedup/bases.hpp"
#include "linker/btfdedup/btf_ids.hpp"
#include "linker/btfdedup/check.hpp"
#include "linker/btfdedup/convert.hpp"
#include "linker/btfdedup/image_btf.hpp"
#include "linker/btfdedup/inputs.hpp"
#include "linker/btfdedup/options.hpp"
#include "linker/btfdedup/statistics.hpp"
#include "linker/btfdedup/update.hpp"
#include "linker/command_line/program.hpp"
#include "linker/diagnostics/kernel_faults.hpp"
#include "linker/elf/archive.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/elf/origin.hpp"
#include "linker/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/interruption.hpp"
#include "linker/io/write_all.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/outputs.hpp"
#include "linker/report/reports.hpp"
#include "linker/report/type_nodes.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat x, y;
  if (a == b) return true;
  return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

class Program {
 public:
  explicit Program(const BtfdedupOptions& options)
      : options_(options),
        updates_own_types_(!options.update.empty() && options.inputs.size() == 1 &&
                           is_same_file(options.inputs[0], options.update)) {}

  std::expected<void, Error> run() {
    // An unwritable output fails before any work.
    if (auto ok = open_output(); !ok) return ok;
    if (auto ok = read_bases(); !ok) return ok;
    if (auto ok = read_image_btf(); !ok) return ok;
    if (auto ok = read_inputs(); !ok) return ok;
    if (auto ok = check_output(); !ok) return ok;
    if (auto ok = deduplicate(); !ok) return ok;
    // commit() renames the outputs when nothing else can fail.
    if (auto ok = write_output(); !ok) return ok;
    if (auto ok = verify(); !ok) return ok;
    if (auto ok = write_size_map(); !ok) return ok;
    if (auto ok = report(); !ok) return ok;
    return commit();
  }

 private:
  std::expected<void, Error> open_output();
  std::expected<void, Error> read_bases();
  std::expected<void, Error> read_image_btf();
  std::expected<void, Error> read_inputs();
  std::expected<void, Error> check_output() const;
  std::expected<void, Error> begin(const BtfSource& first);
  std::expected<void, Error> add(BtfSource source);
  bool is_relocatable(const BtfSource& source) const;
  std::expected<void, Error> relocate(BtfSource& source);
  std::expected<void, Error> add(const BtfSource& source, const std::string& name,
                                 std::span<const std::byte> blob);
  bool is_extraction() const;
  void extract();
  std::expected<void, Error> deduplicate();
  void count_bases();
  std::expected<void, Error> distill_output();
  std::expected<void, Error> open_update();
  std::expected<void, Error> run_deduplicator();
  std::expected<void, Error> run_image_btf();
  std::expected<void, Error> finish_update();
  std::expected<void, Error> check_update() const;
  std::expected<void, Error> write_output();
  std::expected<void, Error> write_contents(int fd);
  std::expected<void, Error> verify() const;
  std::expected<void, Error> write_size_map();
  OutputModel describe_output(const Btf& btf);
  std::expected<void, Error> report();
  std::expected<void, Error> commit();
  /// An error about the output, whether it goes to a file or is only shown.
  std::unexpected<Error> fail_output(const Error& error) const {
    return fail("{}: {}", output_name(), error.message);
  }
  std::string output_name() const {
    const std::string& path = options_.update.empty() ? options_.output : options_.update;
    return path.empty() ? "the output" : path;
  }

  const Btf* base() const { return last_of(bases_); }
  /// The base of the output, or null.
  const Btf* output_base() const {
    if (distilled_) return distilled_->base.get();
    return options_.flatten ? nullptr : base();
  }
  bool is_described() const {
    return size_map_ || options_.print_sizes != 0 || !options_.explain.empty();
  }
  bool has_begun() const { return deduplicator_ || image_deduplicator_; }
  bool sorts() const;

  const BtfdedupOptions& options_;
  const bool updates_own_types_;  ///< computed once: the files may change
  Outputs outputs_{"name another file, or use --update"};
  Outputs::Output *output_ = nullptr, *size_map_ = nullptr;  ///< of these, or null
  std::vector<InputFile> files_;  ///< all opened files, mapped until the end
  Bases bases_;
  std::optional<ModuleRelocator> relocator_;
  std::span<const std::byte> base_of_inputs_;  ///< their common section .BTF.base, or empty
  std::vector<UpdatedBlob> updated_;  ///< the blobs of the input, if that is the updated file
  std::optional<ImageSymbols> image_symbols_;
  std::optional<Deduplicator> deduplicator_;  ///< either this one or image_deduplicator_
  std::optional<ImageDeduplicator> image_deduplicator_;
  std::span<const std::byte> kernel_;  ///< the first blob, if it is a linked kernel's; else empty
  std::vector<std::string> names_;
  std::vector<std::pair<Btf, uint64_t>>
      inputs_;  ///< the inputs with their sizes, if the output is described
  std::optional<std::endian> order_;
  std::optional<ElfFile> like_;  ///< the first ELF input, without its sections

  std::optional<DedupResult> result_;
  std::optional<DistilledBtf> distilled_;  ///< without its types, which are in result_
  std::vector<std::byte> blob_;
  InputFile update_file_;
  std::optional<ElfFile> update_elf_;
  std::vector<Patch> patches_;
  Statistics statistics_;
};

std::expected<void, Error> Program::open_output() {
  bool is_update = !options_.update.empty();
  for (auto [option, path, output, is_object] :
       {std::tuple{is_update ? "--update" : "-o", is_update ? &options_.update : &options_.output,
                   &output_, true},
        {"--size-map", &options_.size_map, &size_map_, false}}) {
    if (path->empty()) continue;
    auto opened = outputs_.open(option, *path, is_object);
    if (!opened) return fail(opened.error().message);
    *output = *opened;
  }
  return {};
}

std::expected<void, Error> Program::read_bases() {
  for (const std::string& path : options_.bases)
    if (auto ok = read_base(bases_, path, options_.flatten, files_); !ok) return ok;
  return {};
}

/// Reads the functions and variables of the linked program.
std::expected<void, Error> Program::read_image_btf() {
  if (options_.linked.empty()) return {};
  auto elf = open_elf(options_.linked, files_);
  if (!elf) return std::unexpected(elf.error());
  auto symbols = read_image_symbols(*elf);
  if (!symbols) return fail("{}: {}", options_.linked, symbols.error().message);
  image_symbols_ = std::move(*symbols);
  return {};
}

/// Some of several files may have no BTF, such as the output of an assembler.
std::expected<void, Error> Program::read_inputs() {
  auto inputs = list_inputs(options_.inputs, !options_.bases.empty());
  if (!inputs) return std::unexpected(inputs.error());
  std::vector<std::string> lacks;
  std::string last_lack;
  for (const InputPath& input : *inputs) {
    auto sources = open_sources(input.path, files_);
    if (!sources) return std::unexpected(sources.error());
    if (sources->list.empty()) last_lack = sources->lack;
    if (sources->list.empty() && !input.is_listed) lacks.push_back(last_lack);
    for (BtfSource& source : sources->list)
      if (auto ok = add(std::move(source)); !ok) return ok;
  }
  if (!has_begun())
    return fail("{}: compile with -g, with gcc -gbtf", lacks.empty() ? last_lack : lacks.front());
  for (const std::string& lack : lacks) print_note("btfdedup", lack);
  return {};
}

/// Creates the deduplicator. A module's section .BTF.base replaces the kernel's BTF as its base.
std::expected<void, Error> Program::begin(const BtfSource& first) {
  if (!first.base.empty()) {
    if (options_.distill)
      return fail("{}: has a section .BTF.base: it is already distilled", first.name);
    if (image_symbols_)
      return fail("{}: has a section .BTF.base, and --linked does not accept split BTF",
                  first.name);
    if (base())
      return fail("{}: is split from its section .BTF.base, not from the base given", first.name);
    if (auto ok = add_base(bases_, first.name + ": .BTF.base", first.base); !ok) return ok;
  }
  base_of_inputs_ = first.base;
  DedupOptions options{.threads = options_.threads,
                       .base = base(),
                       .borrow_inputs = true,
                       .sort = sorts(),
                       .flatten = options_.flatten};
  if (image_symbols_)
    image_deduplicator_.emplace(options);
  else
    deduplicator_.emplace(options);
  return {};
}

/// Whether to sort the types: a sorted file stays sorted. A file's own types stay sorted in order
/// of first occurrence, because equal types have one name.
bool Program::sorts() const {
  if (options_.sort) return true;
  if (options_.update.empty() || updates_own_types_) return false;
  auto file = InputFile::open(options_.update);
  if (!file || !is_elf(file->bytes())) return false;
  auto elf = read_elf(file->bytes());
  if (!elf || !elf->find(".BTF")) return false;
  auto btf = Btf::parse(elf->contents(elf->sections[*elf->find(".BTF")]), base());
  return btf && is_sorted_by_name(*btf);
}

/// Whether a source can be moved from its section .BTF.base to the base given. An updated file
/// keeps that section.
bool Program::is_relocatable(const BtfSource& source) const {
  return !source.base.empty() && options_.bases.size() == 1 && bases_.size() == 1 &&
         options_.update.empty() && !options_.distill && !image_symbols_;
}

std::expected<void, Error> Program::relocate(BtfSource& source) {
  if (!relocator_) relocator_.emplace(*base());
  auto blob = relocator_->relocate(source);
  if (!blob) return std::unexpected(blob.error());
  OwnedBytes bytes = OwnedBytes::of(std::move(*blob));
  source.contents = bytes.bytes;
  source.base = {};
  files_.push_back(InputFile::unpacked(std::move(bytes.owner), source.name, bytes.bytes, {}));
  return {};
}

std::expected<void, Error> Program::add(BtfSource source) {
  if (is_relocatable(source))
    if (auto ok = relocate(source); !ok) return ok;
  if (!has_begun())
    if (auto ok = begin(source); !ok) return ok;
  if (!std::ranges::equal(source.base, base_of_inputs_))
    return fail("{}: is split from another base than {}", source.name, names_.front());
  auto blobs = find_btf_blobs(source.contents);
  if (!blobs) return fail("{}: {}", source.name, blobs.error().message);
  for (std::span<const std::byte> blob : *blobs) {
    std::string name = source.name;
    if (blob.data() != source.contents.data())
      name += fmt::format("(+{:#x})", blob.data() - source.contents.data());
    if (auto ok = add(source, name, blob); !ok) return ok;
  }
  return {};
}

/// Reports an output that is also an input, under whatever name, except by --update.
std::expected<void, Error> Program::check_output() const {
  std::vector<NamedFile> inputs;
  for (const InputFile& file : files_)
    if (file.identity() && (options_.update.empty() || file.identity() != output_->file.identity()))
      inputs.push_back({file.name(), *file.identity()});
  auto is_related = [&](const ObjectFile& replaced) {
    return !options_.update.empty() || std::ranges::any_of(files_, [&](const InputFile& input) {
      auto other = ObjectFile::read(input.name(), input.bytes());
      return other && have_common_origin(replaced, **other);
    });
  };
  auto problems = outputs_.check(inputs, is_related);
  return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
}

/// Adds one blob of a source as a unit.
std::expected<void, Error> Program::add(const BtfSource& source, const std::string& name,
                                        std::span<const std::byte> blob) {
  Stopwatch watch(statistics_.classify);
  auto btf = image_deduplicator_ ? image_deduplicator_->add_blob(name, blob)
                                 : deduplicator_->add_blob(name, blob);
  if (!btf) {
    std::string_view hint;
    if (btf.error().message == "string section does not begin with NUL")
      hint = image_deduplicator_ ? " (is it split BTF, which --linked does not accept?)"
             : !base()           ? " (is it split BTF, which needs --base?)"
                                 : "";
    return fail("{}: {}{}", name, btf.error().message, hint);
  }
  if (image_deduplicator_ && source.elf)
    for (std::string_view function : find_weak_functions(source.elf->image))
      image_deduplicator_->add_weak_function(function);
  if (!order_) order_ = btf->byte_order();
  if (source.elf && !like_) like_ = source.elf;
  if (names_.empty() && source.is_linked && is_kernel_image(*btf)) kernel_ = blob;
  names_.push_back(name);
  statistics_.input.add(*btf, blob.size());
  if (is_described()) inputs_.emplace_back(share(*btf), blob.size());
  if (updates_own_types_ && !image_deduplicator_)
    updated_.push_back(
        {std::move(*btf), blob, static_cast<uint64_t>(blob.data() - source.contents.data())});
  return {};
}

/// Whether the output is a linked kernel's BTF: its modules are split from it, so all ids and
/// string offsets stay.
bool Program::is_extraction() const {
  return !kernel_.empty() && names_.size() == 1 && !options_.output.empty() && bases_.empty() &&
         !options_.sort && !image_symbols_;
}

void Program::extract() {
  std::vector<uint32_t> ids(statistics_.input.types);
  std::iota(ids.begin(), ids.end(), 1);
  result_.emplace().type_maps.emplace_back(1, std::move(ids));
  blob_.assign(kernel_.begin(), kernel_.end());
}

std::expected<void, Error> Program::deduplicate() {
  if (is_extraction()) {
    extract();
    return {};
  }
  {
    Stopwatch watch(statistics_.resolve);
    if (auto ok = image_deduplicator_ ? run_image_btf() : run_deduplicator(); !ok) return ok;
  }
  statistics_.resolve -= result_->classify_seconds;
  statistics_.classify += result_->classify_seconds;
  if (options_.flatten) count_bases();
  Stopwatch watch(statistics_.write);
  if (!options_.update.empty())
    if (auto ok = open_update(); !ok) return ok;
  if (options_.distill)
    if (auto ok = distill_output(); !ok) return ok;
  if (!options_.update.empty()) return finish_update();
  auto blob = result_->types.finish(*order_);
  if (!blob) return fail_output(blob.error());
  blob_ = std::move(*blob);
  return {};
}

std::expected<void, Error> Program::run_deduplicator() {
  auto result = deduplicator_->run();
  if (!result) return std::unexpected(result.error());
  result_.emplace(std::move(*result));
  deduplicator_.reset();
  return {};
}

std::expected<void, Error> Program::run_image_btf() {
  auto result = image_deduplicator_->run(*image_symbols_);
  if (!result) return std::unexpected(result.error());
  for (const std::string& line : describe_omitted(*result))
    print_note("btfdedup", options_.linked + ": " + line);
  statistics_.linked = {result->function_count, result->variable_count, std::move(result->omitted)};
  result_.emplace(std::move(result->dedup));
  image_deduplicator_.reset();
  return {};
}

/// Counts flattened bases as inputs, in statistics and reports.
void Program::count_bases() {
  std::vector<std::string> names;
  std::vector<TypeMap> maps;
  std::vector<std::pair<Btf, uint64_t>> inputs;
  for (const auto& base : bases_) {
    std::vector<uint32_t> ids;
    for (uint32_t id = base->btf.first_id(); id < base->btf.end_id(); ++id)
      ids.push_back(result_->type_maps[0][id]);
    names.push_back(base->name);
    maps.emplace_back(base->btf.first_id(), std::move(ids));
    if (is_described()) inputs.emplace_back(share(base->btf), base->size);
    statistics_.input.add(base->btf, base->size);
  }
  auto put_first = [](auto& all, auto& first) {
    all.insert(all.begin(), std::move_iterator(first.begin()), std::move_iterator(first.end()));
  };
  put_first(names_, names);
  put_first(result_->type_maps, maps);
  put_first(inputs_, inputs);
}

std::expected<void, Error> Program::distill_output() {
  std::endian order = update_elf_ ? update_elf_->order : *order_;
  auto blob = result_->types.finish(order);
  if (!blob) return fail_output(blob.error());
  auto split = Btf::parse(*blob, base());
  if (!split) return fail_output(split.error());
  std::vector<uint32_t> needed;
  if (updated_.size() == 1) {
    auto ids = find_btf_ids(*update_elf_, updated_[0].btf);
    if (!ids) return fail_output(ids.error());
    for (uint32_t id : *ids) needed.push_back(result_->type_maps[0][id]);
  }
  auto distilled = distill(*split, order, needed);
  if (!distilled) return fail_output(distilled.error());
  compose(result_->type_maps, distilled->type_map);
  result_->types = std::move(distilled->types);
  distilled_ = std::move(*distilled);
  return {};
}

/// Opens the object whose other sections must match its new BTF.
std::expected<void, Error> Program::open_update() {
  auto file = InputFile::open(options_.update);
  if (!file) return fail_output(file.error());
  update_file_ = std::move(*file);
  if (!is_elf(update_file_.bytes()))
    return fail_output(
        {is_packed(update_file_.bytes())
             ? "is compressed, an archive or an image: --update writes only into ELF files"
             : "is not an ELF file"});
  auto elf = read_elf(update_file_.bytes());
  if (!elf) return fail_output(elf.error());
  update_elf_ = std::move(*elf);
  return check_update();
}

/// Finishes the blob and the patches for that object.
std::expected<void, Error> Program::finish_update() {
  auto add_patches = [&](std::expected<std::vector<Patch>, Error> patches) {
    if (patches) std::ranges::move(*patches, std::back_inserter(patches_));
    return patches ? std::expected<void, Error>() : fail_output(patches.error());
  };
  if (updated_.size() == 1) {
    const Btf& btf = updated_[0].btf;
    const TypeMap& map = result_->type_maps[0];
    if (auto ok = add_patches(adapt_object(*update_elf_, btf, map, result_->types)); !ok) return ok;
    if (auto ok = add_patches(adapt_btf_ids(*update_elf_, btf, map)); !ok) return ok;
  }
  auto blob = result_->types.finish(update_elf_->order);
  if (!blob) return fail_output(blob.error());
  blob_ = std::move(*blob);
  if (updated_.empty()) return {};
  auto btf = Btf::parse(blob_, output_base());
  if (!btf) return fail_output(btf.error());
  return add_patches(adapt_relocations(*update_elf_, updated_, result_->type_maps, *btf, blob_));
}

/// Sections that refer to types by id match only one blob of the file's own types.
std::expected<void, Error> Program::check_update() const {
  if (options_.distill && update_elf_->find(".BTF.base"))
    return fail_output({"has a section .BTF.base: it is already distilled"});
  if (updated_.size() == 1) return {};
  std::string_view whose = !options_.linked.empty() ? "of what was linked"
                           : updates_own_types_     ? "of several units"
                                                    : "of other files";
  if (update_elf_->find(".BTF.ext"))
    return fail_output(
        {fmt::format("has a section .BTF.ext, which would not fit types {}", whose)});
  if (has_btf_ids(*update_elf_))
    return fail_output(
        {fmt::format("has a section .BTF_ids, which would not fit types {}", whose)});
  return {};
}

std::expected<void, Error> Program::write_output() {
  if (!output_) return {};
  Stopwatch watch(statistics_.write);
  if (auto ok = write_contents(output_->file.fd()); !ok) return fail_output(ok.error());
  return {};
}

/// Warns of types in the output that kernels reject: for an object, after the loader's changes.
std::expected<void, Error> Program::verify() const {
  if (!options_.verify) return {};
  std::optional<InputFile> written;
  if (output_) {
    auto opened = InputFile::open(output_->file.fd(), output_name());
    if (!opened) return fail_output(opened.error());
    written = std::move(*opened);
  }
  std::span<const std::byte> file = written ? written->bytes() : std::span(blob_);
  bool is_of_kernel = like_ && like_->machine != EM_BPF;
  BtfUse use = is_of_kernel ? BtfUse::Kernel : use_of_file(file, blob_, output_base());
  std::vector<TypeOrigin> origins;
  origins.reserve(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) origins.push_back({names_[i], &result_->type_maps[i]});
  for (const Diagnostic& warning :
       kernel_fault_warnings(check_file(file, blob_, use, output_base()), output_name(), origins))
    print_diagnostic("btfdedup", warning);
  return {};
}

std::expected<void, Error> Program::commit() {
  auto problems = outputs_.commit();
  if (problems.empty()) return {};
  for (const OutputProblem& problem : std::span(problems).subspan(1))
    print_error("btfdedup", problem.message);
  return fail(problems.front().message);
}

/// A model of the BTF alone, without the file around it.
OutputModel Program::describe_output(const Btf& btf) {
  // Of one input, which is only shown, the result has the input's name.
  bool is_written = !options_.output.empty() || !options_.update.empty();
  OutputModel model{.file = is_written || names_.size() > 1 ? output_name() : names_.front(),
                    .bytes = blob_.size()};
  ModelBuilder builder(model);
  TypeNodes types(btf, blob_.size(), builder.add_section(".BTF", "section", blob_.size()), builder);
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    model.inputs.push_back({names_[i]});
    types.add_input(i, inputs_[i].first, inputs_[i].second, result_->type_maps[i]);
  }
  types.finish();
  builder.finish();
  return model;
}

std::expected<void, Error> Program::write_size_map() {
  if (!size_map_) return {};
  auto btf = Btf::parse(blob_, output_base());
  if (!btf) return fail_output(btf.error());
  OutputModel model = describe_output(*btf);
  model.tags = find_split_tags({*btf, result_->type_maps, names_});
  std::string page = make_size_map(model);
  auto ok = Outputs::write(*size_map_, std::as_bytes(std::span(page)));
  return ok ? std::expected<void, Error>() : fail(ok.error().message);
}

std::expected<void, Error> Program::write_contents(int fd) {
  std::span<const std::byte> base_blob;
  if (distilled_) base_blob = distilled_->base_blob;
  if (update_elf_) return write_updated(fd, *update_elf_, blob_, base_blob, patches_);
  if (options_.as_elf)
    return write_btf_object(fd, blob_, base_blob, *order_, like_ ? &*like_ : nullptr);
  return write_all_at(fd, 0, blob_);
}

/// Prints what goes to standard output.
std::expected<void, Error> Program::report() {
  bool is_asked_for = !options_.explain.empty() || options_.print_sizes != 0 ||
                      options_.statistics || options_.dump != BtfdedupOptions::Dump::none;
  if (!is_asked_for) return {};
  auto btf = Btf::parse(blob_, output_base());
  if (!btf) return fail_output(btf.error());
  std::optional<OutputModel> model;
  if (!options_.explain.empty() || options_.print_sizes != 0) model = describe_output(*btf);
  for (const std::string& what : options_.explain) {
    auto text = explain({*btf, result_->type_maps, names_}, what);
    std::string story = explain_types(*model, what);
    if (!text && story.empty()) return std::unexpected(text.error());
    print_text(text.value_or("") + story);
  }
  if (options_.print_sizes != 0) print_text(make_sizes_text(*model, options_.print_sizes));
  if (options_.dump == BtfdedupOptions::Dump::c) print_text(print_c_header(*btf));
  if (options_.dump == BtfdedupOptions::Dump::raw)
    for (uint32_t id = btf->first_id(); id < btf->end_id(); ++id) print_text(print_raw(*btf, id));
  if (options_.statistics) {
    statistics_.output.add(*btf, blob_.size());
    print_text(options_.as_json ? statistics_.as_json() : statistics_.as_text());
  }
  return flush_output();
}

int run(const std::vector<std::string>& arguments) {
  auto options = parse_options(arguments);
  if (!options) {
    print_error("btfdedup", options.error().message);
    return 1;
  }
  if (!options->text.empty()) {
    print_text(options->text);
    return 0;
  }
  if (options->check) {
    auto accepted = check_inputs(*options);
    if (!accepted) print_error("btfdedup", accepted.error().message);
    return accepted && *accepted ? 0 : 1;
  }
  clean_up_when_interrupted(
      "btfdedup", {options->update.empty() ? options->output : options->update, options->size_map});
  auto ok = options->target ? convert_input(*options) : Program(*options).run();
  if (ok) return 0;
  print_error("btfdedup", ok.error().message);
  return 1;
}

}  // namespace
}  // namespace bpflink

int main(int argc, char** argv) {
  return bpflink::run_program("btfdedup", argc, argv, bpflink::run);
}
