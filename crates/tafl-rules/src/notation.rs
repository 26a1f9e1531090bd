//! Notations of other programs and sites: readers and writers on texts, which refuse what they cannot represent.

pub mod aagenielsen;
pub mod follow;
pub mod games;
pub mod opentafl;
pub mod taflzero;
pub mod words;
