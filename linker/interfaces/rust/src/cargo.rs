//! What a build script says to cargo.

use std::env;

use crate::error::Diagnostic;

/// Prints each line of `text` as a warning of cargo if this is a build script.
pub fn warn(text: &str) {
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_some() {
        for line in text.lines() {
            println!("cargo:warning={}", line);
        }
    }
}

/// The same for a diagnostic.
pub fn warn_of(diagnostic: &Diagnostic) {
    warn(&diagnostic.to_string());
}
