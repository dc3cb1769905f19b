//! The picture of a page on the screen: its zoom, and what is rendered of it.

use geomys_page::document::picture::{Graphics, PictureView, RenderRequest, RenderedPicture};
use ratatui::layout::Rect;

use crate::app::WorkId;

/// The picture of a page on the screen.
#[derive(Debug, Default)]
pub struct ShownPicture {
    /// The zoom and the shown part.
    pub view: PictureView,
    /// The rendered part, and the request for it.
    pub rendered: Option<(RenderRequest, RenderedPicture)>,
    /// The task that renders the next one.
    pub(super) rendering: Option<(WorkId, RenderRequest)>,
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

impl ShownPicture {
    /// The task that renders the picture.
    pub(crate) fn work(&self) -> Option<WorkId> {
        self.rendering.as_ref().map(|(work, _)| *work)
    }

    /// Returns the memory of what is rendered, in octets.
    pub(crate) fn memory(&self) -> usize {
        let rendered = self.rendered.as_ref();
        rendered.map_or(0, |(_, rendered)| rendered.memory())
    }

    /// Returns the request for the shown part in this pane.
    pub(crate) fn request(&self, pane: Rect, graphics: Option<Graphics>) -> RenderRequest {
        let area = picture_area(pane);
        RenderRequest::new((area.width, area.height), self.view, graphics)
    }
}
