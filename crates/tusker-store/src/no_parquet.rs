//! Replaces the Parquet module in builds without it.

use std::fs::File;
use std::io::{self, Write};

use super::columns::Columns;

pub(super) fn write(
    _: impl Iterator<Item = Columns>,
    _: impl Write + Send,
    _: &dyn Fn() -> bool,
) -> io::Result<()> {
    Err(left_out())
}

pub(super) fn rows(
    _: File,
    _: u64,
    _: &[&str],
    _: &[&str],
    _: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    Err(left_out())
}

fn left_out() -> io::Error {
    let what = "this build of tusker has no Parquet support: build it with the feature `parquet`";
    io::Error::new(io::ErrorKind::Unsupported, what)
}
