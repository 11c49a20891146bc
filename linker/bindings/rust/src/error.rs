//! Errors and diagnostics.

use std::fmt;
use std::mem::size_of;
use std::slice;

use crate::ffi;
use crate::text;

/// How a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

impl Error {
    /// The error for a status of the C interface; `reason` is "" if the call gave none.
    pub(crate) fn of(status: ffi::bpflink_status, reason: String) -> Error {
        match status {
            ffi::BPFLINK_ERROR_MEMORY => Error::Memory,
            ffi::BPFLINK_ERROR_INPUT => Error::Input(reason),
            // SAFETY: the string is static.
            _ => Error::Argument(unsafe { text::from_c(ffi::bpflink_status_text(status)) }),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(text) | Error::Input(text) | Error::Output(text) => f.write_str(text),
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

/// What a diagnostic is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// None of the others.
    General,
    /// An input is missing, unreadable, malformed or not for BPF.
    InvalidInput,
    /// Valid inputs cannot be linked with each other.
    InputMismatch,
    /// No input defines an extern.
    UndefinedSymbol,
    /// Two strong definitions of one name.
    DuplicateSymbol,
    /// An extern and its definition, or two maps, differ.
    ConflictingTypes,
    /// The output cannot be written.
    OutputFailure,
    /// A note on a symbol that is traced.
    Trace,
    /// A note on what garbage collection dropped.
    Dropped,
    /// Objects share a struct, union or enum and lay it out differently.
    DifferentLayouts,
}

impl Code {
    fn of(code: ffi::bpflink_diagnostic_code) -> Code {
        match code {
            1 => Code::InvalidInput,
            2 => Code::InputMismatch,
            3 => Code::UndefinedSymbol,
            4 => Code::DuplicateSymbol,
            5 => Code::ConflictingTypes,
            6 => Code::OutputFailure,
            7 => Code::Trace,
            8 => Code::Dropped,
            9 => Code::DifferentLayouts,
            _ => Code::General,
        }
    }
}

/// A place in an input. Unknown fields are "" or 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The input's name, as it was added.
    pub object: String,
    /// The section's name.
    pub section: String,
    /// Bytes into the section.
    pub offset: u64,
    /// The source file.
    pub source: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The text of that line, as the input has it.
    pub text: String,
}

/// A message of the linker. `Display` formats it as `bpflink` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub code: Code,
    /// One line without a final full stop.
    pub message: String,
    /// Further lines: places and hints.
    pub details: Vec<String>,
    /// The input or output that it is about, or "".
    pub file: String,
    /// The symbol that it is about, or "".
    pub symbol: String,
    /// The places that it is about, the most important first.
    pub locations: Vec<Location>,
}

impl Diagnostic {
    /// # Safety
    /// `from` is a diagnostic that the library passed to a callback.
    pub(crate) unsafe fn copy(from: &ffi::bpflink_diagnostic) -> Diagnostic {
        let details = array(from.details, from.detail_count);
        Diagnostic {
            severity: match from.severity {
                0 => Severity::Error,
                1 => Severity::Warning,
                _ => Severity::Note,
            },
            code: Code::of(from.code),
            message: text::from_c(from.message),
            details: details.iter().map(|line| text::from_c(*line)).collect(),
            file: text::from_c(from.file),
            symbol: text::from_c(from.symbol),
            locations: (0..from.location_count).map(|index| location(from, index)).collect(),
        }
    }
}

/// # Safety
/// As above; `index` is below `location_count`.
unsafe fn location(from: &ffi::bpflink_diagnostic, index: usize) -> Location {
    let mut place = ffi::bpflink_location::default();
    ffi::bpflink_diagnostic_location(from, index, &mut place, size_of::<ffi::bpflink_location>());
    Location {
        object: text::from_c(place.object),
        section: text::from_c(place.section),
        offset: place.offset,
        source: text::from_c(place.source),
        line: place.line,
        column: place.column,
        text: text::from_c(place.text),
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
        match self.severity {
            Severity::Error => f.write_str("error: ")?,
            Severity::Warning => f.write_str("warning: ")?,
            Severity::Note => {}
        }
        f.write_str(&self.message)?;
        for line in &self.details {
            write!(f, "\n{}", line)?;
        }
        Ok(())
    }
}
