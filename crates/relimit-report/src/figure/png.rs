//! SVG to PNG with one embedded font, so that every machine makes the same pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// DejaVu Sans 2.37, assets/DejaVuSans.ttf, licence in assets/DejaVuSans-LICENSE.txt.
const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans.ttf");

/// Why a picture could not be made.
#[derive(Debug)]
pub enum PngError {
    /// The SVG cannot be read.
    Svg(String),
    /// The picture would have no pixels, or too many.
    Size(f64),
    /// The pixels cannot be encoded.
    Encode(String),
}

impl std::fmt::Display for PngError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Svg(why) => write!(f, "the SVG cannot be read: {why}"),
            Self::Size(scale) => write!(f, "scale {scale} leaves no picture of a possible size"),
            Self::Encode(why) => write!(f, "the PNG cannot be encoded: {why}"),
        }
    }
}

impl std::error::Error for PngError {}

/// Renders an SVG document at `scale` pixels per SVG pixel (2 for dense screens); light theme.
///
/// # Errors
/// SVG that cannot be read, or a picture of no pixels or more than 16,384 a side.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, PngError> {
    let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    options.fontdb_mut().set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).map_err(|e| PngError::Svg(e.to_string()))?;
    let side = |v: f32| {
        let v = (f64::from(v) * scale).round();
        (1.0..=16_384.0).contains(&v).then_some(v as u32)
    };
    let size = tree.size();
    let (width, height) = side(size.width()).zip(side(size.height())).ok_or(PngError::Size(scale))?;
    let mut pixels = Pixmap::new(width, height).ok_or(PngError::Size(scale))?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| PngError::Encode(e.to_string()))
}
