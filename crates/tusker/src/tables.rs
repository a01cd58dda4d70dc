//! The format of stored tables.

use crate::args::Tables;
use crate::failure::Failure;

/// The format of tables that was asked for.
pub fn format(tables: Option<Tables>) -> Result<tusker_store::Format, Failure> {
    let format = match tables {
        None => tusker_store::Format::default(),
        Some(Tables::Csv) => tusker_store::Format::Csv,
        Some(Tables::Parquet) => tusker_store::Format::Parquet,
    };
    if !format.is_built() {
        let help = "use csv, or build with the feature `parquet`, which `make build` does";
        return Err(Failure::input("parquet: this build of tusker cannot write Parquet", help));
    }
    Ok(format)
}
