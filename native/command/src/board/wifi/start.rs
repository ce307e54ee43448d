//! Lines of `boot.py` that connect the board when it starts.

/// First of our lines in `boot.py`.
const BEGIN: &str = "# flylead wifi: begin";
/// Last of our lines.
const END: &str = "# flylead wifi: end";
const START: &str = include_str!("start.py");
const WEBREPL: &str = "import webrepl\nwebrepl.start()\n";

/// Appends our lines to a `boot.py`, replacing earlier ones.
pub(super) fn with_lines(boot: &str, has_webrepl: bool) -> String {
    let mut text = without_lines(boot);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let webrepl = if has_webrepl { WEBREPL } else { "" };
    text + &format!("{BEGIN}\n{START}{webrepl}{END}\n")
}

/// Removes our lines from a `boot.py`. Lines without an end no longer count as ours.
pub(super) fn without_lines(boot: &str) -> String {
    let line = |text: &str| {
        boot.split_inclusive('\n')
            .position(|it| it.trim_end() == text)
    };
    let (Some(begin), Some(end)) = (line(BEGIN), line(END)) else {
        return boot.to_owned();
    };
    if end < begin {
        return boot.to_owned();
    }
    let lines = boot.split_inclusive('\n').enumerate();
    let others = lines.filter(|(number, _)| !(begin..=end).contains(number));
    others.map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_lines_stay_and_ours_are_there_once() {
        for boot in [
            "",
            "import gc\n",
            "import gc",
            "import gc\r\ngc.collect()\r\n",
        ] {
            let once = with_lines(boot, false);
            assert!(once.starts_with(boot), "{once}");
            assert_eq!(with_lines(&once, false), once);
            let both = with_lines(&once, true);
            assert_eq!(both.matches(BEGIN).count(), 1);
            assert!(both.contains("webrepl.start()"));
            let end = if boot.ends_with('\n') || boot.is_empty() {
                ""
            } else {
                "\n"
            };
            assert_eq!(without_lines(&both), format!("{boot}{end}"));
        }
        let after = format!("{}print(1)\n", with_lines("import gc\n", true));
        assert_eq!(without_lines(&after), "import gc\nprint(1)\n");
        let cut = format!("{BEGIN}\nprint(1)\n");
        assert_eq!(without_lines(&cut), cut);
    }
}
