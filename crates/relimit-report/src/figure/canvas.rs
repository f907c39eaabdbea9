//! A canvas in pixels: groups of lines, marks and text with a class, a dash and a title each.
//!
//! The only file that names the plotting crate. It draws whole units, so the canvas is ten times as large as the
//! picture and the view box scales it back: coordinates are exact to a tenth of a pixel.

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};

const TIMES: f64 = 10.0;

/// Colours of Okabe and Ito for marks; the darker shades for text keep a contrast of 4.5:1 on white.
pub(super) mod ink {
    use plotters::style::RGBColor;

    pub(in super::super) const POSITIVE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
    pub(in super::super) const NEGATIVE: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
    pub(in super::super) const NEGATIVE_TEXT: RGBColor = RGBColor(0xB0, 0x4A, 0x00);
    pub(in super::super) const BOUND: RGBColor = RGBColor(0x00, 0x9E, 0x73);
    pub(in super::super) const BOUND_TEXT: RGBColor = RGBColor(0x00, 0x7A, 0x59);
    pub(in super::super) const DATA: RGBColor = RGBColor(0, 0, 0);
    pub(in super::super) const MUTED: RGBColor = RGBColor(0x99, 0x99, 0x99);
    /// Many lines behind others.
    pub(in super::super) const FAINT: RGBColor = RGBColor(0xD0, 0xD0, 0xD0);
    pub(in super::super) const WARNING: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
    pub(in super::super) const MUTED_TEXT: RGBColor = RGBColor(0x59, 0x59, 0x59);
    /// A mixture of two colours: 0 the first, 1 the second.
    pub(in super::super) fn mix(a: RGBColor, b: RGBColor, share: f64) -> RGBColor {
        let one = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        RGBColor(one(a.0, b.0), one(a.1, b.1), one(a.2, b.2))
    }

    /// Lowest and highest level of a shaded surface, dark enough for marks on it.
    pub(in super::super) const LOW: RGBColor = RGBColor(0xFA, 0xFA, 0xFA);
    pub(in super::super) const HIGH: RGBColor = RGBColor(0x8C, 0x8C, 0x8C);
    pub(super) const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
}

/// Dark-theme colours by class; viewers without style sheets show the light ones.
const DARK: &str = "@media (prefers-color-scheme: dark) {
.paper rect { fill: #121212 }
text { fill: #E8E8E8 }
.muted text { fill: #B0B0B0 }
.ink line, .ink polyline, .ink circle { stroke: #E8E8E8 }
.pos polyline, .pos line { stroke: #56B4E9 } .pos text { fill: #56B4E9 } .pos circle { stroke: #56B4E9 }
.neg polyline, .neg line { stroke: #FF8C3B } .neg text { fill: #FF8C3B } .neg circle { stroke: #FF8C3B }
.pos rect { fill: #56B4E9 } .dots circle { fill: #E8E8E8 } .muted line { stroke: #5A5A5A }
.bound polyline, .bound line { stroke: #2FCFA0 } .bound text { fill: #2FCFA0 }
}";

/// A colour of the palette.
pub(super) type Colour = RGBColor;

/// Where text stands relative to its point.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// To the right of the point.
    Left,
    /// Around the point.
    Middle,
    /// To the left of the point.
    Right,
}

/// A group's class (for the theme), dash pattern and tooltip.
#[derive(Clone, Copy, Default)]
pub(super) struct Group<'a> {
    /// One of the classes of the dark theme.
    pub(super) class: &'a str,
    /// Dash lengths in pixels.
    pub(super) dash: Option<(f64, f64)>,
    /// Tooltip, also read by screen readers.
    pub(super) title: Option<&'a str>,
}

impl<'a> Group<'a> {
    /// A group with a class alone.
    pub(super) fn class(class: &'a str) -> Self {
        Self { class, ..Self::default() }
    }
}

/// A picture under construction, sizes in pixels.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

impl Canvas {
    /// An empty white picture.
    pub(super) fn new(width: f64, height: f64) -> Self {
        let mut canvas = Self { width, height, body: String::new() };
        canvas.group(Group::class("paper"), |pen| pen.rect((0.0, 0.0), (width, height), ink::PAPER));
        canvas
    }

    /// Draws one group.
    pub(super) fn group(&mut self, group: Group<'_>, draw: impl FnOnce(&mut Pen<'_>)) {
        let mut text = String::new();
        let size = ((self.width * TIMES) as u32, (self.height * TIMES) as u32);
        let mut pen = Pen { backend: SVGBackend::with_string(&mut text, size) };
        draw(&mut pen);
        pen.backend.present().expect("drawing into a string");
        drop(pen);
        let inner = text.find('>').map_or("", |k| &text[k + 1..]);
        let inner = inner.rfind("</svg>").map_or(inner, |k| &inner[..k]).trim();
        if inner.is_empty() {
            return;
        }
        let dash = group.dash.map_or_else(String::new, |(on, off)| {
            format!(" stroke-dasharray=\"{:.0} {:.0}\"", on * TIMES, off * TIMES)
        });
        let title = group.title.map_or_else(String::new, |t| format!("<title>{}</title>\n", escape(t)));
        self.body.extend(["<g class=\"", group.class, "\"", &dash, ">\n", &title, inner, "\n</g>\n"]);
    }

    /// The document, with its claim as title and a description for those who cannot see it.
    pub(super) fn finish(self, title: &str, description: &str) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {:.0} {:.0}\" \
             role=\"img\" aria-labelledby=\"title desc\" stroke-linejoin=\"round\" stroke-linecap=\"butt\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>{DARK}</style>\n{}</svg>\n",
            w * TIMES,
            h * TIMES,
            escape(title),
            escape(description),
            self.body
        )
    }
}

/// Draws into one group; points in pixels from the upper left corner.
pub(super) struct Pen<'a> {
    backend: SVGBackend<'a>,
}

impl Pen<'_> {
    /// A polyline; points that are not finite are left out.
    pub(super) fn line(&mut self, points: &[(f64, f64)], colour: RGBColor, width: f64, opacity: f64) {
        let points: Vec<(i32, i32)> =
            points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).map(place).collect();
        if points.len() >= 2 {
            self.backend.draw_path(points, &stroke(colour, width, opacity)).expect("drawing into a string");
        }
    }

    /// A straight line.
    pub(super) fn segment(&mut self, a: (f64, f64), b: (f64, f64), colour: RGBColor, width: f64) {
        self.backend.draw_line(place(&a), place(&b), &stroke(colour, width, 1.0)).expect("drawing into a string");
    }

    /// A filled rectangle from its upper left to its lower right corner.
    pub(super) fn rect(&mut self, a: (f64, f64), b: (f64, f64), colour: RGBColor) {
        self.backend.draw_rect(place(&a), place(&b), &colour, true).expect("drawing into a string");
    }

    /// A filled circle.
    pub(super) fn dot(&mut self, centre: (f64, f64), radius: f64, colour: RGBColor) {
        let radius = (radius * TIMES).round() as u32;
        self.backend.draw_circle(place(&centre), radius, &colour, true).expect("drawing into a string");
    }

    /// A ring.
    pub(super) fn ring(&mut self, centre: (f64, f64), radius: f64, colour: RGBColor) {
        let radius = (radius * TIMES).round() as u32;
        let style = stroke(colour, 1.3, 1.0);
        self.backend.draw_circle(place(&centre), radius, &style, false).expect("drawing into a string");
    }

    /// Text of a size in pixels, centred on the height of its point.
    pub(super) fn text(&mut self, point: (f64, f64), at: At, size: f64, colour: RGBColor, text: &str) {
        let pos = Pos::new(
            match at {
                At::Left => HPos::Left,
                At::Middle => HPos::Center,
                At::Right => HPos::Right,
            },
            VPos::Center,
        );
        // The back end divides sizes by 1.24 (points to pixels of its bitmap fonts).
        let font = (FontFamily::SansSerif, size * TIMES * 1.24, FontStyle::Normal);
        let style = TextStyle::from(font).color(&colour).pos(pos);
        self.backend.draw_text(text, &style, place(&point)).expect("drawing into a string");
    }
}

