//! From where a function can be reached: what has to have hooks for the stack to be whole.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use super::{Function, FunctionId, Module};

/// How much around the functions of interest gets hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Those functions alone. The stack shows no others, and a step out of one goes on to the next hook.
    Only,
    /// Also every function that mentions one of them by name, and what mentions that: the stack is whole.
    #[default]
    Callers,
}

/// A function of a module of the project, both by number.
pub(crate) type Address = (usize, FunctionId);

/// The functions that need hooks when these are of interest.
pub(crate) fn hooked(
    modules: &[&Module],
    wanted: &BTreeSet<Address>,
    reach: Reach,
) -> BTreeSet<Address> {
    let mut hooked: BTreeSet<_> = wanted.clone();
    if reach == Reach::Callers {
        let mut names = BTreeSet::new();
        loop {
            names.extend(hooked.iter().flat_map(|&at| called_as(modules, at)));
            let before = hooked.len();
            hooked.extend(mentioning(modules, &names));
            if hooked.len() == before {
                break;
            }
        }
    }
    let within = functions(modules)
        .filter(|&at| is_within(modules, at, &hooked))
        .collect::<Vec<_>>();
    hooked.extend(within);
    hooked.retain(|&(module, id)| modules[module].function(id).refusal.is_none());
    hooked
}

/// The functions that may be called by one of these names.
pub(crate) fn named<'a>(
    modules: &'a [&'a Module],
    names: &'a BTreeSet<String>,
) -> impl Iterator<Item = Address> + 'a {
    functions(modules).filter(move |&at| {
        at.1 != FunctionId::BODY
            && called_as(modules, at)
                .iter()
                .any(|name| names.contains(name))
    })
}

fn functions<'a>(modules: &'a [&'a Module]) -> impl Iterator<Item = Address> + 'a {
    let of = |(number, module): (usize, &&'a Module)| {
        (0..module.functions.len()).map(move |id| (number, FunctionId(id)))
    };
    modules.iter().enumerate().flat_map(of)
}

fn mentioning(modules: &[&Module], names: &BTreeSet<String>) -> Vec<Address> {
    let mentions = |&(module, id): &Address| {
        let function = modules[module].function(id);
        !function.mentions.is_disjoint(names)
    };
    functions(modules).filter(mentions).collect()
}

/// A function within one that has hooks may be stepped into from there, and cannot be exchanged later.
fn is_within(modules: &[&Module], (module, id): Address, hooked: &BTreeSet<Address>) -> bool {
    let parent = modules[module].function(id).parent;
    parent.is_some_and(|parent| {
        parent != FunctionId::BODY
            && (hooked.contains(&(module, parent)) || is_within(modules, (module, parent), hooked))
    })
}

/// The names by which a function is called: its own; for a method that Python calls by itself, those of its class and
/// of the classes that inherit from it; for a module's body, the module's, which is not known here.
fn called_as(modules: &[&Module], (module, id): Address) -> Vec<String> {
    let function = modules[module].function(id);
    let mut names = Vec::from([function.name.clone()]);
    if is_special(function) {
        let class = function
            .qualified_name
            .rsplit('.')
            .nth(1)
            .unwrap_or_default()
            .to_string();
        names.extend(heirs(modules, class));
    }
    names.retain(|name| !name.is_empty());
    names
}

fn is_special(function: &Function) -> bool {
    function.name.starts_with("__") && function.name.ends_with("__")
}

fn heirs(modules: &[&Module], class: String) -> Vec<String> {
    let mut names = Vec::from([class]);
    let mut seen = 0;
    while seen < names.len() {
        let of = names[seen].clone();
        seen += 1;
        let classes = modules.iter().flat_map(|module| &module.classes);
        let inherits = classes
            .filter(|(_, bases)| bases.contains(&of))
            .map(|(name, _)| name.clone());
        for name in inherits.collect::<Vec<_>>() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
