//! Names that Windows reserves for devices.

/// Returns true if Windows treats a name as a device, regardless of case and extension: `NUL`, `nul.txt` and `Com1.a.b`
/// are (Microsoft, "Naming Files, Paths, and Namespaces"); `CONIN$` and `CONOUT$` belong to the console.
pub(crate) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let is = |device: &&str| stem.eq_ignore_ascii_case(device);
    DEVICES.iter().any(is) || is_numbered(stem)
}

/// Returns true for `COM1` to `COM9` and `LPT1` to `LPT9`; superscript digits count too.
fn is_numbered(stem: &str) -> bool {
    let mut letters = stem.chars();
    let number = letters.next_back();
    let name = letters.as_str();
    matches!(number, Some('1'..='9' | '¹' | '²' | '³'))
        && (name.eq_ignore_ascii_case("COM") || name.eq_ignore_ascii_case("LPT"))
}

const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
