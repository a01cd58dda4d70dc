//! What the WebAssembly module exports.
//!
//! A caller writes its input into memory of `alloc`, calls, reads the answer, and gives both back
//! by `free`. An answer is one number: its length in the upper 32 bits, its place in the lower.
//! JSON is text in UTF-8. `advance` answers numbers (f64): how many rows and columns, the
//! simulated time, whether the end is reached (0, 1), and the columns; of -1 rows, what follows
//! these four is a mistake in JSON.

#![expect(unsafe_code, reason = "memory is shared with JavaScript, and names are exported")]

use std::cell::RefCell;

use crate::{Engine, Rows};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Milliseconds, such as those of `performance.now()`.
    safe fn now() -> f64;
}

/// Memory for so many bytes, at a place that suits any number.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    handed_out(vec![0; len]).1
}

/// Gives memory back.
///
/// # Safety
/// It came from [`alloc`] or is an answer, has this length, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(place: *mut u8, len: usize) {
    let words = len.div_ceil(8).max(1);
    // SAFETY: `handed_out` made it of as many words
    drop(unsafe { Vec::from_raw_parts(place.cast::<u64>(), words, words) });
}

/// Bytes as memory of the caller, in words of eight bytes: length and place.
fn handed_out(bytes: Vec<u8>) -> (usize, *mut u8) {
    let mut words = vec![0_u64; bytes.len().div_ceil(8).max(1)].into_boxed_slice();
    for (word, part) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut filled = [0; 8];
        filled[..part.len()].copy_from_slice(part);
        *word = u64::from_ne_bytes(filled);
    }
    (bytes.len(), Box::into_raw(words).cast::<u8>())
}

fn answer(bytes: Vec<u8>) -> u64 {
    let (len, place) = handed_out(bytes);
    (len as u64) << 32 | (place as usize as u64 & 0xffff_ffff)
}

/// Answers a call of this name.
///
/// # Safety
/// There are so many bytes at the place.
unsafe fn call(name: &str, place: *const u8, len: usize) -> u64 {
    // SAFETY: the caller says so
    let bytes = unsafe { std::slice::from_raw_parts(place, len) };
    let input = String::from_utf8_lossy(bytes);
    answer(ENGINE.with_borrow_mut(|engine| engine.call(name, &input)).into_bytes())
}

macro_rules! calls {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("See [`crate`]: `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// There are so many bytes at the place.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(place: *const u8, len: usize) -> u64 {
                // SAFETY: the caller says so
                unsafe { call(stringify!($name), place, len) }
            }
        )*
    };
}

calls! { catalogue law_curves open summary convert close }

/// Continues a run: see [`Engine::advance`].
#[unsafe(no_mangle)]
pub extern "C" fn advance(id: u32, sim_seconds: f64, wall_ms: f64) -> u64 {
    let advanced =
        ENGINE.with_borrow_mut(|engine| engine.advance(id, sim_seconds, wall_ms, &mut || now()));
    let (head, rest) = match advanced {
        Ok(Rows { t, done, rows, values }) => {
            let columns = if rows == 0 { 0 } else { values.len() / rows };
            let values = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            ([rows as f64, columns as f64, t, f64::from(u8::from(done))], values)
        }
        Err(fault) => ([-1.0, 0.0, 0.0, 0.0], fault.to_json().into_bytes()),
    };
    let head = head.iter().flat_map(|value| value.to_le_bytes());
    answer(head.chain::<Vec<u8>>(rest).collect())
}