/// Estimated width of text in pixels (DejaVu Sans, a little on the wide side).
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        ' ' | ',' | '.' | ':' | ';' | 'i' | 'j' | 'l' | '\'' | '|' | '(' | ')' => 0.36,
        'f' | 'r' | 't' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '+' | '<' | '=' | '>' => 0.9,
        'A'..='Z' => 0.72,
        _ => 0.64,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// Breaks text into lines of at most `width` pixels.
pub(super) fn lines(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match out.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + 0.6 * size <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => out.push(word.to_owned()),
        }
    }
    out
}

fn place((x, y): &(f64, f64)) -> (i32, i32) {
    let unit = |v: f64| (v * TIMES).round().clamp(-1e6, 1e6) as i32;
    (unit(*x), unit(*y))
}

fn stroke(colour: RGBColor, width: f64, opacity: f64) -> ShapeStyle {
    ShapeStyle { color: colour.mix(opacity), filled: false, stroke_width: (width * TIMES).round() as u32 }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_carry_class_dash_and_escaped_title() {
        let mut canvas = Canvas::new(80.0, 40.0);
        let group = Group { class: "neg", dash: Some((6.0, 4.0)), title: Some("row 3 < row 4 & \"more\"") };
        canvas.group(group, |pen| pen.line(&[(0.0, 0.0), (1.25, f64::NAN), (2.34, 4.0)], ink::NEGATIVE, 1.5, 0.5));
        canvas.group(Group::class("pos"), |_| {});
        let svg = canvas.finish("a & b", "c");
        assert!(svg.contains("<g class=\"neg\" stroke-dasharray=\"60 40\">"));
        assert!(svg.contains("<title>row 3 &lt; row 4 &amp; &quot;more&quot;</title>"));
        assert!(svg.contains("points=\"0,0 23,40 \"") && svg.contains("opacity=\"0.5\""));
        assert!(svg.contains("width=\"80\" height=\"40\" viewBox=\"0 0 800 400\""));
        assert!(!svg.contains("class=\"pos\""), "an empty group leaves nothing");
        assert!(svg.contains("<title id=\"title\">a &amp; b</title>"));
    }

    #[test]
    fn text_breaks_at_its_width() {
        let out = lines("one two three four five six seven", 10.0, 90.0);
        assert!(out.iter().all(|l| text_width(l, 10.0) <= 90.0));
        assert_eq!(out.join(" "), "one two three four five six seven");
    }
}
