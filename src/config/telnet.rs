//! The table `[telnet]` of settings.toml.

use std::sync::Arc;

use super::value::Setting;
use super::value::Value::Text;
use crate::load::TelnetSettings;

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
