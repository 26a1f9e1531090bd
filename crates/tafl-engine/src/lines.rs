//! Lines of any program: of any length, of any bytes.

use std::io::{BufRead, Read};

/// Bytes beyond which a line is not kept; a position after 10,000 plies has half of them.
const LONGEST: usize = 1 << 17;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line, without its end.
    Text(&'a str),
    /// Bytes that are not UTF-8.
    NotText,
    /// More bytes than a line may have; all of them are skipped.
    TooLong,
    /// There is nothing more.
    End,
}

/// Reads the next line into `bytes`; the last one may lack its end.
pub(crate) fn read_line<'a>(
    input: &mut impl BufRead,
    bytes: &'a mut Vec<u8>,
) -> std::io::Result<Line<'a>> {
    bytes.clear();
    let read = input
        .by_ref()
        .take(LONGEST as u64)
        .read_until(b'\n', bytes)?;
    if read == 0 {
        return Ok(Line::End);
    }
    if bytes.last() != Some(&b'\n') && read == LONGEST {
        input.skip_until(b'\n')?;
        return Ok(Line::TooLong);
    }
    Ok(std::str::from_utf8(bytes).map_or(Line::NotText, |text| {
        Line::Text(text.trim_end_matches(['\r', '\n']))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_those_that_are_none_are_told_apart() {
        let mut text = b"one\r\n\n\xff\xfe\n".to_vec();
        text.extend(vec![b'x'; 3 * LONGEST]);
        text.extend(b"\nlast");
        let mut input = std::io::BufReader::with_capacity(100, &text[..]);
        let mut bytes = Vec::new();
        let mut next = || format!("{:?}", read_line(&mut input, &mut bytes).expect("memory"));
        assert_eq!(next(), "Text(\"one\")");
        assert_eq!(next(), "Text(\"\")");
        assert_eq!(next(), "NotText");
        assert_eq!(next(), "TooLong");
        assert_eq!(next(), "Text(\"last\")");
        assert_eq!(next(), "End");
    }
}
