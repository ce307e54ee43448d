//! Entering a boot loader with a board's buttons.

/// Instructions, by the beginning of a chip's name.
const WAYS: [(&str, &str); 6] = [
    ("RP2", BOOTSEL),
    ("ESP", BOOT),
    ("SAM", TWICE),
    ("nRF", TWICE),
    (
        "STM32",
        "set its jumper BOOT0, or hold its button of that name, and press RESET",
    ),
    (
        "micro:bit",
        "plug it in: its drive MICROBIT is always there",
    ),
];
const BOOTSEL: &str = "hold its BOOTSEL button while you plug it in, or while you press RESET";
const BOOT: &str = "hold its BOOT button (or 0, or IO0), press RESET (or EN) and release both";
const TWICE: &str = "quickly press its RESET button twice";

/// Returns the instructions for entering the boot loader of a board with this chip.
pub(super) fn of_chip(chip: &str) -> Option<&'static str> {
    let (_, way) = WAYS.iter().find(|(begin, _)| chip.starts_with(begin))?;
    Some(way)
}

/// Returns the instructions for a chip that may be unknown.
pub(super) fn of_any(chip: Option<&str>) -> String {
    match chip.and_then(of_chip) {
        Some(way) => format!("Put the board into its boot loader: {way}."),
        None => format!(
            "Put the board into its boot loader:\n  Raspberry Pi Pico and other RP2040, RP2350: {BOOTSEL}\n  \
             SAMD21, SAMD51, nRF52: {TWICE}\n  ESP32: {BOOT}\n  micro:bit: {}",
            WAYS[5].1
        ),
    }
}
