//! Text from files, made fit for a terminal and for one field of a line.

use std::fmt::Write;

/// `text` with everything escaped that is no visible character of its own: control characters
/// (U+0000, tabs and line ends among them), line separators, marks that hide or turn text around,
/// and the backslash, so that nothing is ambiguous.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push_str("\\0"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            _ if c.is_control() || is_hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// `text` escaped and in quotes, at most about 200 characters of it.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("\"{}...\"", escaped(&text[..end])),
        None => format!("\"{}\"", escaped(text)),
    }
}

/// Zero-width, line-separating and direction-changing characters.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelt() {
        assert_eq!(escaped("a\0b\tc\n\u{1b}[0m\\\u{7f}"), "a\\0b\\tc\\n\\u{1b}[0m\\\\\\u{7f}");
        assert_eq!(escaped("x\u{202e}y\u{2028}"), "x\\u{202e}y\\u{2028}");
        assert_eq!(escaped("e\u{301}.权重 'q'"), "e\u{301}.权重 'q'");
    }

    #[test]
    fn long_names_are_cut_in_messages() {
        assert_eq!(quoted("a\"b"), "\"a\"b\"");
        assert_eq!(quoted(&"é".repeat(70_000)), format!("\"{}...\"", "é".repeat(200)));
    }
}
