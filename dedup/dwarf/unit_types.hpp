// Makes BTF of the entries of one unit.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "bpflink/image_btf.hpp"
#include "dedup/dwarf/abbreviations.hpp"
#include "dedup/dwarf/functions.hpp"
#include "dedup/dwarf/sections.hpp"
#include "dedup/dwarf/strings.hpp"

namespace bpflink {

/// What BTF has no words for, or the file lacks.
struct DwarfOmissions {
  uint64_t units_of_other_languages = 0;
  uint64_t unresolved_references = 0;  ///< to entries that are not types of the unit
  uint64_t unsupported_types = 0;      ///< complex numbers

  void add(const DwarfOmissions& other) {
    units_of_other_languages += other.units_of_other_languages;
    unresolved_references += other.unresolved_references;
    unsupported_types += other.unsupported_types;
  }
};

/// A unit whose entries are in another file, a .dwo file.
struct DwarfSkeleton {
  uint64_t place = 0;  ///< of the unit
  uint64_t id = 0;
  uint64_t addresses = 0;              ///< where those of the unit begin
  std::string_view directory, name{};  ///< of the file
};
using DwarfSkeletons = std::map<uint64_t, DwarfSkeleton>;  ///< by id

/// Converts one unit after another. Its memory is used again.
class UnitTypes {
 public:
  /// `files` are all sets of sections, `skeletons` those of which split units are known by now.
  UnitTypes(const DwarfFiles& files, const DwarfSkeletons& skeletons, const DwarfWanted& wanted,
            DwarfStringPool& pool)
      : files_(files), skeletons_(skeletons), wanted_(wanted), strings_(pool) {
    const std::byte* last = nullptr;  // sets of one file share abbreviations
    for (const DwarfSections& set : files) {
      files_bytes_ += set.info.size();
      if (set.abbreviations.data() != last) files_bytes_ += set.abbreviations.size();
      last = set.abbreviations.data();
    }
  }

  /// Reads a unit. True if it has types, and does not refer to other units. Errors: the unit is
  /// malformed. They name the place.
  std::expected<bool, Error> read(const DwarfUnit& unit);
  /// Whether the unit that was read last refers to others, as those of dwz and link-time
  /// optimization do. Then it has to be read with them.
  bool has_foreign_reference() const { return has_foreign_reference_; }
  /// Reads all units as one. Errors: the same; an entry refers to another file, or to nothing.
  std::expected<bool, Error> read_joined(std::span<const DwarfUnit> units);

  /// The types of the unit that was read last, whose strings are `pool`'s. Ids are in the order in
  /// which entries end.
  std::span<const uint32_t> words() const { return words_; }
  std::span<const uint32_t> starts() const { return starts_; }
  /// Its functions that have FUNCs, in order of ids.
  std::span<const ImageFunction> functions() const { return written_functions_; }
  const DwarfOmissions& omissions() const { return omissions_; }
  /// All units so far whose entries are in another file, and the ids of those that are.
  std::span<const DwarfSkeleton> found_skeletons() const { return found_skeletons_; }
  std::span<const uint64_t> found_ids() const { return found_ids_; }

 private:
  static constexpr uint32_t no_function = UINT32_MAX;
  /// More types that only name or qualify the next one than any source has. They may make a circle.
  static constexpr size_t max_chain = 256;
  /// As many elements as a type of BTF may have, and one for `...`.
  static constexpr size_t max_parts = 0xffffff - 1;

  /// An entry whose children are being read.
  struct OpenEntry {
    uint16_t tag = 0;
    bool is_declaration = false;
    bool is_int = false;              ///< `int`
    uint32_t entry = 0;               ///< bytes from the unit's beginning, as are all references
    uint32_t name = 0;                ///< in the pool
    uint32_t type = 0;                ///< what it refers to
    uint32_t size = 0;                ///< bytes
    uint32_t first_part = 0;          ///< of its parts
    uint32_t function = no_function;  ///< its index
    uint64_t encoding = 0;            ///< of a base type
  };
  /// A member, a parameter, an enumerator or a type tag, until its type is written.
  struct Part {
    uint32_t name = 0, type = 0, low = 0, high = 0;
  };

  /// A function, in the terms of its entry.
  struct Function {
    uint32_t entry = 0, name = 0, type = 0;
    uint32_t origin = 0;  ///< the entry that it completes, or 0
    uint32_t unit = 0;    ///< its index in `units_`
    uint32_t first_parameter = 0, parameters = 0;
    uint64_t address = 0;
    bool is_declaration = false, is_inlined = false, is_changed = false;
    bool has_unspecified = false;  ///< `...`
  };
  struct Parameter {
    uint32_t entry = 0, name = 0, type = 0, origin = 0;
    uint32_t index = 0;  ///< of its function
    DwarfValue location;
    bool has_location = false, has_constant = false;
    bool is_moved = false;  ///< has another index than the original
  };
  struct Variable {
    uint32_t entry = 0, name = 0, type = 0, origin = 0;
    bool is_defined = false, is_external = false;
  };

