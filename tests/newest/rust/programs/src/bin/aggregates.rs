//! Results through a hidden pointer, slices, which are two parameters each, and enums with data, of
//! functions that are not inlined.
// check: arrays()=76 slices()=22 structs()=133 enums()=25 results()=14
#![no_std]
#![no_main]
library::program!();
use library::unknown;

static SEED: u32 = 7;

#[inline(never)]
fn three(first: u64) -> [u64; 3] {
    [first, first * 3, first ^ 5]
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn arrays(_context: *mut u8) -> u32 {
    let values = three(unknown(&SEED) as u64);
    let others = three(values[2] * 9);
    (values[0] + values[1] + others[1] - 6) as u32
}

#[inline(never)]
fn sum(values: &[u32]) -> u32 {
    values.iter().take(4).fold(0, |sum, value| sum ^ value)
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn slices(_context: *mut u8) -> u32 {
    let first = unknown(&SEED);
    sum(&[first, 2, 8]) + sum(&[first, 4]) + sum(&[first, 1])
}

pub struct Sample {
    count: u32,
    total: u64,
    last: u8,
}

#[inline(never)]
fn sample(x: u32) -> Sample {
    Sample { count: x, total: x as u64 * 9, last: x as u8 }
}

#[inline(never)]
fn both(a: &Sample, b: Sample) -> Sample {
    Sample { count: a.count + b.count, total: a.total ^ b.total, last: a.last.wrapping_add(b.last) }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn structs(_context: *mut u8) -> u32 {
    let x = unknown(&SEED);
    let both = both(&sample(x), sample(x + 1));
    both.count + both.total as u32 + both.last as u32 - 16
}

pub enum Event {
    None,
    One(u32),
    Many { count: u64, last: u8 },
}

#[inline(never)]
fn event(x: u32) -> Event {
    match x & 3 {
        0 => Event::None,
        1 => Event::One(x),
        _ => Event::Many { count: x as u64, last: 2 },
    }
}

#[inline(never)]
fn weight(event: &Event) -> u32 {
    match event {
        Event::None => 1,
        Event::One(count) => 3 * *count,
        Event::Many { count, last } => *count as u32 + *last as u32,
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn enums(_context: *mut u8) -> u32 {
    let x = unknown(&SEED);
    weight(&event(x)) + weight(&event(x - 3)) + weight(&event(x - 2))
}

#[inline(never)]
fn checked(x: u32) -> Result<[u32; 3], u64> {
    if x < 100 {
        Ok([x; 3])
    } else {
        Err(x as u64 - 100)
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn results(_context: *mut u8) -> u32 {
    match checked(unknown(&SEED)) {
        Ok(values) => values[0] + values[2],
        Err(by) => by as u32,
    }
}
