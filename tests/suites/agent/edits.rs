//! Edits against a model that is too simple to be wrong.

use flylead_core::agent::{LineRange, edit};
use flylead_tests::dice::Dice;

#[test]
fn a_hundred_thousand_edits_do_what_the_model_does() {
    let mut done = 0;
    for seed in 0..100_000 {
        let mut dice = Dice::new(seed);
        let file = file(&mut dice);
        let first = dice.below(edit::count_lines(&file) + 2);
        let last = (first + dice.below(4)).saturating_sub(usize::from(dice.once_in(6)));
        let replacement: String = (0..dice.below(4))
            .map(|_| dice.pick(&["new\n", "\n", "  ö\n"]))
            .collect();
        let range = LineRange {
            first: first as u32,
            last: last as u32,
        };
        let edited = edit::apply(&file, range, &replacement, None).ok();
        done += usize::from(edited.is_some());
        assert_eq!(
            edited,
            model(&file, first, last, &replacement),
            "seed {seed}: {first}-{last} of {file:?}"
        );
    }
    assert!(
        done > 20_000,
        "only {done} edits were possible: the ranges test nothing"
    );
}

fn model(file: &[u8], first: usize, last: usize, replacement: &str) -> Option<Vec<u8>> {
    let (mark, text) = file
        .strip_prefix(b"\xef\xbb\xbf")
        .map_or((&b""[..], file), |text| (&b"\xef\xbb\xbf"[..], text));
    let count = |ends: &[u8]| text.windows(ends.len()).filter(|at| *at == ends).count();
    let eol: &[u8] = if count(b"\n") == 0 && count(b"\r") > 0 {
        b"\r"
    } else if count(b"\r\n") * 2 > count(b"\n") {
        b"\r\n"
    } else {
        b"\n"
    };
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|byte| byte == eol.last().unwrap())
        .map(<[u8]>::to_vec)
        .collect();
    if first == 0 || last < first || last > lines.len() {
        return None;
    }
    let open_end = last == lines.len() && !lines[last - 1].ends_with(&eol[eol.len() - 1..]);
    let mut new: Vec<Vec<u8>> = replacement
        .lines()
        .map(|line| [line.as_bytes(), eol].concat())
        .collect();
    if let Some(line) = new.last_mut().filter(|_| open_end) {
        line.truncate(line.len() - eol.len());
    }
    lines.splice(first - 1..last, new);
    Some([mark.to_vec(), lines.concat()].concat())
}

fn file(dice: &mut Dice) -> Vec<u8> {
    let mut file = if dice.once_in(4) {
        b"\xef\xbb\xbf".to_vec()
    } else {
        Vec::new()
    };
    let eol: &[u8] = dice.pick(&[&b"\n"[..], b"\r\n", b"\r"]);
    let count = dice.below(7);
    for number in 0..count {
        file.extend_from_slice(dice.pick(&[
            &b""[..],
            b"one",
            b"\tx ",
            b"\xe9\xff",
            "ü".as_bytes(),
        ]));
        let end = if dice.once_in(9) {
            dice.pick(&[&b"\n"[..], b"\r\n", b"\r"])
        } else {
            eol
        };
        if number + 1 < count || !dice.once_in(3) {
            file.extend_from_slice(end);
        }
    }
    file
}
