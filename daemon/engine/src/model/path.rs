//! Paths as memories name files, made plain without looking at the disk.

use std::borrow::Cow;

/// What stands in an address and in no path.
const ADDRESS_MARK: &str = "://";

/// A path without `.` and without `..` where that leads back out of a part of it: `src/deep/../a.rs` is `src/a.rs`. What leads
/// out of the path itself stays, a slash at its end too, and an address is left alone.
#[must_use]
pub fn plain_path(path: &str) -> Cow<'_, str> {
    let is_plain = path.split('/').all(|part| !matches!(part, "." | ".."));
    if is_plain || path.contains(ADDRESS_MARK) {
        return Cow::Borrowed(path);
    }
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(&last)) if last != ".." => {
                parts.pop();
            }
            ("..", None) if is_absolute => {}
            (part, _) => parts.push(part),
        }
    }
    let mut plain = String::with_capacity(path.len());
    plain.push_str(if is_absolute { "/" } else { "" });
    plain.push_str(&parts.join("/"));
    match plain.as_str() {
        "" => plain.push('.'),
        "/" => {}
        _ if path.ends_with('/') => plain.push('/'),
        _ => {}
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_back_is_taken_out() {
        for (given, plain) in [
            ("src/a.rs", "src/a.rs"),
            ("src/deep/../a.rs", "src/a.rs"),
            ("src/deep/../../a.rs", "a.rs"),
            ("./src/./a.rs", "src/a.rs"),
            ("src/a/..", "src"),
            ("src/a/../", "src/"),
            ("src/..", "."),
            ("../a.rs", "../a.rs"),
            ("../../b/../a.rs", "../../a.rs"),
            ("src/../../a.rs", "../a.rs"),
            ("/p/src/../a.rs", "/p/a.rs"),
            ("/../a.rs", "/a.rs"),
            ("/..", "/"),
            ("src/", "src/"),
            ("a..b/.c/...", "a..b/.c/..."),
            ("", ""),
            ("https://example.org/a/../b", "https://example.org/a/../b"),
        ] {
            assert_eq!(plain_path(given), plain, "{given}");
            assert_eq!(plain_path(plain), plain, "{plain} is plain already");
        }
    }
}
