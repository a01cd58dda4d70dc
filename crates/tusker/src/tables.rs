//! The format of stored tables.

use tusker_record::store;

use crate::args::Tables;
use crate::failure::Failure;

/// The format of tables that was asked for.
pub fn format(tables: Option<Tables>) -> Result<store::Format, Failure> {
    let format = match tables {
        None => store::Format::default(),
        Some(Tables::Csv) => store::Format::Csv,
        Some(Tables::Parquet) => store::Format::Parquet,
    };
    if !format.is_built() {
        let help = "use csv, or build with the feature `parquet`, which `make build` does";
        return Err(Failure::input("parquet: this build of tusker cannot write Parquet", help));
    }
    Ok(format)
}
