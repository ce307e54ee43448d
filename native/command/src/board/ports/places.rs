//! `flylead ports --labgrid`

use flylead_native::labgrid::{self, Place};
use serde_json::{Value, json};

use crate::{
    Common, Exit, Failure,
    terminal::{name, print},
};

/// Lists the places of the lab.
pub(super) async fn list(common: &Common) -> Result<Exit, Failure> {
    let places = labgrid::places().await?;
    let text = match common.json {
        true => format!("{}\n", places.iter().map(as_json).collect::<Value>()),
        false => as_table(&places),
    };
    print(text)?;
    if places.is_empty() {
        common.note("the lab has no places; `labgrid-client -p NAME create` makes one");
    }
    Ok(Exit::Done)
}

fn as_json(place: &Place) -> Value {
    json!({
        "address": format!("labgrid:{}", place.name), "tags": place.tags, "acquired": place.acquired,
        "comment": place.comment,
    })
}

fn as_table(places: &[Place]) -> String {
    let rows: Vec<_> = places.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let line = |[place, acquired, tags, comment]: &[String; 4]| {
        let [a, b, c] = widths;
        let line = format!("{place:a$}  {acquired:b$}  {tags:c$}  {comment}");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(place: &Place) -> [String; 4] {
    let tags = place
        .tags
        .iter()
        .map(|(key, value)| format!("{key}={value}"));
    let tags: Vec<_> = tags.collect();
    let acquired = match &place.acquired {
        Some(by) => format!("acquired by {by}"),
        None => "free".to_owned(),
    };
    [
        name(&format!("labgrid:{}", place.name)).into_owned(),
        name(&acquired).into_owned(),
        name(&tags.join(",")).into_owned(),
        name(&place.comment).into_owned(),
    ]
}
