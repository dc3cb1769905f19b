//! Pictures on the screen: their zoom, the part that is shown, and its rendering in a task.

use std::sync::Arc;

use geomys_page::document::picture::{
    IS_BUILT_IN, MIME_TYPES, PictureView, RenderedPicture, Window,
};
use geomys_page::document::{Kind, Shape, suffix};
use geomys_page::load::PICTURE_LIMIT;
use geomys_wire::text::{self, Text};

use crate::app::motion::{Edge, Motion};
use crate::app::requester::Arrival;
use crate::app::tabs::page::State;
use crate::app::tabs::pane::Pane;
use crate::app::tabs::tab::Tab;
use crate::app::{Context, Focus, Page, Tabs, TabsEffect, WorkId};

/// The share of the shown part by which a key moves it.
const STEP: f64 = 0.125;

/// A step of zoom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zoom {
    In,
    Out,
    /// The whole picture.
    Fit,
}

/// Returns true if a file is shown as a picture in the pane.
pub(crate) fn is_shown(mime: Option<&str>, what: &str, size: Option<u64>, cx: &Context) -> bool {
    let is_picture = match mime {
        Some("image/x-unknown") => true,
        Some(mime) => MIME_TYPES.contains(&mime),
        None => what == suffix::kind_words(Kind::Image),
    };
    let is_small = size.is_none_or(|size| size <= PICTURE_LIMIT);
    IS_BUILT_IN && cx.settings.pictures.are_shown && is_picture && is_small
}

impl Tabs {
    /// Decodes the next picture on the screen, if none is being decoded there and its memory has room in the budget of pages
    /// beside the other pages on the screen.
    pub(crate) fn decode_pictures(&mut self, cx: &mut Context) {
        let budget = cx.settings.memory.pages;
        let panes = self.tab_mut().into_iter().flat_map(Tab::panes_mut);
        let mut pages: Vec<&mut Page> = panes.filter_map(Pane::page_mut).collect();
        let is_decoding =
            |page: &&mut Page| page.finishing.is_some() && page.shape() == Some(Shape::Picture);
        if pages.iter().any(is_decoding) {
            return;
        }
        let sizes = pages.iter().map(|page| page.memory());
        let used = sizes.fold(0, u64::saturating_add);
        for page in &mut pages {
            let is_whole = !page.state.is_arriving() && page.finishing.is_none();
            let Some(document) = page.content.document_mut().filter(|_| is_whole) else {
                continue;
            };
            let Some(needed) = document.picture_memory() else {
                continue;
            };
            if used.saturating_add(needed as u64) > budget {
                let [needed, budget] = [needed as u64, budget].map(text::octets);
                document.refuse_picture(format!("it needs {needed}, and all pages have {budget}"));
                continue;
            }
            let decoding = document.decoding_picture(needed);
            let work = cx.next_work();
            page.finishing = Some(work);
            return cx.emit(TabsEffect::Finish(work, decoding));
        }
    }

    /// Requests the rendering of the pictures on the screen that are not rendered yet.
    pub(crate) fn render_pictures(&mut self, cx: &mut Context) {
        let layout = cx.layout.clone();
        let mut requests = Vec::new();
        for (page, area) in self.pages_on_screen(&layout) {
            let Some(picture) = page.document().and_then(|document| document.picture()) else {
                continue;
            };
            let picture = Arc::clone(picture);
            let request = page.shown_picture.request(area, cx.graphics);
            let shown = &mut page.shown_picture;
            let is_rendered = shown.rendered.as_ref().map(|(of, _)| *of) == Some(request);
            if is_rendered || shown.rendering.is_some() {
                continue;
            }
            requests.push((page, picture, request));
        }
        for (page, picture, request) in requests {
            let work = cx.next_work();
            page.shown_picture.rendering = Some((work, request));
            cx.emit(TabsEffect::RenderPicture(work, picture, request));
        }
    }

