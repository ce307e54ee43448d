//! Directions of imports between the rooms of the page (web/README.md): a room imports those below it, and none above.

/// Returns the imports of a file of the page that point upwards; one fault for a file without a room.
pub(super) fn faults(path: &str, text: &str) -> Vec<String> {
    let Some(importer) = path.strip_prefix(SOURCES) else {
        return Vec::new();
    };
    // main.ts and style.css are what index.html names.
    if !importer.contains('/') {
        return Vec::new();
    }
    let Some(from) = place(importer) else {
        return vec![format!("{path}: is in no room of {HERE}")];
    };
    imports(text)
        .filter_map(|import| resolve(importer, import))
        .filter(|imported| place(imported).is_some_and(|to| to < from))
        .map(|imported| format!("{path}: imports {imported}, of a room above (see {HERE})"))
        .collect()
}

/// Returns the place of a file's room, from the top.
fn place(path: &str) -> Option<usize> {
    let rooms = ROOMS.iter().enumerate();
    rooms
        .filter(|(_, room)| path.starts_with(**room))
        .max_by_key(|(_, room)| room.len())
        .map(|(place, _)| place)
}

/// Returns the relative addresses in quotation marks.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.split('"')
        .filter(|quoted| quoted.starts_with("./") || quoted.starts_with("../"))
}

/// Returns the path of an import below [`SOURCES`]; none if it leads out of there.
fn resolve(importer: &str, import: &str) -> Option<String> {
    let mut folders: Vec<&str> = importer.split('/').collect();
    folders.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => {
                folders.pop()?;
            }
            name => folders.push(name),
        }
    }
    Some(folders.join("/"))
}

const SOURCES: &str = "web/src/";
const HERE: &str = "tests/xtask/tidy/arrows.rs";
/// Rooms from the top; a file is in the one with the longest name that its path begins with. Run saves modules by
/// `tools/files/`, so that tool is below it.
const ROOMS: [&str; 13] = [
    "app/",
    "tools/",
    "run/",
    "tools/files/",
    "tools/notices.ts",
    "editor/",
    "boards/",
    "places/",
    "guide/",
    "ui/",
    "texts/",
    "storage/",
    "time.ts",
];

#[cfg(test)]
mod tests {
    use super::faults;

    const TEXT: &str =
        "import { a } from \"../../run/run.ts\";\nimport type { B } from \"./session.ts\";\n";

    #[test]
    fn an_import_from_a_room_above_is_named() {
        let found = faults("web/src/boards/terminal/a.ts", TEXT);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("run/run.ts"));
    }

    #[test]
    fn tools_are_above_run_except_for_the_files() {
        assert!(faults("web/src/tools/debug/a.ts", TEXT).is_empty());
        assert_eq!(faults("web/src/tools/files/a.ts", TEXT).len(), 1);
        let files = "import \"../tools/files/files.ts\"";
        assert!(faults("web/src/run/a.ts", files).is_empty());
        let panel = "import \"../tools/agent/panel.ts\"";
        assert_eq!(faults("web/src/run/a.ts", panel).len(), 1);
    }

    #[test]
    fn later_imports_and_styles_count_and_what_is_outside_does_not() {
        let later = "await import(\"../tools/files/files.ts\")";
        assert_eq!(faults("web/src/places/a.ts", later).len(), 1);
        assert!(faults("native/src/a.rs", later).is_empty());
        let style = "@import \"../editor/editor.css\";";
        assert_eq!(faults("web/src/ui/a.css", style).len(), 1);
        let outside = "import guide from \"../../../docs/guide/files.md\"";
        assert!(faults("web/src/guide/pages.ts", outside).is_empty());
        assert!(faults("web/src/main.ts", "import(\"./app/app.ts\")").is_empty());
    }

    #[test]
    fn a_new_room_has_a_place_among_them() {
        assert_eq!(faults("web/src/things/a.ts", "").len(), 1);
    }
}
