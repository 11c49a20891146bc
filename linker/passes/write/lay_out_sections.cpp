// Pass: assign sections and offsets to fragments.
//
// Sections merge by name, in order of first appearance. Each live fragment gets its offset. A
// section without dropped fragments moves as a whole, and distances inside it do not change.
#include <fmt/format.h>

#include <algorithm>

#include "linker/files/alignment.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

constexpr uint64_t merged_flags =
    SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS | SHF_TLS;

/// How many zeros one output may hold where a section without contents (SHT_NOBITS) is merged with
/// one that has them. An input only states the size of such a section; it need not have the bytes.
constexpr uint64_t max_zeros = 64 << 20;

std::string describe_flags(uint64_t flags) {
  std::string text;
  for (auto [flag, letter] : {std::pair{SHF_WRITE, 'W'},
                              {SHF_ALLOC, 'A'},
                              {SHF_EXECINSTR, 'X'},
                              {SHF_MERGE, 'M'},
                              {SHF_STRINGS, 'S'},
                              {SHF_TLS, 'T'}})
    if (flags & flag) text += letter;
  return text.empty() ? "none" : text;
}

class Layout {
 public:
  explicit Layout(Context& context) : context_(context) {}

  void run() {
    for (auto& object : context_.objects)
      for (InputSection& section : object->linked_sections()) place(section);
    for (auto& section : context_.sections)
      if (section->size > UINT32_MAX)
        context_.diagnostics.error(
            fmt::format("output section '{}' has {:#x} bytes, but BPF can address only 4 GiB",
                        section->name, section->size));
    for (auto& section : context_.sections) check_units(*section);
    limit_zeros();
  }

 private:
  /// A mergeable section consists of whole entries. If parts of entries were dropped, or padding
  /// lies between them, the output is an ordinary section.
  static void check_units(OutputSection& output) {
    if (output.entry_size != 0 && output.size % output.entry_size == 0) return;
    output.flags &= ~uint64_t{SHF_MERGE | SHF_STRINGS};
    output.entry_size = 0;
  }

  void limit_zeros() {
    uint64_t left = max_zeros;
    for (auto& output : context_.sections) {
      if (output->type == SHT_NOBITS) continue;
      for (const InputSection* section : output->members) {
        if (!section->is_nobits()) continue;
        if (section->size > left)
          return context_.diagnostics.error(
              fmt::format("{}: section '{}' would put {:#x} zeros into the output, more than {:#x}",
                          section->file->name, section->name, section->size, left),
              {note("the section has contents in another object")});
        left -= section->size;
      }
    }
  }

  void place(InputSection& section) {
    if (section.same_as) {
      section.output = section.same_as->output;
      return;
    }
    if (std::ranges::none_of(section.fragments, &Fragment::live)) return;
    OutputSection& output = output_for(section);
    if (!agrees(output, section)) return;
    section.output = &output;
    output.members.push_back(&section);
    output.alignment = std::max(output.alignment, section.alignment);
    if (!section.is_nobits()) output.type = section.type;
    if (section.is_merged)
      place_merged(section, output);
    else
      place_fragments(section, output);
  }

  /// Loaders take functions of sections such as .text.inner, which compilers make with
  /// -ffunction-sections, for programs, and not for what programs call. Of .data.*, .rodata.* and
  /// .bss.* they make maps, which programs may ask for: each may have a lock of its own.
  std::string_view name_of(const InputSection& section) const {
    bool is_text = section.role == SectionRole::Text && !context_.options.partial;
    return is_text ? ".text" : section.name;
  }

  OutputSection& output_for(const InputSection& section) {
    std::string_view name = name_of(section);
    auto [entry, is_new] = by_name_.try_emplace(name);
    if (is_new) {
      context_.sections.push_back(std::make_unique<OutputSection>());
      entry->second = context_.sections.back().get();
      entry->second->name = name;
      entry->second->type = section.type;
      entry->second->role = section.role;
      entry->second->flags = section.flags & merged_flags;
      entry->second->entry_size = section.entry_size;
    }
    return *entry->second;
  }

  bool agrees(const OutputSection& output, const InputSection& section) {
    uint64_t flags = section.flags & merged_flags;
    if (output.flags == flags && output.entry_size == section.entry_size) return true;
    bool flags_differ = output.flags != flags;
    auto describe = [&](const InputSection& member) {
      return DiagnosticReference{
          ReferenceRole::Occurrence,
          {.object = member.file->name},
          flags_differ ? describe_flags(member.flags) : fmt::to_string(member.entry_size)};
    };
    context_.diagnostics.error(fmt::format("{} of section '{}' differ",
                                           flags_differ ? "flags" : "entry sizes", section.name),
                               {describe(*output.members.front()), describe(section)});
    return false;
  }

  /// Records of .eh_frame and .bpf_cleanup follow each other without gaps: zeros between them would
  /// end .eh_frame.
  static uint64_t alignment_of_fragments(const InputSection& section) {
    bool has_records = section.role == SectionRole::Frames || section.role == SectionRole::Cleanups;
    return has_records ? std::min<uint64_t>(section.alignment, 4) : section.alignment;
  }

  static void place_fragments(InputSection& section, OutputSection& output) {
    uint64_t alignment = alignment_of_fragments(section);
    uint64_t base = align_up(output.size, alignment);
    if (std::ranges::all_of(section.fragments, &Fragment::live)) {
      for (Fragment& fragment : section.fragments) fragment.output_offset = base + fragment.begin;
      output.size = base + section.size;
      return;
    }
    uint64_t end = base;
    for (Fragment& fragment : section.fragments) {
      if (!fragment.live) continue;
      // Objects inside an unnamed fragment stay aligned only if the whole keeps its offset modulo
      // the alignment.
      fragment.output_offset = fragment.is_unnamed
                                   ? end + ((fragment.begin - end) & (alignment - 1))
                                   : align_up(end, alignment_at(alignment, fragment.begin));
      end = fragment.output_offset + (fragment.end - fragment.begin);
    }
    output.size = end;
  }

  /// Places each string or constant once in an output section: later copies get the place of the
  /// first.
  void place_merged(InputSection& section, OutputSection& output) {
    auto& places = merged_[&output];
    for (Fragment& fragment : section.fragments) {
      if (!fragment.live) continue;
      auto bytes = section.data.subspan(fragment.begin, fragment.end - fragment.begin);
      std::string_view key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      uint64_t here = align_up(output.size, section.alignment);
      auto [entry, is_new] = places.try_emplace(key, here);
      fragment.output_offset = entry->second;
      // With different section alignments, the first copy may be at an unsuitable offset.
      fragment.is_duplicate = !is_new && entry->second % section.alignment == 0;
      if (fragment.is_duplicate) continue;
      fragment.output_offset = entry->second = here;
      output.size = here + bytes.size();
    }
  }

  Context& context_;
  std::unordered_map<std::string_view, OutputSection*> by_name_;
  std::unordered_map<const OutputSection*, std::unordered_map<std::string_view, uint64_t>> merged_;
};

/// Adds the license that --license gave in place of those of all inputs.
void add_license(Context& context) {
  const std::string& text = *context.options.license;
  auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
  auto& section = *context.sections.emplace_back(std::make_unique<OutputSection>());
  section.name = "license";
  section.type = SHT_PROGBITS;
  section.flags = SHF_ALLOC | SHF_WRITE;
  section.size = bytes.size();
  section.contents.push_back({0, bytes});
}

}  // namespace

void lay_out_sections(Context& context) {
  Layout(context).run();
  if (context.options.license) add_license(context);
}

}  // namespace bpflink
