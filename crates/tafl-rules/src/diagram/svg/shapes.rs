//! The outlines of pieces.

use crate::Piece;

const DIAMOND: &str = "<path d=\"M0-15L15 0L0 15L-15 0Z\" fill=\"#2b2a33\" stroke=\"#2b2a33\" \
                       stroke-width=\"3\" stroke-linejoin=\"round\"/>";
const DISC: &str = "<circle r=\"13.5\" fill=\"#fffaf0\" stroke=\"#3a2c20\" stroke-width=\"2\"/>";
const INNER_RING: &str =
    "<circle r=\"7.5\" fill=\"none\" stroke=\"#3a2c20\" stroke-width=\"1.4\"/>";
const GOLDEN_CHEVRONS: &str = "<path d=\"M-6 6L0 0L6 6M-6 0L0-6L6 0\" fill=\"none\" stroke=\"#f0c75e\" \
                               stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>";
const RED_CHEVRONS: &str = "<path d=\"M-6 6L0 0L6 6M-6 0L0-6L6 0\" fill=\"none\" stroke=\"#8a1c1c\" \
                            stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>";
const WIDE_DISC: &str =
    "<circle r=\"15.5\" fill=\"#fffaf0\" stroke=\"#3a2c20\" stroke-width=\"2\"/>";
const CROWN: &str = "<path d=\"M-9.5 7.5L-11-5.5L-5-.5L0-9L5-.5L11-5.5L9.5 7.5Z\" fill=\"#e0a92a\" \
                     stroke=\"#3a2c20\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>";

/// Returns what a kind of piece is made of, around the origin: diamonds for attackers, discs for defenders.
pub(super) const fn parts(piece: Piece) -> [&'static str; 2] {
    match piece {
        Piece::Attacker => [DIAMOND, ""],
        Piece::Commander => [DIAMOND, GOLDEN_CHEVRONS],
        Piece::Defender => [DISC, INNER_RING],
        Piece::Knight => [DISC, RED_CHEVRONS],
        Piece::King => [WIDE_DISC, CROWN],
    }
}
