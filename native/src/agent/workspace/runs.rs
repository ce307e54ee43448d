//! Recognizes files that run elsewhere, automatically or at the user's next ordinary step.
//!
//! A sandbox ends with its command, but a file stays. A file that a shell, an editor, git, a build or a build server
//! runs without being named is marked before it is written.

use std::{collections::HashMap, fmt, sync::LazyLock};

/// Program that runs or obeys a file without being told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Runner {
    /// A shell or another program when it starts, or the system.
    Start,
    /// git, at its next commit, checkout or merge.
    Git,
    /// An editor that opens the folder.
    Editor,
    /// An assistant that works in the folder.
    Assistant,
    /// A build server, after a push.
    Pipeline,
    /// A build, a test run or an installation.
    Build,
    /// Starter of the container or the virtual machine.
    Container,
    /// Caller: the file is a program.
    Caller,
}

impl fmt::Display for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "a shell or another program runs it when it starts",
            Self::Git => "git runs it, or runs what it names",
            Self::Editor => "an editor obeys it when it opens the folder",
            Self::Assistant => "an assistant obeys it when it works in the folder",
            Self::Pipeline => "a build server runs it after a push",
            Self::Build => "the next build, test or installation runs it",
            Self::Container => "it runs when a container or a virtual machine is made",
            Self::Caller => "it is a program, which runs when it is called",
        })
    }
}

/// Returns the program that runs a file of this path, as far as its name shows. Case is ignored, as on some disks.
///
/// ```
/// use flylead_native::workspace::{Runner, runs_by_itself};
///
/// assert_eq!(runs_by_itself("app/package.json"), Some(Runner::Build));
/// assert_eq!(runs_by_itself(".vscode/tasks.json"), Some(Runner::Editor));
/// assert_eq!(runs_by_itself("src/main.rs"), None);
/// ```
#[must_use]
pub fn runs_by_itself(path: &str) -> Option<Runner> {
    let path = path.to_lowercase();
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let of_folder = names.find_map(|folder| LIST.folders.get(folder));
    let of_name = || LIST.names.get(name);
    of_folder.or_else(of_name).map_or_else(
        || {
            find(&STARTS, |start| name.starts_with(start))
                .or_else(|| find(&ENDS, |end| name.ends_with(end)))
        },
        |known| Some(known.runner),
    )
}

/// Reason why a name is protected from commands, which are sandboxed: another program obeys it as soon
/// as it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// git's folder, or the file that names it.
    Git,
    /// Settings of an editor, an assistant or a shell, and hooks.
    Settings,
    /// Settings that a build server or git's hooks read from the top of a repository.
    Top,
}

/// Returns the reason why a name is protected from commands, if it is. Case is ignored, as on some disks.
pub(crate) fn kept(name: &str) -> Option<Kept> {
    let name = name.to_lowercase();
    let known = LIST.folders.get(&*name).or_else(|| LIST.names.get(&*name));
    match &*name {
        GIT => Some(Kept::Git),
        super::OWN => Some(Kept::Settings),
        _ => known.and_then(|known| known.kept),
    }
}

pub(crate) const GIT: &str = ".git";

/// Names in the tables below, each once.
struct List {
    folders: HashMap<&'static str, Known>,
    names: HashMap<&'static str, Known>,
}

#[derive(Clone, Copy)]
struct Known {
    runner: Runner,
    kept: Option<Kept>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    let known = |rows: &[(Runner, &'static str)]| {
        let names = rows
            .iter()
            .flat_map(|(runner, names)| names.split_whitespace().map(|name| (*runner, name)));
        names
            .map(|(runner, name)| {
                let (name, kept) = match (name.strip_suffix('!'), name.strip_suffix('^')) {
                    (Some(name), _) => (name, Some(Kept::Settings)),
                    (None, Some(name)) => (name, Some(Kept::Top)),
                    (None, None) => (name, None),
                };
                (name, Known { runner, kept })
            })
            .collect()
    };
    List {
        folders: known(&FOLDERS),
        names: known(&NAMES),
    }
});

