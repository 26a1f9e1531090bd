//! Notations of other programs and sites: readers and writers on texts, which refuse what they cannot represent.

pub mod aagenielsen;
mod above;
mod borders;
mod colors;
pub mod counted;
mod ends;
#[cfg(feature = "rayon")]
pub mod fit;
pub mod follow;
pub mod games;
mod headings;
mod lines;
mod names;
mod numbers;
pub mod opentafl;
pub mod own;
mod parts;
mod spelling;
mod table;
pub mod taflzero;
mod tags;
mod telling;
pub mod words;
mod written;
