//! Recorded conversations with real boards, and some written by hand.

use std::time::Duration;

use flylead_core::{
    Instant,
    raw_repl::{Command, Config, Event, RawRepl},
    trace::unescape,
};
use flylead_tests::transcript::{Protocol, play_folder};

struct RawReplTranscripts;

impl Protocol for RawReplTranscripts {
    type Machine = RawRepl;

    const STREAMS: &'static [&'static str] = &["Stdout", "Terminal"];

    fn start(options: &str) -> RawRepl {
        RawRepl::new(
            options
                .split_whitespace()
                .fold(Config::default(), configure),
        )
    }

    fn command(repl: &mut RawRepl, now: Instant, text: &str) -> Result<(), String> {
        let refusal = repl.command(now, &read_command(text)).err();
        refusal.map_or(Ok(()), |refusal| Err(format!("{refusal:?}")))
    }

    fn event(event: &Event) -> String {
        event.to_string()
    }
}

fn configure(mut config: Config, option: &str) -> Config {
    let (name, value) = option.split_once('=').expect("an option is name=value");
    let number = || value.parse().expect("a number");
    let millis = || Duration::from_millis(value.parse().expect("milliseconds"));
    match name {
        "raw-paste" => config.raw_paste = value == "on",
        "short-program" => config.short_program = number(),
        "pace-bytes" => config.pace_bytes = number(),
        "pace-wait" => config.pace_wait = millis(),
        "enter-timeout" => config.enter_timeout = millis(),
        "reply-timeout" => config.reply_timeout = millis(),
        "traceback-limit" => config.traceback_limit = number(),
        _ => panic!("no option is called {name}"),
    }
    config
}

fn read_command(text: &str) -> Command {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let bytes = |text| unescape(text).expect("bytes are escaped");
    match verb {
        "enter" => Command::Enter,
        "interrupt" => Command::Interrupt,
        "soft-reset" => Command::SoftReset,
        "leave" => Command::Leave,
        "send" => Command::Send(bytes(rest)),
        "exec" => Command::Exec {
            source: bytes(rest),
            timeout: None,
        },
        "exec-within" => {
            let (millis, source) = rest.split_once(' ').expect("a time and a program");
            Command::Exec {
                source: bytes(source),
                timeout: Some(Duration::from_millis(millis.parse().expect("milliseconds"))),
            }
        }
        _ => panic!("no command is called {verb}"),
    }
}

#[test]
fn recorded_conversations_play_back() {
    play_folder::<RawReplTranscripts>("raw_repl");
}
