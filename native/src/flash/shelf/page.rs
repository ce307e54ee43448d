//! Pages of makers, with links to firmware and to the pages of boards.

use super::catalogue::is_board;
use crate::flash::{Catalogue, Entry};

impl Catalogue {
    /// Lists the firmware linked from a page, and the boards whose pages are below it. On a page fetched over https,
    /// links without https are ignored.
    #[must_use]
    pub fn of_page(url: &str, page: &str) -> Self {
        let mut list = Self::default();
        for link in links(page) {
            let place = joined(url, &link);
            if is_downgrade(url, &place) {
                continue;
            }
            let entry = Entry::of_file(&place);
            let name = board_below(url, &place).filter(|name| !list.pages.contains(name));
            match entry {
                Some(entry) if list.firmware.contains(&entry) => {}
                Some(entry) => list.firmware.push(entry),
                None => list.pages.extend(name),
            }
        }
        list
    }
}

/// Returns the addresses of the pages about a board, among the links of a page. Variants of a board, such as
/// `RPI_PICO2-RISCV`, are on its page.
pub(super) fn pages_of_board(url: &str, page: &str, name: &str) -> Vec<String> {
    let of = |name: &str| -> Vec<String> {
        let links = links(page).filter(|link| {
            let path = link.split(['?', '#']).next().unwrap_or_default();
            let last = path.trim_end_matches('/').rsplit('/').next();
            last.is_some_and(|last| !last.is_empty() && is_board(last, name))
        });
        let mut pages: Vec<_> = links.map(|link| joined(url, &link)).collect();
        pages.dedup();
        pages.retain(|page| host(page) == host(url) && !is_downgrade(url, page));
        pages
    };
    match (of(name), name.split_once('-')) {
        (pages, Some((board, _))) if pages.is_empty() => of(board),
        (pages, _) => pages,
    }
}

/// Returns the name of a board whose page is directly below another page.
fn board_below(url: &str, place: &str) -> Option<String> {
    let folder = &url[..=url.rfind('/')?];
    let path = place.split(['?', '#']).next()?;
    let name = path.strip_prefix(folder)?.trim_end_matches('/');
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    (is_name && !name.is_empty()).then(|| name.to_owned())
}

/// Returns true if a link leads from https to an address whose content could be changed in transit.
pub(super) fn is_downgrade(url: &str, place: &str) -> bool {
    url.starts_with("https://") && !place.starts_with("https://")
}

/// Returns the targets of a page's links.
fn links(page: &str) -> impl Iterator<Item = String> {
    page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        let (link, _) = rest[1..].split_once(quote)?;
        Some(link.replace("&amp;", "&"))
    })
}

/// Resolves a link of a page (RFC 3986, section 5, as far as pages with files need it).
fn joined(url: &str, link: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match link {
        _ if link.contains("://") => link.to_owned(),
        _ if link.starts_with("//") => format!("{scheme}:{link}"),
        _ if link.starts_with('/') => format!("{scheme}://{host}{link}"),
        _ => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let slash = if folder.is_empty() { "" } else { "/" };
            let link = link.trim_start_matches("./");
            format!("{scheme}://{host}/{folder}{slash}{link}")
        }
    }
}

fn host(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_boards_and_never_away_from_https() {
        let page = r#"<a href="RPI_PICO"><a href="/download/GENERIC/"><a href="/download/GENERIC"><a href="/about/">
            <a href="?port=rp2"><a href="http://makers.example/download/OLD"><a href="style.css">
            <a href="http://makers.example/RPI_PICO-20260406-v1.28.0.uf2">"#;
        let list = Catalogue::of_page("https://makers.example/download/", page);
        assert_eq!(list.pages, ["RPI_PICO", "GENERIC"]);
        assert_eq!(list.firmware, []);
        let url = "https://makers.example/download/";
        assert_eq!(pages_of_board(url, page, "old"), [""; 0]);
        let why = list.find("pic", None).unwrap_err().to_string();
        assert!(why.contains("did you mean: RPI_PICO"), "{why}");
    }

    #[test]
    fn a_variant_is_on_the_page_of_its_board() {
        let page = r#"<a href="RPI_PICO2"><a href="ESP32_GENERIC"><a href="ESP32_GENERIC_S3">"#;
        let url = "https://makers.example/download/";
        for (name, board) in [
            ("RPI_PICO2-RISCV", "RPI_PICO2"),
            ("ESP32-S3", "ESP32_GENERIC_S3"),
        ] {
            let pages = pages_of_board(url, page, name);
            assert_eq!(pages, [format!("{url}{board}")], "{name}");
        }
    }

    #[test]
    fn the_page_of_a_board_is_found_on_the_same_host() {
        let page = r#"<a class="board-card" href="RPI_PICO"><a href="/download/RPI_PICO_W/">
            <a href="https://elsewhere.example/RPI_PICO">"#;
        let url = "https://makers.example/download/";
        assert_eq!(
            pages_of_board(url, page, "pico"),
            ["https://makers.example/download/RPI_PICO"]
        );
        assert_eq!(
            pages_of_board(url, page, "picow"),
            ["https://makers.example/download/RPI_PICO_W/"]
        );
    }
}
