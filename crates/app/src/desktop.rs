//! The link, the saved file or the page for the program of the desktop, after a question that shows the command.

use geomys_load::names_nothing;
use geomys_store::files::command::quoted;
use geomys_wire::text::Text;
use rfc1738::{Parts, Scheme, Url};

use crate::tabs::external::remarks;
use crate::view::builtin::is_builtin;
use crate::{App, Context, Dialog, Focus, Tabs, selected_link};

/// Asks whether to open the saved file of the transfer, the selected link or else the page with the desktop's program.
pub(crate) fn open_on_desktop(app: &mut App) {
    match desktop_target(app) {
        Ok(Some((target, lines))) => ask_desktop(&target, lines, &mut app.cx),
        Ok(None) => {}
        Err(sentence) => app.cx.report_error(&sentence),
    }
}

/// Returns the target as an argument of the program, and the remarks on it. `Ok(None)` if the reason is shown already.
fn desktop_target(app: &mut App) -> Result<Option<(String, Vec<Text>)>, String> {
    let saved = app.transfers.saved_path();
    if let Some(path) = saved.filter(|_| app.cx.focus == Focus::Transfers) {
        let path = path.to_str().ok_or("Not opened: its name is not UTF-8")?;
        return Ok(Some((path.to_owned(), Vec::new())));
    }
    let page = app.tabs.page().map(|page| page.url.clone());
    let is_page = app.cx.focus == Focus::Panes && selected_link(app).is_none();
    let url = match page.filter(|_| is_page) {
        Some(url) => url,
        None => match app.selected_url() {
            Some((_, url)) => url,
            None => return Ok(None),
        },
    };
    let scheme = url.scheme_name();
    if is_builtin(&url) || names_nothing(scheme) {
        return Err(format!("No other program opens {scheme}:"));
    }
    if url.scheme() == Scheme::File {
        return local_target(&url, &app.tabs, &app.cx).map(Some);
    }
    if let Some(forbids) = url.forbidden_hazard() {
        return Err(format!("Not opened: the URL has {}", forbids.sentence()));
    }
    // The password stays here: other users see the arguments of a program.
    let address = url.without_password().to_string();
    Ok(Some((address, remarks(&url, &app.cx))))
}

/// Returns the path of a local file.
fn local_target(url: &Url, tabs: &Tabs, cx: &Context) -> Result<(String, Vec<Text>), String> {
    if tabs.remote_page_to_file(url, cx).is_some() {
        return Err("Not opened: a page of a server names a local file".to_owned());
    }
    let Parts::File(file) = url.base_parts() else {
        return Err("Not a regular file".to_owned());
    };
    let path = geomys_load::file_path(&file).map_err(|failure| failure.sentence)?;
    let path = path.to_str().ok_or("Not opened: its name is not UTF-8")?;
    Ok((path.to_owned(), Vec::new()))
}

fn ask_desktop(target: &str, lines: Vec<Text>, cx: &mut Context) {
    let Some(template) = &cx.settings.open.desktop else {
        let sentence = "no program: set desktop under [open] in settings.toml";
        return cx.report_error(sentence);
    };
    match template.fill(&[("url", target)]) {
        Ok(mut arguments) => {
            if let Some(program) = arguments.first_mut().filter(|_| cfg!(target_os = "macos"))
                && program == "xdg-open"
            {
                "open".clone_into(program);
            }
            let mut about = vec![Text::of(&quoted(&arguments))];
            about.extend(lines);
            cx.ask(Dialog::open_on_desktop(arguments, about));
        }
        Err(sentence) => cx.report_error(&sentence),
    }
}
