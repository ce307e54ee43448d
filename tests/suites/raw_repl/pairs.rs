//! A client and a board written from MicroPython's behavior: they agree about every program.

use std::time::Duration;

use fastrand::Rng;
use flylead_core::{
    Instant,
    raw_repl::{Command, Config, Event, Outcome},
    trace::escape,
};
use flylead_tests::{
    device::{Device, Ending, History, Past, Program, RawPaste, Step, Traits},
    pair::Pair,
};

const MINUTES: Duration = Duration::from_secs(600);

#[test]
fn a_thousand_random_programs_end_as_the_board_says() {
    for seed in 0..1000 {
        play_random_session(seed);
    }
}

/// A few programs on one random board over one random wire.
fn play_random_session(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let traits = random_traits(&mut rng);
    let programs: Vec<_> = (0..4)
        .map(|number| random_program(&mut rng, number))
        .collect();
    let device = Device::new(Instant::START, traits.clone(), programs.clone());
    let latency = Duration::from_micros(rng.u64(0..30_000));
    let config = Config::default().short_program(rng.usize(0..256));
    let mut pair = Pair::new(seed, latency, config, device);
    for (number, program) in programs.iter().enumerate() {
        let told = run(&mut pair, &mut rng, program)
            .unwrap_or_else(|| panic!("seed {seed} does not end: {:?}", pair.events().last()));
        agree(&told, pair.device().history(), number, &traits)
            .unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
    assert_eq!(pair.device().history().overruns, 0, "seed {seed}");
}

/// Runs a program, sometimes with a time limit and sometimes interrupted; all events up to its end.
fn run(pair: &mut Pair, rng: &mut Rng, program: &Program) -> Option<Vec<Event>> {
    let is_endless = program.steps.contains(&Step::Forever);
    let timeout = is_endless.then(|| Duration::from_millis(rng.u64(50..3000)));
    pair.exec(&program.source, timeout);
    pair.until(MINUTES, |event| matches!(event, Event::Finished(_)))
}

/// Compares what the client told with what the board knows of its program number `number`.
fn agree(told: &[Event], history: &History, number: usize, traits: &Traits) -> Result<(), String> {
    let (stdout, outcome) = report(told);
    let past = &history.endings[number];
    let is_same_end = match (&outcome, past) {
        (Outcome::Completed | Outcome::TimedOut(None), Past::Returned) => true,
        (Outcome::Completed, Past::Exited) => !traits.resets_on_exit,
        (Outcome::Exited, Past::Exited) => traits.resets_on_exit,
        (Outcome::Raised(told) | Outcome::TimedOut(Some(told)), Past::Raised(text)) => {
            told.text == *text
        }
        _ => false,
    };
    if !is_same_end {
        return Err(format!("the client says {outcome:?}, the board {past:?}"));
    }
    let printed = &history.outputs[number];
    if stdout != *printed {
        let (told, printed) = (escape(&stdout), escape(printed));
        return Err(format!("it told\n{told}\nand the board printed\n{printed}"));
    }
    Ok(())
}

fn report(told: &[Event]) -> (Vec<u8>, Outcome) {
    let mut stdout = Vec::new();
    let mut ended = None;
    for event in told {
        match event {
            Event::Stdout(bytes) => stdout.extend_from_slice(bytes),
            Event::Finished(outcome) => ended = Some(outcome.clone()),
            _ => {}
        }
    }
    (stdout, ended.expect("it ended"))
}

fn random_traits(rng: &mut Rng) -> Traits {
    let raw_paste = match rng.u8(0..6) {
        0 => RawPaste::Unknown,
        1 => RawPaste::Refused,
        2 => RawPaste::Window(32),
        3 => RawPaste::Window(rng.u16(1..400)),
        _ => RawPaste::Window(128),
    };
    let is_old = raw_paste == RawPaste::Unknown;
    Traits {
        raw_paste,
        cooks: rng.bool(),
        reboot: if is_old {
            "soft reboot"
        } else {
            "MPY: soft reboot"
        },
        resets_on_exit: !is_old,
        // Credit never promises more than the board holds; without it pieces of the pacing must fit.
        input_room: match raw_paste {
            RawPaste::Window(window) => 2 * usize::from(window).max(256) + 2,
            // Delays bunch several pieces together.
            _ => 2048,
        },
        byte_time: Duration::from_micros(rng.u64(0..20)),
        boot_time: Duration::from_millis(rng.u64(0..3000)) * u32::from(rng.bool()),
        boot_output: if rng.bool() { b"boot\r\n" } else { b"" },
        ..Traits::default()
    }
}

/// Each has a source of its own: the number is in it.
fn random_program(rng: &mut Rng, number: usize) -> Program {
    let length = [0, 10, 200, 3000][rng.usize(0..4)];
    let mut source = format!("{number} = ").into_bytes();
    source.extend((0..rng.usize(0..=length)).map(|_| source_byte(rng)));
    let steps = (0..rng.usize(0..6)).map(|_| random_step(rng)).collect();
    let ending = match rng.u8(0..5) {
        0 => Ending::Exits,
        1 => Ending::Raises("ValueError: bad pin\nsecond line".into()),
        2 => Ending::Raises("MemoryError: ".into()),
        _ => Ending::Returns,
    };
    let at = rng.usize(1..=source.len());
    let program = Program::new(&source, steps)
        .ending(ending)
        .shrugging(rng.u32(0..3));
    // The first byte is another program's too.
    if at > 1 && rng.u8(0..8) == 0 {
        program.faulty(at)
    } else {
        program
    }
}

/// Anything but the bytes that raw mode takes for itself.
fn source_byte(rng: &mut Rng) -> u8 {
    match rng.u8(..) {
        0x01..=0x04 => b'\n',
        byte => byte,
    }
}

fn random_step(rng: &mut Rng) -> Step {
    match rng.u8(0..16) {
        0..6 => Step::Print(random_output(rng)),
        6..9 => Step::Write(random_output(rng)),
        9 => Step::Forever,
        10 => Step::Print(b"not the end: \x04 nor this: \x04\x04\n".to_vec()),
        _ => Step::Work(Duration::from_millis(rng.u64(0..5000))),
    }
}

/// Any bytes but `04`, which a program may print only where it cannot be taken for the reply's end.
fn random_output(rng: &mut Rng) -> Vec<u8> {
    let length = [3, 50, 2000][rng.usize(0..3)];
    let count = rng.usize(0..=length);
    let byte = |_| match rng.u8(..) {
        0x04 => b'>',
        byte => byte,
    };
    (0..count).map(byte).collect()
}

#[test]
fn an_interrupt_at_any_moment_ends_the_program_and_the_next_one_runs() {
    for seed in 0..500 {
        let mut rng = Rng::with_seed(seed);
        let traits = random_traits(&mut rng);
        let filler = vec![b'a'; rng.usize(1..2000)];
        let first = Program::new(&filler, vec![Step::Print(b"on\n".to_vec()), Step::Forever]);
        let second = Program::new(b"second", vec![Step::Print(b"well".to_vec())]);
        let device = Device::new(Instant::START, traits, vec![first, second]);
        let mut pair = Pair::new(
            seed,
            Duration::from_millis(rng.u64(0..20)),
            Config::default(),
            device,
        );
        pair.exec(&filler, None);
        pair.pass(Duration::from_millis(rng.u64(0..200)));
        pair.command(&Command::Interrupt).unwrap();
        // The first may have come before the board knew that it had a program.
        let ended = (0..3).find_map(|_| {
            let told = pair.until(Duration::from_secs(20), |event| {
                matches!(event, Event::Finished(_))
            });
            told.or_else(|| {
                pair.command(&Command::Interrupt).unwrap();
                None
            })
        });
        let ended = ended.unwrap_or_else(|| panic!("seed {seed}: {:?} {:?}", pair.events(), pair));
        let Some(Event::Finished(Outcome::Raised(traceback))) = ended.last() else {
            panic!("seed {seed}: {ended:?}")
        };
        assert!(traceback.is_interrupt(), "seed {seed}: {traceback}");
        pair.exec(b"second", None);
        let told = pair.until(MINUTES, |event| matches!(event, Event::Finished(_)));
        let told = told.unwrap_or_else(|| panic!("seed {seed}: {:?} {:?}", pair.events(), pair));
        assert_eq!(
            told.last(),
            Some(&Event::Finished(Outcome::Completed)),
            "seed {seed}"
        );
    }
}

#[test]
fn what_is_typed_while_a_program_runs_is_its_input() {
    let program = Program::new(
        b"input()",
        vec![Step::Print(b"name? ".to_vec()), Step::Echo],
    );
    let device = Device::new(Instant::START, Traits::default(), vec![program]);
    let mut pair = Pair::new(1, Duration::from_millis(5), Config::default(), device);
    pair.exec(b"input()", None);
    pair.until(MINUTES, |event| matches!(event, Event::Stdout(_)))
        .unwrap();
    pair.pass(Duration::from_secs(1));
    pair.command(&Command::Send(b"Ada\r".to_vec())).unwrap();
    let told = pair
        .until(MINUTES, |event| matches!(event, Event::Finished(_)))
        .unwrap();
    let (stdout, _) = report(&told);
    assert_eq!(stdout, b"Ada\r\n");
}

#[test]
fn an_empty_program_completes_and_resets_nothing() {
    for raw_paste in [RawPaste::Window(128), RawPaste::Unknown] {
        let traits = Traits {
            raw_paste,
            ..Traits::default()
        };
        let programs = [b"".as_slice(), b"\n", b" "].map(|source| Program::new(source, Vec::new()));
        let device = Device::new(Instant::START, traits, programs.to_vec());
        let mut pair = Pair::new(1, Duration::ZERO, Config::default(), device);
        pair.exec(b"", None);
        let told = pair.until(MINUTES, |event| matches!(event, Event::Finished(_)));
        assert_eq!(
            told.unwrap().last(),
            Some(&Event::Finished(Outcome::Completed))
        );
        assert_eq!(pair.device().history().resets, 0);
    }
}

#[test]
fn whatever_an_application_does_the_next_program_runs() {
    for seed in 0..500 {
        let mut rng = Rng::with_seed(seed);
        let traits = random_traits(&mut rng);
        let mut programs: Vec<_> = (0..3)
            .map(|number| random_program(&mut rng, number))
            .collect();
        programs.push(Program::new(b"last", vec![Step::Print(b"well".to_vec())]));
        let device = Device::new(Instant::START, traits, programs.clone());
        let latency = Duration::from_micros(rng.u64(0..30_000));
        let mut pair = Pair::new(seed, latency, Config::default(), device);
        for _ in 0..rng.usize(0..12) {
            let program = &programs[rng.usize(0..3)];
            // One at a time: many of them are refused.
            let _ = pair.command(&random_command(&mut rng, program));
            pair.pass(Duration::from_millis(rng.u64(0..400)));
        }
        pair.pass(Duration::from_secs(120));
        pair.skip_events();
        pair.exec(b"last", None);
        let told = pair
            .until(MINUTES, |event| matches!(event, Event::Finished(_)))
            .unwrap_or_else(|| panic!("seed {seed}: {:?}", pair.events()));
        assert_eq!(
            report(&told),
            (b"well".to_vec(), Outcome::Completed),
            "seed {seed}"
        );
    }
}

fn random_command(rng: &mut Rng, program: &Program) -> Command {
    match rng.u8(0..8) {
        0 => Command::Enter,
        1 => Command::SoftReset,
        2 => Command::Leave,
        3 | 4 => Command::Interrupt,
        _ => Command::Exec {
            source: program.source.clone(),
            timeout: Some(Duration::from_millis(rng.u64(0..5000))),
        },
    }
}