    /// Opens the chosen attachment of an article, if it is a message. Returns `None` if it is none.
    pub(crate) fn open_attached_message(&mut self, cx: &mut Context) -> Option<()> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        page.position.link?;
        let message = page.document()?.attached_message(page.position.cursor)?;
        let (url, title) = (message.url().clone(), page.title.clone());
        let page = Page::new(url, title, message, State::Whole);
        self.arrive(page, Arrival::Append, cx);
        self.finish_page(cx);
        Some(())
    }

    /// Opens the chosen attachment of an article, if it is a picture. Returns `None` if it is none.
    pub(crate) fn open_attached_picture(&mut self, cx: &mut Context) -> Option<()> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        page.position.link?;
        let (name, file) = page.document()?.attachment(page.position.cursor)?;
        let size = Some(file.raw().len() as u64);
        let mime = suffix::mime(name.as_bytes());
        if mime.is_none() || !is_shown(mime, "", size, cx) {
            return None;
        }
        let (url, title) = (page.url.clone(), Text::of(&name));
        let page = Page::new(url, title, file.as_picture(), State::Whole);
        self.arrive(page, Arrival::Append, cx);
        self.finish_page(cx);
        Some(())
    }

    /// Takes a rendered picture, which goes again with its tab.
    pub(crate) fn picture_rendered(&mut self, work: WorkId, rendered: RenderedPicture) {
        let is_awaited = |page: &Page| page.shown_picture.work() == Some(work);
        let Some(page) = self.find_page(is_awaited) else {
            return;
        };
        let shown = &mut page.shown_picture;
        let request = shown.rendering.take().map(|(_, request)| request);
        shown.rendered = request.map(|request| (request, rendered));
    }

    /// Enlarges or reduces the picture.
    pub(crate) fn zoom_picture(&mut self, zoom: Zoom, cx: &mut Context) {
        let Some((page, window)) = self.picture_window(cx) else {
            return cx.notify("no picture on this page");
        };
        let view = &mut page.shown_picture.view;
        match zoom {
            Zoom::In if window.can_zoom(*view) => view.zoom += 1,
            Zoom::In => cx.notify("no larger zoom"),
            Zoom::Out if view.zoom > 0 => view.zoom -= 1,
            Zoom::Out | Zoom::Fit => *view = PictureView::default(),
        }
        cx.pages_changed();
    }

    /// Moves the shown part of the picture. Returns `None` if the page is none.
    pub(crate) fn pan_picture(&mut self, motion: Motion, cx: &Context) -> Option<()> {
        let down = match motion {
            Motion::Rows(rows) => STEP * f64::from(i32::try_from(rows).ok()?),
            Motion::Screens(screens, of) => {
                f64::from(i32::try_from(screens).ok()?) / f64::from(i32::try_from(of).ok()?)
            }
            Motion::Edge(Edge::Top) => f64::MIN,
            Motion::Edge(Edge::Bottom) => f64::MAX,
        };
        self.move_picture(0.0, down, cx)
    }

    /// Moves the shown part of the picture sideways. Returns `None` if the page is none.
    pub(crate) fn pan_picture_sideways(&mut self, right: bool, cx: &Context) -> Option<()> {
        self.move_picture(if right { STEP } else { -STEP }, 0.0, cx)
    }

    fn move_picture(&mut self, right: f64, down: f64, cx: &Context) -> Option<()> {
        let (page, window) = self.picture_window(cx)?;
        let view = &mut page.shown_picture.view;
        *view = window.moved(*view, right, down);
        Some(())
    }

    /// Returns the page with the focus, and the shown part of its picture.
    fn picture_window(&mut self, cx: &Context) -> Option<(&mut Page, Window)> {
        let area = cx.layout.pane(self.tab()?.focus())?;
        let page = self.page_mut()?;
        let request = page.shown_picture.request(area, cx.graphics);
        let window = Window::new(&page.document()?.picture()?.pixels, &request);
        Some((page, window))
    }
}

impl Page {
    /// Drops the pixels of a picture that is not on the screen any more, and what is decoded of it.
    pub(crate) fn leave_picture(&mut self) {
        let rendered = self
            .rendered
            .as_mut()
            .map(|rendered| &mut rendered.document);
        let document = rendered.or_else(|| self.content.document_mut());
        let Some(document) = document.filter(|document| document.shape() == Shape::Picture) else {
            return;
        };
        document.drop_picture();
        self.finishing = None;
        self.shown_picture.rendered = None;
        self.shown_picture.rendering = None;
    }
}
