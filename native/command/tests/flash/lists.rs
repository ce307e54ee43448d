use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

use flylead_core::uf2::Family;
use flylead_tests::boards::{BootChip, BootDrive};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{firmware, flash, name};
use crate::common::{folder, run, write};

/// A maker's site on loopback: pages and files by their paths, which may change.
#[derive(Clone)]
struct Site {
    url: String,
    pages: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
    broken: Arc<Mutex<Option<String>>>,
}

impl Site {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
        let site = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            pages: Arc::default(),
            asked: Arc::default(),
            broken: Arc::default(),
        };
        let own = site.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                own.answer(client.expect("a client"));
            }
        });
        site
    }

    fn answer(&self, mut client: std::net::TcpStream) {
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        let first = lines
            .next()
            .unwrap_or(Ok(String::new()))
            .unwrap_or_default();
        while lines
            .next()
            .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
        {}
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let page = self.pages.lock().unwrap().get(&path).cloned();
        let is_broken = self.broken.lock().unwrap().as_ref() == Some(&path);
        self.asked.lock().unwrap().push(path);
        let status = match page {
            _ if is_broken => "500 Internal Server Error",
            Some(_) => "200 OK",
            None => "404 Not Found",
        };
        let body = page.unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let _ = client.write_all(head.as_bytes());
        let _ = client.write_all(&body);
    }

    fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        let content = content.into();
        self.pages.lock().unwrap().insert(path.to_owned(), content);
    }

    /// A path at which the site has a fault of its own.
    fn breaks_at(&self, path: &str) {
        *self.broken.lock().unwrap() = Some(path.to_owned());
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// A site laid out as MicroPython's: a page with all boards, one for each board, and the files elsewhere.
fn makers() -> (Site, Vec<u8>) {
    let site = Site::start();
    let boards = "<a class=\"board-card\" href=\"RPI_PICO\">Pico</a><a class=\"board-card\" href=\"RPI_PICO_W\">W</a>";
    site.put("/download/", boards);
    let mut links = String::new();
    let mut newest = Vec::new();
    for (date, version, length) in [("20241129", "1.24.1", 3000), ("20260406", "1.28.0", 5000)] {
        let path = format!("/resources/firmware/RPI_PICO-{date}-v{version}.uf2");
        links.push_str(&format!("<li><a href=\"{path}\">v{version}</a></li>"));
        let (file, bytes) = firmware(Family::RP2040, length);
        site.put(&path, file);
        newest = bytes;
    }
    site.put("/download/RPI_PICO", links);
    (site, newest)
}

/// `flylead flash` with a cache of its own.
fn from(place: &str, cache: &TempDir, arguments: &[&str]) -> Command {
    let mut command = flash(&[arguments, &["--firmware", place]].concat());
    command.env("XDG_CACHE_HOME", cache.path());
    command
}

fn must(command: Command) -> String {
    let (code, stdout, stderr) = run(command);
    assert_eq!(code, 0, "{stderr}");
    stdout
}

fn refused(command: Command, sign: &str) {
    let (code, stdout, stderr) = run(command);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains(sign), "{sign}: {stderr}");
}

#[test]
fn a_board_gets_the_newest_firmware_of_its_makers_by_name() {
    let (site, newest) = makers();
    let cache = folder();
    let place = format!("{}/download/", site.url);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--yes", "pico", "--drive", name(drive.path())];
    let said = must(from(&place, &cache, &words));
    assert!(said.contains("written to Raspberry Pi RP2"), "{said}");
    assert!(drive.gone().starts_with(&newest));

    // The list and the file are in the cache now: the site is not asked again, not even if it has gone.
    site.asked();
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--yes", "rpi_pico", "--drive", name(drive.path())];
    must(from(&place, &cache, &words));
    assert!(drive.gone().starts_with(&newest));
    assert_eq!(site.asked(), [""; 0]);
    let lists = fs::read_dir(cache.path().join("flylead/catalogues")).unwrap();
    let list = fs::read_to_string(lists.map(|it| it.unwrap().path()).next().unwrap()).unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    let hashes: Vec<_> = list["firmware"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["sha256"].is_string())
        .collect();
    assert_eq!(hashes, [false, true], "{list}");
}

