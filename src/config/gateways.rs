//! The table `[gateways]` of settings.toml.

use std::sync::Arc;

use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::value::Target;

/// Reads the gateways by scheme.
pub(super) fn read(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let table = file.table(item, "a table is wanted here: [gateways]");
    let gateways = Arc::make_mut(&mut to.settings.gateways);
    for (scheme, item) in table.into_iter().flat_map(TableLike::iter) {
        if let Some(written) = file.string(item, "the address of a gateway")
            && let Err(why) = gateways.set(scheme, written)
        {
            file.record_error(item.span(), why);
        }
    }
}
