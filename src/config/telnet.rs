//! The table `[telnet]` of settings.toml.

use std::sync::Arc;

use geomys_page::load::TelnetSettings;

use super::value::Setting;
use super::value::Value::Text;

pub(super) const SETTINGS: &[Setting] = &[(
    "terminal",
    Text("a terminal type", |to, written| {
        if !TelnetSettings::is_terminal_name(written) {
            return Err(format!(
                "“{written}” is no terminal type; letters, digits and + - . / _ are allowed, at most 40"
            ));
        }
        written.clone_into(&mut Arc::make_mut(&mut to.settings.telnet).terminal);
        Ok(())
    }),
)];
