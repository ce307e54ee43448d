use alloc::{collections::BTreeSet, string::ToString, vec::Vec};

use super::{FunctionId, Module, Reach, Refusal, Unstoppable, hooked};

const TEXT: &str = "\
import machine


def add(a,
        b):
    '''Adds.'''
    # It is simple.
    total = (a +
             b)

    return total


@micropython.viper
def fast(x: int) -> int:
    return x


class Sensor:
    unit = 'K'

    def __init__(self, pin):
        self.pin = pin

    def read(self):
        return add(self.pin, 1)


def main():
    sensor = Sensor(4)
    print(sensor.read())


def idle():
    pass


main()
";

fn module() -> Module {
    Module::parse(TEXT).unwrap()
}

fn line_of(part: &str) -> u32 {
    let before = TEXT.split(part).next().unwrap();
    u32::try_from(before.matches('\n').count()).unwrap() + 1
}

#[test]
fn a_breakpoint_is_where_code_is() {
    let module = module();
    let cases = [
        ("import machine", Ok("import machine")),
        ("def add", Ok("total = (a")),
        ("# It is", Ok("total = (a")),
        ("             b)", Ok("total = (a")),
        ("class Sensor", Ok("unit = ")),
        ("return total", Ok("return total")),
        ("return x", Err(Unstoppable::Function(Refusal::MachineCode))),
    ];
    for (wanted, expected) in cases {
        assert_eq!(
            module.stop_for(line_of(wanted)),
            expected.map(line_of),
            "{wanted}"
        );
    }
    assert_eq!(module.stop_for(1000), Err(Unstoppable::NoCode));
}

#[test]
fn functions_are_known_by_their_full_names() {
    let module = module();
    let names: Vec<_> = module
        .functions()
        .iter()
        .map(|one| one.qualified_name.as_str())
        .collect();
    let expected = [
        "<module>",
        "add",
        "fast",
        "Sensor.__init__",
        "Sensor.read",
        "main",
        "idle",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        module
            .function(FunctionId(1))
            .variables()
            .collect::<Vec<_>>(),
        ["a", "b", "total"]
    );
}

#[test]
fn what_may_call_a_function_is_hooked_with_it() {
    let module = module();
    let names = |reach, wanted: usize| -> BTreeSet<_> {
        let wanted = BTreeSet::from([(0, FunctionId(wanted))]);
        let hooked = hooked(&[&module], &wanted, reach);
        hooked
            .into_iter()
            .map(|(_, id)| module.function(id).qualified_name.to_string())
            .collect()
    };
    assert_eq!(names(Reach::Only, 1), BTreeSet::from(["add".to_string()]));
    let around_add = ["add", "Sensor.read", "main", "<module>"].map(ToString::to_string);
    assert_eq!(names(Reach::Callers, 1), BTreeSet::from(around_add));
    let around_init = ["Sensor.__init__", "main", "<module>"].map(ToString::to_string);
    assert_eq!(names(Reach::Callers, 3), BTreeSet::from(around_init));
    assert_eq!(
        names(Reach::Only, 2),
        BTreeSet::new(),
        "machine code has no hooks"
    );
}

#[test]
fn a_text_that_is_no_python_says_where() {
    let error = Module::parse("x = 1\nif x\n  y = 2\n").unwrap_err();
    assert_eq!((error.line, error.column), (2, 5));
    assert!(
        error.to_string().starts_with("line 2, column 5: "),
        "{error}"
    );
}

#[test]
fn line_ends_of_every_kind_count_once() {
    let module = Module::parse("a = 1\r\nb = 2\rc = 3\n").unwrap();
    assert_eq!(module.stoppable_lines().collect::<Vec<_>>(), [1, 2, 3]);
}
