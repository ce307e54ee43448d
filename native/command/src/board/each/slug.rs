//! A board's address as a part of a file's name.

/// Converts an address to letters, digits, dots, underscores and single hyphens. The result is never empty, and never a
/// name that stands for a folder.
pub(super) fn slug(address: &str) -> String {
    let named = address.rsplit_once("://").map_or(address, |(_, rest)| rest);
    let named = named.strip_prefix("/dev/").unwrap_or(named);
    let mut slug = String::new();
    for c in named.chars() {
        let is_plain = c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
        match is_plain {
            true => slug.push(c),
            false if slug.ends_with('-') || slug.is_empty() => {}
            false => slug.push('-'),
        }
    }
    let slug = slug.trim_end_matches('-').trim_start_matches(['.', '-']);
    match slug {
        "" => "board".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn an_address_becomes_a_name_that_stays_in_its_folder() {
        for (address, name) in [
            ("/dev/ttyACM0", "ttyACM0"),
            ("COM7", "COM7"),
            ("id:E6614C311B7E6F35", "id-E6614C311B7E6F35"),
            ("rfc2217://lab.local:4001", "lab.local-4001"),
            ("ws://10.0.0.7:8266/", "10.0.0.7-8266"),
            ("/dev/serial/by-id/usb-a b", "serial-by-id-usb-a-b"),
            ("../../etc", "etc"),
            ("..", "board"),
            ("://", "board"),
        ] {
            assert_eq!(slug(address), name);
        }
    }
}
