//! Every decision about a device's stream, as a conversation.

use std::time::Duration;

use flylead_core::{
    Instant,
    export::{Collector, Config, Event, RunId},
};
use flylead_tests::transcript::{Protocol, play_folder};

struct Export;

impl Protocol for Export {
    type Machine = Collector;
    const STREAMS: &'static [&'static str] = &["Chatter", "Body"];

    fn start(options: &str) -> Collector {
        let mut config = Config::default();
        for option in options.split_whitespace() {
            set(&mut config, option);
        }
        Collector::new(config)
    }

    fn command(machine: &mut Collector, now: Instant, text: &str) -> Result<(), String> {
        let (verb, name) = text.split_once(' ').unwrap_or((text, ""));
        let run_id = || RunId::new(name).map_err(|error| error.to_string());
        let answer = match verb {
            "start" => machine.start(&run_id()?),
            "stop" => machine.stop(),
            "export" => machine.export(now, &run_id()?),
            "cancel" => machine.cancel(),
            _ => return Err(format!("unknown command {verb}")),
        };
        answer.map_err(|error| error.to_string())
    }

    fn event(event: &Event) -> String {
        event.to_string()
    }
}

fn set(config: &mut Config, option: &str) {
    let (name, value) = option.split_once('=').unwrap_or((option, "0"));
    if name == "accept" {
        return config.accept.push(value.parse().expect("a doubt"));
    }
    let number: u64 = value.parse().expect("an option's value is a number");
    match name {
        "timeout" => config.timeout = Duration::from_millis(number),
        "total" => config.total_timeout = Some(Duration::from_millis(number)),
        "quiet" => config.quiet = Duration::from_millis(number),
        "require-checksum" => config.require_checksum = true,
        _ => panic!("unknown option {name}"),
    }
}

#[test]
fn every_export_transcript_plays() {
    play_folder::<Export>("export");
}