  /// A tag on the declaration of a type, a function or a variable, or on one of its parts.
  struct Tag {
    uint32_t text = 0, entry = 0;
    uint32_t part = whole;
    bool is_on_object = false;  ///< on a function or variable
    static constexpr uint32_t whole = UINT32_MAX;
  };

  /// What is needed of a unit when all entries are read.
  struct Unit {
    DwarfUnit header;
    bool is_clang;
  };

  std::expected<void, Error> begin(uint64_t first, uint64_t end);
  std::expected<void, Error> read_abbreviations(const DwarfUnit& unit);
  std::expected<void, Error> add(const DwarfUnit& unit);
  bool begin_split_unit();
  std::expected<std::vector<bool>, Error> find_imported(std::span<const DwarfUnit> units);
  bool finish();
  std::expected<void, Error> read_entries(DwarfCursor& cursor);
  void begin_entry(uint16_t tag, uint32_t at, bool has_children);
  void end_entry(const OpenEntry& open);
  uint32_t reference(DwarfSlot slot);
  uint32_t text_of(DwarfSlot slot);
  uint64_t constant(DwarfSlot slot) const;

  void add_member(bool is_in_union);
  void add_enumerator();
  void add_annotation();
  void add_annotations(const OpenEntry& open);
  bool take_annotation(uint32_t at);
  void add_tag(const OpenEntry& of, uint32_t part);
  void write_tags();
  void write_base_type(const OpenEntry& open);
  void write_record(const OpenEntry& open);
  void write_enum(const OpenEntry& open);
  void write_array(const OpenEntry& open);
  void write_prototype(const OpenEntry& open);
  void write_pointer(const OpenEntry& open);
  void write_reference(BtfKind kind, uint32_t name, const OpenEntry& open);
  uint32_t begin_type(const OpenEntry& open, uint32_t name, uint32_t info, uint32_t third);
  uint32_t begin_reference(const OpenEntry& open, uint32_t name, uint32_t info);
  void end_type();
  void refer(uint32_t to);
  void become_void(uint32_t entry);
  void add_index_type();
  void resolve_references();

  void begin_function(OpenEntry& open);
  void add_parameter(OpenEntry& parent, uint32_t at);
  void add_variable(uint32_t at);
  bool is_wanted(DwarfValue name, const std::unordered_set<std::string_view>* names) const;
  void complete_functions();
  void write_functions();
  void write_function(const Function& function);
  void check_parameters(const Function& function, std::span<const Parameter> parameters,
                        ImageFunction& result) const;
  const uint32_t* stripped(uint32_t id, uint64_t& count) const;
  uint64_t size_of(const uint32_t* type) const;
  bool is_struct(uint32_t id) const;
  bool is_packed(uint32_t id) const;
  void write_variables();
  uint32_t resolve(uint32_t entry);

  const DwarfFiles& files_;
  const DwarfSkeletons& skeletons_;
  const DwarfWanted& wanted_;
  DwarfStrings strings_;
  DwarfAbbreviations abbreviations_;
  DwarfUnit of_abbreviations_;       ///< the unit that they were read for; of version 0 before
  uint64_t abbreviation_bytes_ = 0;  ///< of all tables so far
  uint64_t files_bytes_ = 0;         ///< of entries and abbreviations
  DwarfUnit unit_;
  DwarfEntry entry_;
  std::vector<OpenEntry> open_;
  std::vector<Part> parts_;
  std::vector<uint32_t> words_, starts_;
  std::vector<uint32_t> references_;  ///< indexes of words that hold entries, later ids
  std::vector<uint32_t> arrays_;      ///< indexes of words for the type of indices
  std::vector<std::pair<uint32_t, uint32_t>> aliases_;  ///< entries that stand for others
  /// Words with the kinds of ENUM64s, and the entries of their integers, whose sign they have.
  std::vector<std::pair<size_t, uint32_t>> wide_enums_;
  LargeVector<uint32_t> ids_;       ///< by entry
  std::vector<uint32_t> with_ids_;  ///< entries whose element of `ids_` is set
  uint32_t int_id_ = 0;
  // In order of entries.
  std::vector<Function> functions_;
  std::vector<Parameter> parameters_;
  std::vector<Variable> variables_;
  std::vector<ImageFunction> written_functions_;
  std::vector<Tag> tags_;
  std::map<uint32_t, uint32_t> objects_;  ///< FUNCs and VARs by their entries, if there are tags
  std::vector<Unit> units_;
  std::map<uint64_t, uint64_t> type_units_;  ///< types by the signatures of their units
  /// Between which the entries are, in the sections of all files, which follow each other.
  uint64_t first_ = 0, end_ = 0;
  std::vector<DwarfSkeleton> found_skeletons_;
  std::vector<uint64_t> found_ids_;
  bool has_foreign_reference_ = false;
  DwarfOmissions omissions_;
};

}  // namespace bpflink
