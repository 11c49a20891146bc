//! Errors and diagnostics.

use std::fmt;
use std::slice;

use crate::ffi;
use crate::text;

/// How a call failed. `Display`, and `Debug` for the sake of `unwrap()`, show messages as the programs
/// print them, with files and lines.
#[derive(Clone, PartialEq, Eq)]
pub enum Error {
    /// An argument is invalid, such as a name that contains a NUL.
    Argument(String),
    /// Out of memory.
    Memory,
    /// An object or BTF is unreadable or malformed. Has the reason.
    Input(String),
    /// The link failed. Has all errors that were found, in order.
    Link(Vec<Diagnostic>),
    /// A file of a skeleton cannot be written. Has its path and the reason.
    Output(String),
    /// A program that the builder ran failed. Has what it printed.
    Program(String),
}

impl Error {
    /// The error for a status of the C interface; `reason` is "" if the call gave none.
    pub(crate) fn of(status: ffi::bpflink_status, reason: String) -> Error {
        match status {
            ffi::BPFLINK_ERROR_MEMORY => Error::Memory,
            ffi::BPFLINK_ERROR_INPUT => Error::Input(reason),
            _ if !reason.is_empty() => Error::Argument(reason),
            // SAFETY: the string is static.
            _ => Error::Argument(unsafe { text::from_c(ffi::bpflink_status_text(status)) }),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(text) | Error::Input(text) | Error::Output(text) | Error::Program(text) => {
                f.write_str(text)
            }
            Error::Memory => f.write_str("out of memory"),
            Error::Link(diagnostics) => {
                for (index, diagnostic) in diagnostics.iter().enumerate() {
                    if index > 0 {
                        f.write_str("\n")?;
                    }
                    diagnostic.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self)
    }
}

impl std::error::Error for Error {}

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The link fails.
    Error,
    /// The link continues; something is probably wrong.
    Warning,
    /// Information about the link.
    Note,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $value:ident,)*) => {
        /// What a diagnostic is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            fn of(code: ffi::bpflink_diagnostic_code) -> Code {
                match code {
                    $(ffi::$value => Code::$name,)*
                    _ => Code::General,
                }
            }
        }
    };
}

codes! {
    /// None of the others.
    General = BPFLINK_DIAGNOSTIC_GENERAL,
    /// An input is missing, unreadable, malformed or not for BPF.
    InvalidInput = BPFLINK_DIAGNOSTIC_INVALID_INPUT,
    /// Valid inputs cannot be linked with each other.
    InputMismatch = BPFLINK_DIAGNOSTIC_INPUT_MISMATCH,
    /// No input defines an extern.
    UndefinedSymbol = BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL,
    /// Two strong definitions of one name.
    DuplicateSymbol = BPFLINK_DIAGNOSTIC_DUPLICATE_SYMBOL,
    /// An extern and its definition, or two maps, differ.
    ConflictingTypes = BPFLINK_DIAGNOSTIC_CONFLICTING_TYPES,
    /// The output cannot be written.
    OutputFailure = BPFLINK_DIAGNOSTIC_OUTPUT_FAILURE,
    /// A note on a symbol that is traced.
    Trace = BPFLINK_DIAGNOSTIC_TRACE,
    /// A note on what garbage collection dropped.
    Dropped = BPFLINK_DIAGNOSTIC_DROPPED,
    /// Objects share a struct, union or enum and lay it out differently.
    DifferentLayouts = BPFLINK_DIAGNOSTIC_DIFFERENT_LAYOUTS,
    /// What links, but a loader or verifier refuses or ignores.
    NotLoadable = BPFLINK_DIAGNOSTIC_NOT_LOADABLE,
    /// What links, but libbpf does not open the object.
    NotOpenable = BPFLINK_DIAGNOSTIC_NOT_OPENABLE,
}

copied! {
    /// A place in an input. Unknown fields are "" or 0.
    Location from raw, &ffi::bpflink_location {
        /// The input's name, as it was added.
        object: String = text::from_c(raw.object),
        /// The section's name.
        section: String = text::from_c(raw.section),
        /// Bytes into the section.
        offset: u64 = raw.offset,
        /// The source file.
        source: String = text::from_c(raw.source),
        /// The line, from 1.
        line: u32 = raw.line,
        /// The column, from 1.
        column: u32 = raw.column,
        /// The text of that line, as the input has it.
        text: String = text::from_c(raw.text),
    }
}

copied! {
    /// A message of the linker. `Display` shows it as `bpflink` prints it.
    Diagnostic from raw, &ffi::bpflink_diagnostic {
        /// How much it matters.
        severity: Severity = match raw.severity {
            ffi::BPFLINK_SEVERITY_ERROR => Severity::Error,
            ffi::BPFLINK_SEVERITY_WARNING => Severity::Warning,
            _ => Severity::Note,
        },
        /// What it is about.
        code: Code = Code::of(raw.code),
        /// One line without a final full stop.
        message: String = text::from_c(raw.message),
        /// Further lines: places and hints.
        details: Vec<String> =
            array(raw.details, raw.detail_count).iter().map(|line| text::from_c(*line)).collect(),
        /// The input or output that it is about, or "".
        file: String = text::from_c(raw.file),
        /// The symbol that it is about, or "".
        symbol: String = text::from_c(raw.symbol),
        /// The places that it is about, the most important first.
        locations: Vec<Location> = text::items(raw.locations).map(|raw| Location::copy(raw)).collect(),
        /// All of it as `bpflink` prints it: with file and line, the line of source, and hints.
        text: String = text::take(ffi::bpflink_diagnostic_render(raw, b"bpflink\0".as_ptr().cast(), 0)),
    }
}

/// # Safety
/// `items` points to `count` items, or `count` is 0.
unsafe fn array<'a, T>(items: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    slice::from_raw_parts(items, count)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}