fn find(table: &[(Runner, &str)], is_it: impl Fn(&str) -> bool) -> Option<Runner> {
    let row = table
        .iter()
        .find(|(_, known)| known.split_whitespace().any(&is_it));
    row.map(|(runner, _)| *runner)
}

/// Folders whose whole content is protected. Commands cannot change names with `!`, and names with `^` only at the top
/// of a repository.
///
/// Codex protects `.git`, `.codex` and `.agents` (codex-rs/linux-sandbox/README.md), sandbox-runtime `.git`, `.vscode`,
/// `.idea`, `.gitconfig`, `.mcp.json` and shells' settings (src/sandbox/sandbox-utils.ts); these are theirs and their
/// siblings.
const FOLDERS: [(Runner, &str); 6] = [
    (Runner::Git, ".git .husky! .githooks! hooks"),
    (Runner::Editor, ".vscode! .idea! .zed! .fleet! .vim! .nvim"),
    (
        Runner::Assistant,
        ".claude! .codex! .cursor! .gemini! .agents! .windsurf! .continue! .roo! .kiro .amazonq .augment .trae .junie \
         .opencode .qwen .crush .clinerules",
    ),
    (
        Runner::Pipeline,
        ".github^ .circleci^ .gitlab^ .gitea^ .forgejo^ .buildkite^ .woodpecker^",
    ),
    (Runner::Container, ".devcontainer!"),
    (Runner::Build, ".cargo .mvn .yarn"),
];

/// Files of these names.
const NAMES: [(Runner, &str); 7] = [
    (
        Runner::Start,
        ".bashrc! .bash_profile! .bash_login .bash_logout .bash_aliases .profile! .login .cshrc \
         .zshrc! .zshenv! .zprofile! .zlogin .envrc! .direnvrc .mise.toml mise.toml .mise.local.toml \
         mise.local.toml .rtx.toml .tool-versions .autoenv .autoenv.zsh \
         .tmux.conf .screenrc .inputrc .ripgreprc .gdbinit .lldbinit .irbrc .pryrc .rprofile .octaverc \
         sitecustomize.py usercustomize.py crontab rc.local autorun.inf",
    ),
    (
        Runner::Git,
        ".gitconfig! .gitmodules .gitattributes .pre-commit-config.yaml^ .pre-commit-hooks.yaml \
         lefthook.yml^ lefthook.yaml .lefthook.yml^ .overcommit.yml .huskyrc .lintstagedrc \
         .lintstagedrc.json .lintstagedrc.js",
    ),
    (
        Runner::Editor,
        ".exrc! .vimrc .gvimrc .nvimrc! .nvim.lua! .lvimrc! .dir-locals.el! .dir-locals-2.el .projectile .sublime-project",
    ),
    (
        Runner::Assistant,
        ".mcp.json! mcp.json claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md crush.md \
         warp.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .goosehints .rules .aider.conf.yml \
         copilot-instructions.md opencode.json opencode.jsonc",
    ),
    (
        Runner::Pipeline,
        ".gitlab-ci.yml^ .gitlab-ci.yaml jenkinsfile .travis.yml^ azure-pipelines.yml appveyor.yml \
         .appveyor.yml bitbucket-pipelines.yml .drone.yml^ .woodpecker.yml^ .cirrus.yml \
         cloudbuild.yaml buildspec.yml netlify.toml vercel.json",
    ),
    (
        Runner::Build,
        "makefile gnumakefile bsdmakefile justfile .justfile rakefile taskfile.yml taskfile.yaml \
         cmakelists.txt cmakepresets.json meson.build configure configure.ac configure.py \
         sconstruct sconscript wscript build.ninja build build.bazel workspace workspace.bazel \
         module.bazel .bazelrc build.xml pom.xml build.gradle build.gradle.kts settings.gradle \
         settings.gradle.kts gradle.properties gradlew mvnw build.sbt build.zig build.rs \
         package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs deno.json deno.jsonc bunfig.toml turbo.json nx.json \
         lerna.json binding.gyp gulpfile.js gruntfile.js .eslintrc.js .eslintrc.cjs .prettierrc.js .prettierrc.cjs \
         .stylelintrc.js .babelrc.js .mocharc.js rust-toolchain rust-toolchain.toml setup.py setup.cfg pyproject.toml \
         tox.ini pytest.ini conftest.py noxfile.py tasks.py fabfile.py dodo.py .pylintrc pylintrc mypy.ini pipfile \
         composer.json package.swift deps.edn bb.edn project.clj gemfile .rspec extconf.rb mix.exs stack.yaml setup.hs \
         dune flake.nix shell.nix default.nix",
    ),
    (
        Runner::Container,
        "dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml \
         vagrantfile .devcontainer.json! procfile tiltfile skaffold.yaml",
    ),
];

