//! Tests of the linker, the object and the skeleton, with objects that clang compiles.

use bpflink::{Code, Error, Linker, Object, Options, Severity};

/// Compiles `source` into `name.o`.
fn compile(name: &str, source: &str) -> std::path::PathBuf {
    let compile = include!("common/compile.rs");
    compile(name, source)
}

fn link(sources: &[(&str, &str)], options: &Options) -> Result<Object, Error> {
    let mut linker = Linker::in_memory(options)?;
    for (name, source) in sources {
        linker.add_file(compile(name, source))?;
    }
    Object::parse(linker.link_to_memory()?)
}

#[test]
fn two_strong_definitions_are_told_with_their_places() {
    let source = "int twice(void) { return 1; }";
    let error = link(&[("twice_a", source), ("twice_b", source)], &Options::default()).unwrap_err();
    let diagnostics = match &error {
        Error::Link(diagnostics) => diagnostics,
        other => panic!("{:?}", other),
    };
    assert_eq!(diagnostics.len(), 1);
    assert_eq!((diagnostics[0].severity, diagnostics[0].code), (Severity::Error, Code::DuplicateSymbol));
    assert_eq!(diagnostics[0].symbol, "twice");
    assert_eq!(diagnostics[0].locations.len(), 2);
    assert!(diagnostics[0].locations[1].object.ends_with("twice_b.o"));
    assert_eq!(diagnostics[0].locations[1].text, source);
    let text = error.to_string();
    assert!(text.contains("twice_a.bpf.c:1:5: error: duplicate symbol: twice\n"), "{}", text);
}

#[test]
fn undefined_externs_stay_in_a_partial_link() {
    let source = "extern int other; int *place(void) { return &other; }";
    let options = Options::default().arg("-r");
    let object = link(&[("partial", source)], &options).unwrap();
    assert_eq!(object.externs()[0].name, "other");
    assert!(link(&[("whole", source)], &Options::default()).is_err());
}

#[test]
fn a_license_is_set_and_a_wrong_argument_told() {
    let options = Options { license: Some("GPL".into()), ..Options::default() };
    assert_eq!(link(&[("license", "int x = 1;")], &options).unwrap().license(), "GPL");
    let options = Options { license: Some("G\0PL".into()), ..Options::default() };
    assert!(matches!(Linker::in_memory(&options), Err(Error::Argument(_))));
    let options = Options { lto_level: Some("fast".into()), ..Options::default() };
    let refused = Linker::in_memory(&options).unwrap_err();
    assert_eq!(refused.to_string(), "--lto-O=fast: must be a number from 0 to 3");
    let refused = Linker::in_memory(&Options::default().arg("-oout.o")).unwrap_err();
    assert_eq!(refused.to_string(), "-oout.o: is for the program bpflink, not for the library");
    let linker = Linker::in_memory(&Options::default()).unwrap();
    assert!(matches!(linker.link(), Err(Error::Argument(_))));
    assert!(matches!(Object::parse(b"no object".to_vec()), Err(Error::Input(_))));
}

#[test]
fn buffers_are_inputs_and_a_linker_links_again() {
    let bytes = std::fs::read(compile("buffer", "int x = 1;")).unwrap();
    let mut linker = Linker::in_memory(&Options::default()).unwrap();
    linker.add_buf(&bytes).unwrap();
    let once = linker.link_to_memory().unwrap();
    assert_eq!(once, linker.link_to_memory().unwrap());
    assert!(linker.diagnostics().iter().all(|diagnostic| diagnostic.severity == Severity::Note));
}

#[test]
fn types_of_one_tag_are_numbered_in_a_skeleton() {
    let a = "struct state { int a; } of_a; enum mode { ON, OFF } mode;";
    let b = "struct state { long b; char type; } of_b;";
    let object = link(&[("tag_a", a), ("tag_b", b)], &Options::default()).unwrap();
    let module = bpflink::rust_module(&object, "numbered").unwrap();
    for text in ["pub of_a: state,", "pub of_b: state___2,", "pub r#type: i8,", "pub const OFF: mode = 1;"] {
        assert!(module.contains(text), "no '{}' in {}", text, module);
    }
}
