//! The functions, structs and constants of `bpflink/bpflink.h`, whose comments document them. The crate
//! `bpflink` has a safe interface to them.
#![allow(non_camel_case_types)]

mod ffi; // written by ffi.sh

pub use ffi::*;
