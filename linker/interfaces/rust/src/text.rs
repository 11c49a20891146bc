//! Conversion between values of C and of Rust.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};

use crate::error::Error;
use crate::ffi;

/// A copy of a C string; "" for null. Invalid UTF-8 is replaced.
///
/// # Safety
/// `text` is null or ends with NUL.
pub unsafe fn from_c(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// Copies a string that the caller owns, and frees it.
///
/// # Safety
/// `text` is null or ends with NUL, and nothing else frees it.
pub unsafe fn take(text: *mut c_char) -> String {
    let copy = from_c(text);
    ffi::bpflink_free(text as *mut c_void);
    copy
}

/// Copies bytes that the caller owns, and frees them.
///
/// # Safety
/// There are `size` bytes at `bytes`, and nothing else frees them.
pub unsafe fn take_bytes(bytes: *mut c_void, size: usize) -> Vec<u8> {
    let copy = std::slice::from_raw_parts(bytes as *const u8, size).to_vec();
    ffi::bpflink_free(bytes);
    copy
}

/// A string for C. Error: `text` contains a NUL.
pub fn to_c(text: impl Into<Vec<u8>>) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::Argument("a name has a NUL inside".into()))
}

/// The items of an array, in the version of the library that made it.
///
/// # Safety
/// The array is of structs `T`, and what it belongs to lives as long as the result.
pub unsafe fn items<'a, T: 'a>(array: ffi::bpflink_array) -> impl Iterator<Item = &'a T> {
    (0..array.count).map(move |index| &*array.items.cast::<u8>().add(index * array.stride).cast::<T>())
}
