//! A serial line whose ends have different speeds.

/// Returns the bytes that a receiver at another speed makes of a burst: it waits for a falling edge, and samples the middle of
/// each bit of its own. A byte without its stop bit is a zero (termios(3), without IGNPAR and PARMRK).
pub(super) fn sampled(bytes: &[u8], sender: u32, receiver: u32) -> Vec<u8> {
    let line: Vec<bool> = bytes.iter().flat_map(|byte| frame(*byte)).collect();
    let (sender, receiver) = (f64::from(sender), f64::from(receiver));
    let level = |seconds: f64| {
        let at = (seconds * sender) as usize;
        line.get(at).copied().unwrap_or(true)
    };
    let (mut heard, mut now) = (Vec::new(), 0.0);
    let end = line.len() as f64 / sender;
    let step = 1.0 / (sender.max(receiver) * 4.0);
    while now < end {
        if level(now) {
            now += step;
            continue;
        }
        let bit = |number: u32| level(now + (f64::from(number) + 0.5) / receiver);
        let byte = (1..9).fold(0, |byte, number| {
            byte | (u8::from(bit(number)) << (number - 1))
        });
        heard.push(if bit(9) { byte } else { 0 });
        now += 9.5 / receiver;
        // A line that stays low is a break, and no more bytes.
        while now < end && !level(now) {
            now += step;
        }
    }
    heard
}

/// A start bit, eight of data from the lowest, a stop bit.
fn frame(byte: u8) -> impl Iterator<Item = bool> {
    let data = (0..8).map(move |bit| byte & (1 << bit) != 0);
    [false].into_iter().chain(data).chain([true])
}
