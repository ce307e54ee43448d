//! Functions that get hooks: all, or those of interest and their callers.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use super::{Function, FunctionId, Module};

/// Code that gets hooks, chosen before the program begins: code is never sent twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Only functions with breakpoints. The stack shows no others, and a step out of one continues to the next hook.
    Only,
    /// Also every function that mentions one of them by name, and its callers in turn. A board without enough memory
    /// for all functions uses this.
    Callers,
    /// Every function: the program can stop anywhere, and the stack is complete.
    #[default]
    All,
}

/// A function of a module of the project, both by number.
pub(crate) type Address = (usize, FunctionId);

/// Returns the functions that need hooks if these are of interest.
pub(crate) fn hooked(
    modules: &[&Module],
    wanted: &BTreeSet<Address>,
    reach: Reach,
) -> BTreeSet<Address> {
    let mut hooked: BTreeSet<_> = wanted.clone();
    if reach == Reach::All {
        hooked.extend(functions(modules));
    }
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

/// Returns true for a function nested in one with hooks, which may be stepped into from there.
fn is_within(modules: &[&Module], (module, id): Address, hooked: &BTreeSet<Address>) -> bool {
    let parent = modules[module].function(id).parent;
    parent.is_some_and(|parent| {
        parent != FunctionId::BODY
            && (hooked.contains(&(module, parent)) || is_within(modules, (module, parent), hooked))
    })
}

/// Returns the names by which a function is called: its own; for a method that Python calls implicitly, those of its
/// class and derived classes; for a module's body, that of the module, which is unknown here.
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
