// Pass: resolve symbols.
//
// Every global name becomes one Symbol with one winner: strong beats weak, the first weak one wins,
// two strong ones are an error. References bind to it whatever the order of the files. Then BTF is
// tied to symbols: a VAR or FUNC describes the global symbol of its name in its own object,
// whatever linkage the BTF claims. Compilers agree on ELF linkage but not on BTF linkage (bpf-gcc
// shows externs as global VARs).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// Drops the inputs' licenses: --license replaces them.
void drop_licenses(ObjectFile& object) {
  for (InputSection& section : object.sections)
    if (section.role == SectionRole::License && section.is_linked()) section.use = SectionUse::Drop;
}

/// Inputs' sections of one role, by their contents, which all have to be the same but for zeros at
/// the end: a license is a text, in an array that may be longer.
struct KeptOnce {
  std::string_view name;
  /// In order of first appearance.
  std::vector<std::pair<std::string_view, std::vector<InputSection*>>> contents;
  std::unordered_map<std::string_view, size_t> index;

  void add(InputSection& section) {
    std::string_view bytes(reinterpret_cast<const char*>(section.data.data()), section.data.size());
    bytes = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
    auto [entry, is_new] = index.try_emplace(bytes, contents.size());
    if (is_new) contents.emplace_back(bytes, std::vector<InputSection*>{});
    contents[entry->second].second.push_back(&section);
  }
};

/// A license as text, with \0 for zeros within; a version as bytes.
std::string contents_text(SectionRole role, std::string_view bytes) {
  std::string text;
  for (char c : bytes)
    if (role == SectionRole::Version)
      text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(c));
    else
      text += c == '\0' ? "\\0" : std::string(1, c);
  return text.empty() ? "nothing" : text;
}

/// Shows each license with the files that have it.
void report_difference(Context& context, SectionRole role, const KeptOnce& sections) {
  constexpr size_t max_contents = 8, max_files = 3;
  std::vector<DiagnosticReference> references;
  for (size_t i = 0; i < std::min(sections.contents.size(), max_contents); ++i) {
    const auto& [bytes, files] = sections.contents[i];
    constexpr size_t longest = 80;
    std::string text = contents_text(role, bytes.substr(0, longest));
    if (bytes.size() > longest) text += "...";
    for (size_t j = 0; j < std::min(files.size(), max_files); ++j)
      references.push_back({ReferenceRole::Occurrence, {.object = files[j]->file->name}, text});
    add_more(references, ReferenceRole::Occurrence, files.size(), max_files);
  }
  add_more(references, ReferenceRole::Occurrence, sections.contents.size(), max_contents);
  if (role == SectionRole::License && context.options.hint_at_options)
    references.push_back(hint(sections.contents.size() == 2 ? "--license TEXT replaces both"
                                                            : "--license TEXT replaces all"));
  context.diagnostics.error(fmt::format("'{}' sections differ", sections.name),
                            std::move(references), DiagnosticCode::InputMismatch);
}

/// `license` and `version` describe the whole object: all inputs must agree, and the section is
/// kept once.
void unify_licenses(Context& context) {
  if (context.options.license)
    for (auto& object : context.objects) drop_licenses(*object);
  std::map<SectionRole, KeptOnce> kept;
  for (auto& object : context.objects)
    for (InputSection& section : object->linked_sections())
      if (facts_of(section.role).is_kept_once) {
        KeptOnce& sections = kept[section.role];
        sections.name = section.name;
        sections.add(section);
        InputSection* first = sections.contents.front().second.front();
        if (first != &section) section.same_as = first;
      }
  for (const auto& [role, sections] : kept)
    if (sections.contents.size() > 1) report_difference(context, role, sections);
}

class Resolver {
 public:
  explicit Resolver(Context& context) : context_(context) {}

  void resolve() {
    make_room();
    for (auto& object : context_.objects) {
      intern_symbols(*object);
      bind_declarations(*object);
    }
    report_duplicates();
    for (auto& object : context_.objects) choose_declarations(*object);
    for (auto& object : context_.objects) note_losers(*object);
  }

