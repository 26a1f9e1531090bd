//! Notations of other programs and sites: readers and writers on texts, which refuse what they cannot represent.

pub mod aagenielsen;
mod above;
mod borders;
pub mod counted;
#[cfg(feature = "rayon")]
pub mod fit;
pub mod follow;
pub mod games;
mod headings;
mod names;
pub mod opentafl;
pub mod own;
mod scores;
mod spelling;
mod table;
pub mod taflzero;
mod tags;
pub mod words;
