//! Builds the command again when the page has changed.

use std::{fs, path::Path};

fn main() {
    let page = Path::new("../web/dist");
    if page.parent().is_some_and(Path::is_dir) && fs::create_dir_all(page).is_ok() {
        // A folder that is not there would count as changed at every build.
        println!("cargo::rerun-if-changed={}", page.display());
    } else {
        println!("cargo::rerun-if-changed=build.rs");
    }
}