 private:
  struct Duplicate {
    Symbol* symbol;
    const ObjectFile* file;
    uint32_t index;
  };

  /// Reserves one symbol for each definition: most names are defined once, and most undefined names
  /// are defined by another object or provided by the loader.
  void make_room() {
    size_t definitions = 0;
    for (auto& object : context_.objects)
      for (const InputSymbol& symbol : object->symbols)
        definitions += !symbol.is_local() && symbol.is_defined();
    context_.symbols.reserve(definitions);
  }

  void intern_symbols(ObjectFile& object) {
    for (uint32_t i = 1; i < object.symbols.size(); ++i) {
      InputSymbol& input = object.symbols[i];
      if (input.is_local()) continue;
      Symbol& symbol = context_.symbols.intern(input.name);
      input.global = &symbol;
      resolve_one(symbol, object, i);
    }
  }

  void resolve_one(Symbol& symbol, ObjectFile& object, uint32_t index) {
    const InputSymbol& input = object.symbols[index];
    symbol.visibility = more_constraining(symbol.visibility, input.visibility);
    if (!symbol.file) choose(symbol, object, index);
    if (symbol.is_from(object, index)) return;
    if (!input.is_defined()) {
      if (!symbol.is_defined && input.binding == STB_GLOBAL) symbol.binding = STB_GLOBAL;
    } else if (!symbol.is_defined) {
      choose(symbol, object, index);
    } else if (input.binding == STB_GLOBAL && !is_duplicate_license(object, input)) {
      if (symbol.binding == STB_WEAK)
        choose(symbol, object, index);
      else
        duplicates_.push_back({&symbol, &object, index});
    }
  }

  static void choose(Symbol& symbol, ObjectFile& object, uint32_t index) {
    const InputSymbol& input = object.symbols[index];
    symbol.file = &object;
    symbol.index = index;
    symbol.is_defined = input.is_defined();
    symbol.binding = input.binding;
  }

  /// Whether the symbol is in a license section that another one or --license replaces.
  static bool is_duplicate_license(const ObjectFile& object, const InputSymbol& symbol) {
    if (!symbol.is_in_section()) return false;
    const InputSection& section = object.sections[symbol.section];
    return section.same_as ||
           (section.role == SectionRole::License && section.use == SectionUse::Drop);
  }

  /// The stricter of two visibilities: internal, hidden, protected, default.
  static uint8_t more_constraining(uint8_t a, uint8_t b) {
    constexpr uint8_t rank[] = {0, 3, 2, 1};  // by STV_*
    return rank[a] >= rank[b] ? a : b;
  }

  void report_duplicates() {
    for (const Duplicate& duplicate : duplicates_) {
      const Symbol& symbol = *duplicate.symbol;
      const InputSymbol& second = duplicate.file->symbols[duplicate.index];
      DiagnosticLocation place = location_of(*symbol.file, symbol.input());
      DiagnosticLocation second_place = location_of(*duplicate.file, second);
      std::string advice = find_hint(duplicate, place, second_place);
      bool is_known = !advice.empty();
      std::vector<DiagnosticReference> references = {
          {ReferenceRole::DefinedAt, place},
          {ReferenceRole::DefinedAt, std::move(second_place)},
          hint(is_known ? std::move(advice)
                        : "if they are not the same thing, make one of them static")};
      if (!is_known && context_.options.hint_at_options)
        references.push_back(
            hint(fmt::format("or rename those of a file: --prefix-symbols-of {}=PREFIX; or link it "
                             "alone first, with -r --localize-hidden, if they are __hidden",
                             duplicate.file->name)));
      context_.diagnostics.error(fmt::format("duplicate symbol: {}", symbol.name),
                                 std::move(references), DiagnosticCode::DuplicateSymbol,
                                 {.symbol = symbol.name});
    }
  }