/// Files whose names begin with these texts.
const STARTS: [(Runner, &str); 1] = [(Runner::Container, "dockerfile. containerfile.")];

/// Files whose names end with these texts.
const ENDS: [(Runner, &str); 5] = [
    (
        Runner::Start,
        ".desktop .service .timer .socket .plist .pth .reg",
    ),
    (Runner::Editor, ".code-workspace"),
    (
        Runner::Build,
        ".mk .cmake .config.js .config.cjs .config.mjs .config.ts .config.mts .gyp .gemspec",
    ),
    (Runner::Container, ".dockerfile"),
    (
        Runner::Caller,
        ".sh .bash .zsh .fish .csh .ps1 .psm1 .bat .cmd .vbs .command .exe",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_elsewhere_is_known_by_its_name_or_its_folder() {
        for (path, runner) in [
            (".bashrc", Runner::Start),
            ("home/.Profile", Runner::Start),
            (".envrc", Runner::Start),
            ("lib/evil.pth", Runner::Start),
            ("autostart/x.desktop", Runner::Start),
            (".husky/pre-commit", Runner::Git),
            ("sub/.git/config", Runner::Git),
            (".gitattributes", Runner::Git),
            (".idea/workspace.xml", Runner::Editor),
            ("x.code-workspace", Runner::Editor),
            (".claude/settings.json", Runner::Assistant),
            ("docs/AGENTS.md", Runner::Assistant),
            (".github/workflows/x.yml", Runner::Pipeline),
            ("Jenkinsfile", Runner::Pipeline),
            ("Makefile", Runner::Build),
            ("web/package.json", Runner::Build),
            ("crates/x/build.rs", Runner::Build),
            ("tests/conftest.py", Runner::Build),
            ("vite.config.ts", Runner::Build),
            (".cargo/config.toml", Runner::Build),
            ("Dockerfile.dev", Runner::Container),
            ("compose.yaml", Runner::Container),
            ("scripts/run.sh", Runner::Caller),
            ("a.BAT", Runner::Caller),
        ] {
            assert_eq!(runs_by_itself(path), Some(runner), "{path}");
        }
    }

    /// A mark and a guard that know different names are two lists, of which one is always behind.
    #[test]
    fn whatever_is_kept_from_commands_is_marked_too() {
        for (rows, below) in [(&FOLDERS[..], "/x"), (&NAMES[..], "")] {
            for name in rows.iter().flat_map(|(_, names)| names.split_whitespace()) {
                let plain = name.trim_end_matches(['!', '^']);
                assert_eq!(plain, plain.to_lowercase(), "it is compared in this case");
                assert!(
                    runs_by_itself(&format!("a/{plain}{below}")).is_some(),
                    "{name}"
                );
                let is_kept = name != plain || plain == GIT;
                assert_eq!(kept(&plain.to_uppercase()).is_some(), is_kept, "{name}");
            }
        }
        for name in [
            ".cursorrules",
            "AGENTS.md",
            ".vimrc",
            ".mise.toml",
            "rust-toolchain.toml",
        ] {
            assert!(runs_by_itself(name).is_some(), "{name}");
        }
    }

    #[test]
    fn ordinary_sources_and_documents_are_not_marked() {
        for path in [
            "src/main.rs",
            "README.md",
            "a/b.py",
            "index.html",
            ".gitignore",
            "data.json",
            "src/makefile.rs",
            "service/mod.rs",
            "x.shx",
            "lib.ts",
            "Cargo.toml",
            "package-lock.json",
            "",
            "a/",
        ] {
            assert_eq!(runs_by_itself(path), None, "{path}");
        }
    }
}
