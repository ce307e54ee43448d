//! Checks that any bytes in a reply's error field give a traceback whose frames occur in its text.
#![no_main]

use flylead_core::raw_repl::Traceback;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let traceback = Traceback::parse(data);
    for frame in &traceback.frames {
        assert!(traceback.text.contains(&frame.file));
        assert!(
            frame
                .function
                .as_ref()
                .is_none_or(|name| traceback.text.contains(name))
        );
    }
    assert!(traceback.text.contains(&traceback.exception));
});