  /// Advice on how the two definitions probably came about; "" if they may have nothing in common.
  std::string find_hint(const Duplicate& duplicate, const DiagnosticLocation& place,
                        const DiagnosticLocation& second_place) const {
    const ObjectFile &first = *duplicate.symbol->file, &second = *duplicate.file;
    const InputSymbol &a = duplicate.symbol->input(), &b = second.symbols[duplicate.index];
    if (is_same_input(first, second))
      return fmt::format("{} is given twice: give it once", second.name);
    bool in_sections = a.is_in_section() && b.is_in_section();
    if (!in_sections || a.size != b.size || a.type != b.type) return "";
    bool is_one_place =
        place.line != 0 && place.line == second_place.line && place.source == second_place.source;
    bool is_in_header = place.source.substr(place.source.rfind('.') + 1).starts_with('h');
    if (is_one_place && !is_in_header)
      return fmt::format("both objects have {}: omit one of them", place.source);
    if (is_one_place && a.type == STT_FUNC)
      return fmt::format("{} defines it in each: make it static inline there, or only declare it",
                         place.source);
    return "if a header defines it, only declare it there (extern), and define it in one file";
  }

  bool is_same_input(const ObjectFile& a, const ObjectFile& b) const {
    if (a.name == b.name) return true;
    auto identity = [&](const ObjectFile& object) -> std::optional<FileIdentity> {
      auto file = std::ranges::find(context_.files, object.name, &InputFile::name);
      return file == context_.files.end() ? std::nullopt : file->identity();
    };
    auto of_a = identity(a);
    return of_a && of_a == identity(b);
  }

  void note_losers(const ObjectFile& object) {
    for (uint32_t i = 1; i < object.symbols.size(); ++i) {
      if (!lost_resolution(object, i)) continue;
      const Symbol& winner = *object.symbols[i].global;
      bool is_alike = std::ranges::equal(bytes_of(object, object.symbols[i]),
                                         bytes_of(*winner.file, winner.input()));
      context_.diagnostics.note(fmt::format("{}: '{}' loses to the definition in {}{}", object.name,
                                            winner.name, winner.file->name,
                                            is_alike ? "" : ", which differs"));
    }
  }

  /// The first bytes of a symbol's function or object, before relocation. Differing weak
  /// definitions are not worth a warning: programs override a library's default on purpose.
  static std::span<const std::byte> bytes_of(const ObjectFile& object, const InputSymbol& symbol) {
    if (!symbol.is_in_section()) return {};
    constexpr uint64_t max_bytes = 1 << 16;  // many symbols may share the same bytes
    auto data = object.sections[symbol.section].data;
    return data.empty() ? data : data.subspan(symbol.value, std::min(symbol.size, max_bytes));
  }

  static void bind_declarations(ObjectFile& object) {
    for (BtfDeclaration& declaration : object.declarations) {
      declaration.symbol = object.symbols[declaration.symbol_index].global;
      if (declaration.symbol && facts_of(declaration.role).has_loader_symbols)
        declaration.symbol->loader_section = declaration.datasec;
    }
  }

  /// Chooses the declaration that describes each symbol: the definition's, or else the first with a
  /// type (a typeless ksym is a `const void`). A declaration made by an earlier link comes last.
  static void choose_declarations(ObjectFile& object) {
    for (const BtfDeclaration& declaration : object.declarations) {
      Symbol* symbol = declaration.symbol;
      if (!symbol || (symbol->btf_file && declaration.is_synthesized)) continue;
      bool is_definition = symbol->is_defined && symbol->file == &object;
      bool has_definition = symbol->is_defined && symbol->btf_file == symbol->file;
      bool better = !symbol->btf_file || symbol->is_btf_synthesized ||
                    (is_definition && !has_definition) ||
                    (!has_definition && is_typeless(*symbol->btf_file->btf, symbol->btf_id) &&
                     !is_typeless(*object.btf, declaration.type_id));
      if (!better) continue;
      symbol->btf_file = &object;
      symbol->btf_id = declaration.type_id;
      symbol->is_btf_synthesized = declaration.is_synthesized;
    }
  }

  Context& context_;
  std::vector<Duplicate> duplicates_;
};

}  // namespace

void resolve_symbols(Context& context) {
  unify_licenses(context);
  Resolver(context).resolve();
}

}  // namespace bpflink