#[test]
fn versions_are_listed_and_chosen() {
    let (site, _) = makers();
    let cache = folder();
    let place = format!("{}/download/", site.url);
    let said = must(from(&place, &cache, &["--list", "pico"]));
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].contains("1.28.0") && lines[1].contains("1.24.1"),
        "{said}"
    );
    let listed = must(from(&place, &cache, &["--json", "--list", "pico"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed[0]["board"], "RPI_PICO");
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let at = ["--drive", name(drive.path()), "--dry-run", "pico"];
    let said = must(from(
        &place,
        &cache,
        &[&at[..], &["--version", "v1.24.1"]].concat(),
    ));
    assert!(said.contains("RPI_PICO-20241129-v1.24.1.uf2"), "{said}");
    let other = [&at[..], &["--version", "1.2"]].concat();
    refused(
        from(&place, &cache, &other),
        "available versions: 1.28.0, 1.24.1",
    );
    refused(
        from(&place, &cache, &["--list", "toaster"]),
        "no firmware is listed for a board named toaster",
    );
}

#[test]
fn a_file_that_has_changed_at_its_makers_is_refused_until_the_list_is_renewed() {
    let (site, _) = makers();
    let cache = folder();
    let place = format!("{}/download/", site.url);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--dry-run", "pico", "--drive", name(drive.path())];
    must(from(&place, &cache, &words));
    let path = "/resources/firmware/RPI_PICO-20260406-v1.28.0.uf2";
    site.put(path, firmware(Family::RP2040, 9000).0);
    fs::remove_dir_all(cache.path().join("flylead/firmware")).unwrap();
    refused(
        from(&place, &cache, &words),
        "differs from the one that is listed",
    );
    must(from(&place, &cache, &[&words[..], &["--renew"]].concat()));
}

#[test]
fn a_mirror_with_a_list_of_its_own_has_hashes() {
    let site = Site::start();
    let cache = folder();
    let place = format!("{}/mirror", site.url);
    let file = format!("{}/files/a.uf2", site.url);
    let entry = json!({ "board": "LAB_BOARD", "version": "1.0", "file": "a.uf2", "place": file, "sha256": "00" });
    site.put(
        "/mirror/catalogue.json",
        json!({ "firmware": [entry] }).to_string(),
    );
    site.put("/files/a.uf2", firmware(Family::RP2040, 5000).0);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--yes", "lab-board", "--drive", name(drive.path())];
    refused(
        from(&place, &cache, &words),
        "differs from the one that is listed",
    );
    assert!(drive.flash().is_empty());
}

/// Its page has links without hashes.
#[test]
fn a_page_does_not_stand_in_for_a_list_that_is_broken() {
    let site = Site::start();
    let cache = folder();
    let place = format!("{}/mirror/", site.url);
    site.put(
        "/mirror/",
        "<a href=\"RPI_PICO-20260406-v1.28.0.uf2\">x</a>",
    );
    let file = "/mirror/RPI_PICO-20260406-v1.28.0.uf2";
    site.put(file, firmware(Family::RP2040, 5000).0);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let words = ["--dry-run", "pico", "--drive", name(drive.path())];
    site.put("/mirror/catalogue.json", "{\"firmware\": [");
    refused(from(&place, &cache, &words), "is not a valid firmware list");
    site.breaks_at("/mirror/catalogue.json");
    refused(from(&place, &cache, &words), "/mirror/catalogue.json");
    site.pages.lock().unwrap().remove("/mirror/catalogue.json");
    *site.broken.lock().unwrap() = None;
    must(from(&place, &cache, &words));
}

/// The first page of MicroPython's makers leads to boards, and to no file.
#[test]
fn boards_are_listed_by_the_links_to_their_pages() {
    let (site, _) = makers();
    let cache = folder();
    let place = format!("{}/download/", site.url);
    assert_eq!(
        must(from(&place, &cache, &["--list"])),
        "RPI_PICO\nRPI_PICO_W\n"
    );
    must(from(&place, &cache, &["--list", "pico"]));
    let listed = must(from(&place, &cache, &["--json", "--list"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let of = |at: usize| [&listed[at]["board"], &listed[at]["version"]];
    assert_eq!(of(0), [&json!("RPI_PICO"), &json!("1.24.1")]);
    assert_eq!(of(2), [&json!("RPI_PICO_W"), &Value::Null]);
    let why = "did you mean: RPI_PICO, RPI_PICO_W";
    refused(from(&place, &cache, &["--list", "pic"]), why);
}

#[test]
fn an_old_list_of_one_board_is_read_again_whatever_was_fetched_since() {
    let (site, _) = makers();
    let cache = folder();
    let place = format!("{}/download/", site.url);
    must(from(&place, &cache, &["--list", "pico"]));
    let lists = fs::read_dir(cache.path().join("flylead/catalogues")).unwrap();
    let kept = lists.map(|it| it.unwrap().path()).next().unwrap();
    let mut list: Value = serde_json::from_slice(&fs::read(&kept).unwrap()).unwrap();
    list["read"]["RPI_PICO"] = json!(1);
    fs::write(kept, list.to_string()).unwrap();
    site.asked();
    must(from(&place, &cache, &["--list", "pico"]));
    let page = "/download/RPI_PICO".to_owned();
    assert!(site.asked().contains(&page));
    must(from(&place, &cache, &["--list", "pico"]));
    assert_eq!(site.asked(), [""; 0]);
}

#[test]
fn a_folder_needs_no_network() {
    let (files, cache) = (folder(), folder());
    let (file, bytes) = firmware(Family::RP2040, 5000);
    write(&files, "RPI_PICO-20260406-v1.28.0.uf2", file);
    write(&files, "notes.txt", "");
    let place = name(files.path());
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let mut command = flash(&["--yes", "pico", "--drive", name(drive.path())]);
    command.env("FLYLEAD_FIRMWARE", place);
    must(command);
    assert!(drive.gone().starts_with(&bytes));
    let said = must(from(place, &cache, &["--list"]));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
fn without_a_network_the_way_around_is_told() {
    let cache = folder();
    let sign = "Without a network, name a file, or a folder of firmware with --firmware DIR";
    refused(
        from("http://127.0.0.1:9/", &cache, &["pico", "--yes"]),
        sign,
    );
}

#[test]
fn a_file_from_the_network_is_written_if_it_has_the_expected_hash() {
    let site = Site::start();
    let cache = folder();
    let (file, bytes) = firmware(Family::RP2040, 5000);
    let kept = write(&cache, "a.uf2", &file);
    site.put("/a.uf2?raw=1", file);
    site.put("/page.uf2", "<!DOCTYPE html><p>Please log in");
    let url = format!("{}/a.uf2?raw=1", site.url);
    let drive = BootDrive::plug_in(BootChip::Rp2040);
    let at = ["--drive", name(drive.path()), "--yes"];
    let page = format!("{}/page.uf2", site.url);
    refused(flash(&[&at[..], &[&page]].concat()), "it is a web page");
    let wrong = [&at[..], &[&url, "--sha256", "beef"]].concat();
    refused(flash(&wrong), "not the expected one");
    let sum = Command::new("sha256sum").arg(kept).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let sum = sum.split(' ').next().unwrap();
    must(flash(&[&at[..], &[&url, "--sha256", sum]].concat()));
    assert!(drive.gone().starts_with(&bytes));
}
