//! The table `[gateways]` of settings.toml.

use toml_edit::Item;

use super::File;
use crate::load::Gateways;

/// The gateways of the environment.
pub(super) fn named(variables: &[(String, String)]) -> Gateways {
    let variables = variables.iter();
    Gateways::named(variables.map(|(name, value)| (name.as_str(), value.as_str())))
}

/// Reads the table into the settings.
pub(super) fn read(file: &mut File<'_>, item: &Item, gateways: &mut Gateways) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [gateways]".to_owned());
    };
    for (scheme, item) in table.iter() {
        if let Some(written) = file.string(item, "the address of a gateway")
            && let Err(why) = gateways.set(scheme, written)
        {
            file.record_error(item.span(), why);
        }
    }
}
