//! Pictures on the screen: their zoom, the part that is shown, and its rendering in a task.

use std::sync::Arc;

use crate::Rect;
use geomys_load::PICTURE_LIMIT;
use geomys_page::document::picture::{
    Graphics, IS_BUILT_IN, MIME_TYPES, PicturePart, RenderRequest, RenderedPicture, Window,
};
use geomys_page::document::{Document, Kind, suffix};
use geomys_wire::text;
use rfc1738::Url;

use crate::action::Action;
use crate::keymap::KeyContext;
use crate::motion::{Edge, Motion};
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;
use crate::view::work::{Work, WorkId, WorkResult};
use crate::{Context, Settings};

/// The share of the shown part by which a key moves it.
const STEP: f64 = 0.125;

/// A picture, and what is rendered of it.
#[derive(Debug)]
pub struct PictureView {
    /// The document: one row about the picture.
    pub rows: Viewport,
    /// The zoom and the shown part.
    pub part: PicturePart,
    /// The rendered part, and the request for it.
    rendered: Option<(RenderRequest, RenderedPicture)>,
    /// The task that renders the next one.
    rendering: Option<(WorkId, RenderRequest)>,
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

/// Returns the area of a picture in its pane: below its row.
pub fn picture_area(pane: Rect) -> Rect {
    let above = if pane.height > 4 { 2 } else { 1 }.min(pane.height);
    Rect {
        y: pane.y + above,
        height: pane.height - above,
        ..pane
    }
}

impl From<Document> for PictureView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            part: PicturePart::default(),
            rendered: None,
            rendering: None,
        }
    }
}

impl PictureView {
    /// Returns the rendered part, and the request for it; `None` while the source of the picture is shown.
    pub fn shown(&self) -> Option<&(RenderRequest, RenderedPicture)> {
        let rendered = self.rendered.as_ref();
        rendered.filter(|_| self.rows.rendered.is_none())
    }

    /// Returns the request for the shown part in this pane.
    fn request(&self, pane: Rect, graphics: Option<Graphics>) -> RenderRequest {
        let area = picture_area(pane);
        RenderRequest::new((area.width, area.height), self.part, graphics)
    }

    /// Returns the shown part of the picture; `None` before it is decoded.
    fn window(&self, at: &ViewContext<'_>) -> Option<Window> {
        let request = self.request(at.pane, at.cx.graphics);
        let picture = self.rows.document.picture()?;
        Some(Window::new(&picture.pixels, &request))
    }

    /// Returns true while the picture is decoded.
    pub(crate) fn is_decoding(&self) -> bool {
        self.rows.finishing.is_some()
    }

    /// Begins to decode the picture if it has arrived, and its memory has room beside `used` octets. Returns true if it
    /// has begun.
    pub(crate) fn decode(&mut self, state: &State, used: u64, cx: &mut Context) -> bool {
        let budget = cx.settings.memory.pages;
        let document = &mut self.rows.document;
        if state.is_arriving() || self.rows.finishing.is_some() {
            return false;
        }
        let Some(needed) = document.picture_memory() else {
            return false;
        };
        if used.saturating_add(needed as u64) > budget {
            let [needed, budget] = [needed as u64, budget].map(text::octets);
            document.refuse_picture(format!("it needs {needed}, and all pages have {budget}"));
            return false;
        }
        let decoding = document.decoding_picture(needed);
        self.rows.await_document(Work::Finish(decoding), cx);
        true
    }

    /// Requests the rendering of the shown part in this pane, unless it is rendered.
    pub(crate) fn render(&mut self, pane: Rect, cx: &mut Context) {
        let Some(picture) = self.rows.document.picture() else {
            return;
        };
        let request = self.request(pane, cx.graphics);
        let is_rendered = self.rendered.as_ref().map(|(of, _)| *of) == Some(request);
        if is_rendered || self.rendering.is_some() {
            return;
        }
        let work = cx.next_work();
        cx.start_work(work, Work::Render(Arc::clone(picture), request));
        self.rendering = Some((work, request));
    }

    /// Moves the shown part.
    fn pan(&mut self, right: f64, down: f64, at: &ViewContext<'_>) -> Outcome {
        let Some(window) = self.window(at) else {
            return Outcome::Ignored;
        };
        self.part = window.moved(self.part, right, down);
        Outcome::Done
    }

    /// Enlarges or reduces the picture, or shows all of it.
    fn zoom(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        let Some(window) = self.window(at) else {
            return Outcome::Ignored;
        };
        match action {
            Action::ZoomIn if window.can_zoom(self.part) => self.part.zoom += 1,
            Action::ZoomIn => at.cx.notify("No larger zoom"),
            Action::ZoomOut if self.part.zoom > 0 => self.part.zoom -= 1,
            _ => self.part = PicturePart::default(),
        }
        at.cx.pages_changed();
        Outcome::Done
    }
}

impl ViewKind for PictureView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        self.rows.contexts(Some(KeyContext::Picture))
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        let outcome = match action {
            Action::ZoomIn | Action::ZoomOut | Action::ZoomFit => return self.zoom(action, at),
            Action::ScrollLeft => self.pan(-STEP, 0.0, at),
            Action::ScrollRight => self.pan(STEP, 0.0, at),
            _ => Outcome::Ignored,
        };
        match outcome {
            Outcome::Ignored => self.rows.act(action, at),
            outcome => outcome,
        }
    }

    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        let float = |number: isize| i32::try_from(number).map_or(0.0, f64::from);
        let down = match motion {
            Motion::Rows(rows) => STEP * float(rows),
            Motion::Screens(screens, of) => float(screens) / float(of.cast_signed()),
            Motion::Edge(Edge::Top) => f64::MIN,
            Motion::Edge(Edge::Bottom) => f64::MAX,
        };
        if matches!(self.pan(0.0, down, at), Outcome::Ignored) {
            self.rows.move_by(motion, at.area);
        }
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![(Action::ZoomIn, "zoom"), (Action::Save, "save")]
    }

    fn awaits(&self, work: WorkId) -> bool {
        let rendering = self.rendering.map(|(rendering, _)| rendering);
        rendering == Some(work) || self.rows.awaits(work)
    }

    fn take(&mut self, work: WorkId, result: WorkResult, at: &mut ViewContext<'_>) -> Outcome {
        match result {
            WorkResult::Rendered(rendered) => {
                let request = self.rendering.take().map(|(_, request)| request);
                self.rendered = request.map(|request| (request, rendered));
                Outcome::Done
            }
            result => self.rows.take(work, &result, at),
        }
    }

    /// Drops the pixels, and what is decoded.
    fn leave_screen(&mut self) {
        self.rows.document.drop_rows();
        self.rows.own_document_mut().drop_picture();
        self.rows.finishing = None;
        self.rendered = None;
        self.rendering = None;
    }

    fn memory(&self) -> usize {
        let rendered = self.rendered.as_ref();
        let rendered = rendered.map_or(0, |(_, rendered)| rendered.memory());
        self.rows.own_document().memory().saturating_add(rendered)
    }
}
