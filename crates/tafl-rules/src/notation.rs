//! Notations of other programs and sites: readers and writers on texts, which refuse what they cannot represent.

pub mod aagenielsen;
pub mod opentafl;
pub mod taflzero;
