//! Writes a Rust module with the names, types and bytes of an object.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::btf::{kind, Btf, Type};
use crate::error::Error;
use crate::object::{DataSection, Object};

/// Keywords of Rust, which need `r#`.
const WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut",
    "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe",
    "unsized", "use", "virtual", "where", "while", "yield",
];

/// An identifier for `name`: characters that an identifier cannot contain become `_`.
fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    match text.as_str() {
        "_" | "self" | "Self" | "super" | "crate" => text + "_",
        word if WORDS.contains(&word) => format!("r#{}", word),
        _ => text,
    }
}

/// Makes names unique: the second becomes `name___2`, as libbpf and CO-RE number them.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    last: HashMap<String, u32>,
}

impl Names {
    fn take(&mut self, name: &str) -> String {
        if self.taken.insert(name.into()) {
            return name.into();
        }
        loop {
            let number = self.last.entry(name.into()).or_insert(1);
            *number += 1;
            let candidate = format!("{}___{}", name.trim_start_matches("r#"), number);
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Writes the definitions of types, and of the types that they contain.
struct Types<'a> {
    btf: &'a Btf<'a>,
    names: Names,
    known: HashMap<u32, String>,
    waiting: VecDeque<(u32, Type, String)>,
}

impl<'a> Types<'a> {
    fn new(btf: &'a Btf<'a>) -> Types<'a> {
        let mut names = Names::default();
        for word in ["bool", "char", "f32", "f64", "i16", "i32", "i64", "i8", "str", "u16", "u32", "u64", "u8"] {
            names.take(word);
        }
        Types { btf, names, known: HashMap::new(), waiting: VecDeque::new() }
    }

    /// The type in Rust, with `prefix` before the names of this module. A pointer becomes a number,
    /// because it points into the kernel. So does a bool, because the kernel may store values in it
    /// that are invalid in Rust. A type that Rust does not have becomes an array of bytes.
    fn expression(&mut self, mut id: u32, prefix: &str) -> String {
        let mut lengths = Vec::new();
        let mut alias = String::new();
        loop {
            let found = match self.btf.type_by_id(id) {
                Some(found) => found,
                None => return wrap("u8".into(), &lengths),
            };
            match found.kind {
                kind::ARRAY => lengths.push(found.array_length),
                kind::TYPEDEF => alias = found.name,
                kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {}
                _ => return wrap(self.scalar_or_name(id, found, &alias, prefix), &lengths),
            }
            if found.kind == kind::ARRAY {
                alias.clear();
            }
            id = found.type_id;
        }
    }

    fn scalar_or_name(&mut self, id: u32, found: Type, alias: &str, prefix: &str) -> String {
        let is_enum = found.kind == kind::ENUM || found.kind == kind::ENUM64;
        match found.kind {
            kind::INT => integer(&found),
            kind::PTR => "u64".into(),
            kind::FLOAT if found.size == 4 => "f32".into(),
            kind::FLOAT if found.size == 8 => "f64".into(),
            kind::STRUCT | kind::UNION | kind::ENUM | kind::ENUM64 => {
                if is_enum && found.name.is_empty() && alias.is_empty() {
                    return integer(&found);
                }
                format!("{}{}", prefix, self.name_of(id, found, alias))
            }
            _ => format!("[u8; {}]", found.size),
        }
    }

    fn name_of(&mut self, id: u32, found: Type, alias: &str) -> String {
        if let Some(name) = self.known.get(&id) {
            return name.clone();
        }
        let wanted = match (found.name.as_str(), alias) {
            ("", "") => "anonymous",
            ("", alias) => alias,
            (name, _) => name,
        };
        let name = self.names.take(&identifier(wanted));
        self.known.insert(id, name.clone());
        self.waiting.push_back((id, found, name.clone()));
        name
    }

    /// The definitions of all types that expression() named, each once.
    fn definitions(mut self) -> String {
        let mut out = String::new();
        while let Some((_, found, name)) = self.waiting.pop_front() {
            match found.kind {
                kind::STRUCT => self.define_struct(&found, &name, &mut out),
                kind::UNION => self.define_union(&found, &name, &mut out),
                _ => self.define_enum(&found, &name, &mut out),
            }
        }
        out
    }

    fn define_struct(&mut self, found: &Type, name: &str, out: &mut String) {
        let mut fields = Fields::new(name, found.size, found.alignment == 1);
        for member in &found.members {
            if member.bitfield_size != 0 || member.bit_offset % 8 != 0 {
                fields.note(&format!("{}: {} bits at bit {}", member.name, member.bitfield_size, member.bit_offset));
                continue;
            }
            let size = self.btf.type_by_id(member.type_id).map_or(0, |found| found.size);
            let expression = self.expression(member.type_id, "");
            fields.add(&member.name, u64::from(member.bit_offset / 8), size, &expression);
        }
        out.push_str(&fields.finish());
    }

    fn define_union(&mut self, found: &Type, name: &str, out: &mut String) {
        let mut fields = Fields::new(name, found.size, found.alignment == 1);
        fields.keyword = "union";
        for member in found.members.iter().filter(|member| member.bitfield_size == 0) {
            let expression = self.expression(member.type_id, "");
            fields.add(&member.name, 0, 0, &expression);
        }
        fields.add("__bytes", 0, found.size, &format!("[u8; {}]", found.size));
        out.push_str(&fields.finish());
    }

    /// Writes an enum as an alias of an integer, because in C it may have values without a name.
    fn define_enum(&mut self, found: &Type, name: &str, out: &mut String) {
        let base = integer(found);
        writeln!(out, "pub type {} = {};", name, base).unwrap();
        for enumerator in &found.enumerators {
            let constant = self.names.take(&identifier(&enumerator.name));
            let value =
                if found.is_signed { (enumerator.value as i64).to_string() } else { enumerator.value.to_string() };
            writeln!(out, "pub const {}: {} = {};", constant, name, value).unwrap();
        }
    }
}

/// An array, such as `[[T; 3]; 2]` for the lengths 2 and 3.
fn wrap(element: String, lengths: &[u64]) -> String {
    lengths.iter().rev().fold(element, |inner, length| format!("[{}; {}]", inner, length))
}

/// An integer type. 16 bytes become two words, because BPF aligns them to 8.
fn integer(found: &Type) -> String {
    match found.size {
        1 | 2 | 4 | 8 => format!("{}{}", if found.is_signed { 'i' } else { 'u' }, found.size * 8),
        16 => "[u64; 2]".into(),
        size => format!("[u8; {}]", size),
    }
}

/// The fields of a struct or union, with padding that puts each at its offset.
struct Fields<'a> {
    keyword: &'a str,
    name: &'a str,
    size: u64,
    packed: bool,
    end: u64,
    text: String,
    names: Names,
}

