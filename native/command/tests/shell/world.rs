//! The world of one attempt: a home folder with secrets, a project, and what is outside of it.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

use rustix::process::{Pid, Signal, kill_process};

/// Initial state of all worlds of a user, made once.
pub(crate) struct Template {
    agent: PathBuf,
    user: Option<u32>,
    world: World,
}

impl Template {
    pub(crate) fn make(agent: &Path, user: Option<u32>) -> Self {
        let world = World::empty(agent, user);
        let made = world.shell(PREPARE, &[]);
        assert!(made.status.success(), "{}", text(&made));
        Self {
            agent: agent.to_owned(),
            user,
            world,
        }
    }

    /// A world of its own, with a session.
    pub(crate) fn world(&self) -> World {
        let world = World::empty(&self.agent, self.user);
        let template = self.world.at("home");
        let made = world.shell(COPY, &[("TEMPLATE", template.to_str().unwrap())]);
        assert!(made.status.success(), "{}", text(&made));
        world
    }
}

pub(crate) struct World {
    top: tempfile::TempDir,
    agent: PathBuf,
    name: String,
    user: Option<u32>,
}

impl World {
    fn empty(agent: &Path, user: Option<u32>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let top = tempfile::Builder::new()
            .prefix("world")
            .tempdir_in("/tmp")
            .unwrap();
        open_to_all(top.path());
        let world = Self {
            name: format!("flylead{}x{count}", std::process::id()),
            agent: agent.to_owned(),
            top,
            user,
        };
        for folder in ["home/project", "outside"] {
            fs::create_dir_all(world.at(folder)).unwrap();
        }
        fs::write(world.at("shown"), "").unwrap();
        for path in ["home", "home/project", "outside", "shown"] {
            chown(world.at(path), user, user).unwrap();
        }
        world
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    /// Returns the variables that a script sets for its command: no such variables reach it by the environment. The name is in two parts, so that
    /// the agent's record of the script does not have it.
    pub(crate) fn words(&self) -> String {
        let path = |name: &str| self.at(name).display().to_string();
        let (first, rest) = self.name.split_at(1);
        format!(
            "export WORK='{}' OUTSIDE='{}' NAME='{first}''{rest}'",
            path("home/project"),
            path("outside"),
        )
    }

    /// Runs a script as the person, in the project.
    pub(crate) fn shell(&self, script: &str, more: &[(&str, &str)]) -> Output {
        let mut command = self.command();
        command.arg("-c").arg(script).envs(more.iter().copied());
        command.env("SECRET", secret()).env("AGENT", &self.agent);
        command.env("LISTEN", self.agent.with_file_name(LISTEN));
        command.output().unwrap()
    }

    /// Runs the agent with these options, in the way that the rest says.
    pub(crate) fn apply(&self, options: &[&str], terminal: bool, descriptor: bool) -> Output {
        let agent = self.agent.to_str().unwrap();
        let line = [&[agent, "agent", "apply", "../../reply", "--yes"], options]
            .concat()
            .join(" ");
        let script = match (terminal, descriptor) {
            (true, _) => format!(
                "script --quiet --flush --return --command '{line}' ../../shown; s=$?; cat ../../shown; exit $s"
            ),
            (_, true) => format!("exec {line} 7<\"$OUTSIDE\""),
            _ => format!("exec {line}"),
        };
        let mut command = self.command();
        command.arg("-c").arg(script);
        command.envs(SECRET_VARIABLES.map(|name| (name, secret())));
        command.output().unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .env_clear()
            .current_dir(self.at("home/project"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("LANG", "C.UTF-8")
            .env("HOME", self.at("home"))
            .env("WORK", self.at("home/project"))
            .env("OUTSIDE", self.at("outside"))
            .env("NAME", &self.name)
            .stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let started = fs::read_to_string(self.at("home/started")).unwrap_or_default();
        let pids = started
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok());
        for pid in pids.filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Whatever an attempt left outside of a sandbox has the world's name in its command line.
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let pid = process
                .file_name()
                .to_str()
                .and_then(|pid| pid.parse().ok());
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            if let Some(pid) = pid.and_then(Pid::from_raw)
                && String::from_utf8_lossy(&line).contains(&self.name)
            {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

pub(crate) fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The program that listens for the attempts at sockets, beside the agent.
pub(crate) const LISTEN: &str = "listen.py";

/// Content of all secrets.
fn secret() -> String {
    format!("hidden-{}", std::process::id())
}

/// Variables that the agent gets and its commands do not.
const SECRET_VARIABLES: [&str; 6] = [
    "THE_API_TOKEN",
    "BORG_PASSPHRASE",
    "AUTHORIZATION",
    "SLACK_WEBHOOK",
    "JWT",
    "GIT_CONFIG_PARAMETERS_OF_MINE",
];

/// Files that every person has.
const PREPARE: &str = r#"
cd "$HOME"
for file in .ssh/id_ed25519 .pgpass .vault-token .claude/.credentials.json .codex/auth.json .config/rclone/rclone.conf \
    .config/sops/age/keys.txt .m2/settings.xml .gradle/gradle.properties .aws/credentials .netrc .npmrc .docker/config.json \
    .config/gh/hosts.yml .git-credentials .cargo/credentials.toml .kube/config .bash_history notes.txt; do
    mkdir -p "$(dirname "$file")" && echo "password = $SECRET" > "$file" && chmod 600 "$file"
done
printf '[registry]\ntoken = "%s"\n' "$SECRET" > .cargo/config.toml
echo mine > .bashrc
printf '[user]\n\tname = Person\n\temail = person@example.org\n' > .gitconfig
echo kept > "$OUTSIDE/kept"
cd project
git init -q --template= -b main . && mkdir -p .git/hooks src .vscode vendor/lib && echo text > a.txt && echo '{}' > .vscode/settings.json
git -C vendor/lib init -q --template= -b main && mkdir vendor/lib/.git/hooks && echo lib > vendor/lib/lib.txt
git -C vendor/lib add -A && git -C vendor/lib commit -qm lib
git add a.txt .vscode && git commit -qm first
"#;

const COPY: &str = r#"
cp -a "$TEMPLATE/." "$HOME" && echo kept > "$OUTSIDE/kept" && "$AGENT" agent new --task t
"#;