impl<'a> Fields<'a> {
    fn new(name: &'a str, size: u64, packed: bool) -> Fields<'a> {
        Fields { keyword: "struct", name, size, packed, end: 0, text: String::new(), names: Names::default() }
    }

    fn note(&mut self, text: &str) {
        writeln!(self.text, "    // {}", text).unwrap();
    }

    /// Adds a field. One that overlaps the previous one, such as an alias of a symbol, becomes a
    /// comment.
    fn add(&mut self, name: &str, offset: u64, size: u64, expression: &str) {
        if offset < self.end {
            return self.note(&format!("{} at {}", name, offset));
        }
        self.pad(offset);
        let wanted = if name.is_empty() { "anonymous".into() } else { identifier(name) };
        let name = self.names.take(&wanted);
        writeln!(self.text, "    pub {}: {},", name, expression).unwrap();
        self.end = offset + size;
    }

    fn pad(&mut self, offset: u64) {
        if offset > self.end {
            let name = self.names.take(&format!("__pad{}", self.end));
            writeln!(self.text, "    pub {}: [u8; {}],", name, offset - self.end).unwrap();
            self.end = offset;
        }
    }

    fn finish(mut self) -> String {
        self.pad(self.size);
        let packed = if self.packed { ", packed" } else { "" };
        format!(
            "#[repr(C{})]\n#[derive(Clone, Copy)]\npub {} {} {{\n{}}}\nconst _: () = assert!(::core::mem::size_of::<{}>() == {});\n",
            packed, self.keyword, self.name, self.text, self.name, self.size
        )
    }
}

/// "DataCustom" for ".data.custom"
fn section_type(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

/// The struct of a section. It is packed if the variables are not aligned as Rust would align the
/// fields.
fn section_struct(section: &DataSection, name: &str, types: &mut Types<'_>) -> String {
    let is_aligned = section.variables.iter().all(|variable| {
        let alignment = types.btf.resolve(variable.type_id).map_or(1, |(_, found)| u64::from(found.alignment));
        variable.offset % alignment.max(1) == 0 && section.size % alignment.max(1) == 0
    });
    let mut fields = Fields::new(name, section.size, !is_aligned);
    for variable in &section.variables {
        if types.btf.type_by_id(variable.type_id).is_none() {
            fields.note(&format!("{} at {}", variable.name, variable.offset));
            continue;
        }
        let expression = types.expression(variable.type_id, "types::");
        fields.add(&variable.name, variable.offset, variable.size, &expression);
    }
    fields.finish()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {}\n", line) }).collect()
}

/// Writes a module `name` for user space. It contains
///
/// - `OBJECT`, the bytes of `object`, initialized by the expression `bytes`;
/// - `programs` and `maps`, modules with the names of programs and maps;
/// - a struct for each data section, `Bss`, `Data`, `Rodata`, whose fields are its variables;
/// - `types`, a module with the types of variables, and of keys and values of maps. If several
///   types have the same tag, the second is called `tag___2`.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let path = compile("module", "char flag; struct pair { int a; long b; } pair;");
/// # let object = bpflink::Object::open(path)?;
/// let module = bpflink::rust_module(&object, "pairs", "&[]");
/// assert!(module.contains("pub mod pairs {"));
/// assert!(module.contains("pub pair: types::pair,"));
/// assert!(module.contains("pub __pad4: [u8; 4],"));
/// # Ok::<(), bpflink::Error>(())
/// ```
pub fn rust_module(object: &Object, name: &str, bytes: &str) -> String {
    let mut out = format!("/// The object.\npub const OBJECT: &[u8] = {};\n", bytes);
    list(&mut out, "programs", "The names of programs.", object.programs().iter().map(|program| &program.name));
    if let Some(btf) = object.btf() {
        let mut types = Types::new(&btf);
        let mut structs = Names::default();
        for section in object.data_sections().iter().filter(|section| section.size > 0) {
            let name = structs.take(&section_type(&section.name));
            writeln!(out, "/// `{}`", section.name).unwrap();
            out.push_str(&section_struct(section, &name, &mut types));
        }
        let mut aliases = String::new();
        for map in object.maps() {
            for (what, id) in [("key", map.key_type_id), ("value", map.value_type_id)] {
                if id != 0 {
                    let expression = types.expression(id, "");
                    let alias = types.names.take(&format!("{}_{}", map.name, what));
                    writeln!(aliases, "pub type {} = {};", alias, expression).unwrap();
                }
            }
        }
        let body = types.definitions() + &aliases;
        write!(
            out,
            "/// Types of variables, and of keys and values of maps.\npub mod types {{\n{}}}\n",
            indented(&body)
        )
        .unwrap();
    }
    list(&mut out, "maps", "The names of maps.", object.maps().iter().map(|map| &map.name));
    format!(
        "// Written by bpflink; changes are lost.\n#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]\npub mod {} {{\n{}}}\n",
        identifier(name),
        indented(&out)
    )
}

fn list<'n>(out: &mut String, module: &str, comment: &str, names: impl Iterator<Item = &'n String>) {
    write!(out, "/// {}\npub mod {} {{\n", comment, module).unwrap();
    for name in names {
        writeln!(out, "    pub const {}: &str = {:?};", identifier(name), name).unwrap();
    }
    out.push_str("}\n");
}

/// Writes two files into `directory`: `name.o`, the object, and `name.rs`, the module that
/// [`rust_module`] writes for it. Returns the path of `name.rs`. A `build.rs` calls this, and its
/// crate includes the module:
///
/// ```no_run
/// # fn link() -> Result<bpflink::Object, bpflink::Error> { unimplemented!() }
/// let object = link()?;
/// bpflink::write_skeleton(&object, "counter", std::env::var_os("OUT_DIR").unwrap())?;
/// // and in main.rs: include!(concat!(env!("OUT_DIR"), "/counter.rs"));
/// # Ok::<(), bpflink::Error>(())
/// ```
pub fn write_skeleton(object: &Object, name: &str, directory: impl AsRef<Path>) -> Result<PathBuf, Error> {
    let write = |file: PathBuf, bytes: &[u8]| {
        fs::write(&file, bytes).map_err(|error| Error::Output(format!("{}: {}", file.display(), error)))?;
        Ok(file)
    };
    let image = format!("{}.o", name);
    write(directory.as_ref().join(&image), object.image())?;
    let module = rust_module(object, name, &format!("include_bytes!({:?})", image));
    write(directory.as_ref().join(format!("{}.rs", name)), module.as_bytes())
}
