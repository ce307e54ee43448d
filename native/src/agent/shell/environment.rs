//! Environment of a command: only those of the user's variables that are listed here.
//!
//! Variables with secrets can have any name (`BORG_PASSPHRASE`, `AUTHORIZATION`, the address of a webhook), so no list
//! of them is complete. The variables that tools need have known names.

use std::{
    env,
    ffi::{OsStr, OsString},
    process::Command,
};

/// Sets the command's environment, and asks programs for plain output.
pub(super) fn set(command: &mut Command) {
    command.env_clear().envs(passed(env::vars_os()));
    command.envs(PLAIN);
}

/// Describes which of the user's variables reach commands.
pub(super) fn in_words() -> String {
    let passed = passed(env::vars_os());
    let mut names: Vec<_> = passed
        .iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    let names = match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    format!("commands get these variables of your environment: {names}")
}

/// Selects the variables that are passed on.
fn passed(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    all.filter(|(name, value)| is_listed(name) && !holds_a_secret(value))
        .collect()
}

/// Returns true for a listed name. On Windows, names are case-insensitive.
fn is_listed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let is = |known: &str| match cfg!(windows) {
        true => name.eq_ignore_ascii_case(known),
        false => name == known,
    };
    let mut known = LISTED.iter().flat_map(|names| names.split_whitespace());
    known.any(is)
}

/// Returns true for an address that contains a password, such as a proxy's, and for the usual prefixes of services'
/// keys.
fn holds_a_secret(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    let mut addresses = value.split("://").skip(1);
    addresses.any(has_password) || SECRET_VALUES.iter().any(|start| value.starts_with(start))
}

fn has_password(address: &str) -> bool {
    let host = address.split(['/', '?']).next().unwrap_or_default();
    host.contains('@')
}

/// Variables with the locations of programs and their parts, the user's language, and the names of compilers. None of
/// them is meant to hold a key. Variables from which git, pip or npm read settings (`GIT_CONFIG_…`, `PIP_…`,
/// `npm_config_…`) may hold one, and are not listed.
const LISTED: [&str; 8] = [
    // The user and the language.
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME TZ \
     TMPDIR TEMP TMP EMAIL GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL",
    // Certificates and proxies: an address without a password.
    "SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE GIT_SSL_CAINFO \
     HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy",
    // Compilers and linkers.
    "CC CXX CPP AR AS LD NM RANLIB STRIP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH \
     LIBRARY_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH PKG_CONFIG PKG_CONFIG_PATH CMAKE_PREFIX_PATH CMAKE_GENERATOR \
     CMAKE_BUILD_PARALLEL_LEVEL CROSS_COMPILE SDKROOT DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET SOURCE_DATE_EPOCH",
    // Rust, Go, Java.
    "CARGO_HOME CARGO_TARGET_DIR CARGO_BUILD_JOBS CARGO_INCREMENTAL RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUSTDOCFLAGS \
     RUST_BACKTRACE GOROOT GOPATH GOBIN GOCACHE GOMODCACHE GOFLAGS GOTOOLCHAIN GOARCH GOOS CGO_ENABLED JAVA_HOME JDK_HOME \
     MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME KOTLIN_HOME SCALA_HOME \
     SBT_HOME",
    // Scripting languages and their version managers.
    "VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONHOME PYTHONUTF8 PIPX_HOME NVM_DIR \
     NVM_BIN NODE_PATH NODE_ENV PNPM_HOME VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH BUN_INSTALL DENO_DIR RBENV_ROOT \
     RBENV_VERSION RUBYLIB GEM_HOME GEM_PATH PERL5LIB PERL_LOCAL_LIB_ROOT LUA_PATH LUA_CPATH R_HOME R_LIBS_USER JULIA_DEPOT_PATH",
    "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR JENV_ROOT NODENV_ROOT GHCUP_INSTALL_BASE_PREFIX OPAM_SWITCH_PREFIX \
     CAML_LD_LIBRARY_PATH OCAML_TOPLEVEL_PATH NIX_PATH NIX_PROFILES HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY \
     DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT ZIG_GLOBAL_CACHE_DIR MIX_HOME HEX_HOME",
    // Boards.
    "IDF_PATH IDF_TOOLS_PATH IDF_PYTHON_ENV_PATH PICO_SDK_PATH PICO_EXTRAS_PATH PICO_BOARD ZEPHYR_BASE \
     ZEPHYR_SDK_INSTALL_DIR ZEPHYR_TOOLCHAIN_VARIANT ARMGCC_DIR PLATFORMIO_CORE_DIR MICROPYPATH MICROPY_MICROPYTHON",
    // Windows starts nothing without these.
    "SystemRoot SystemDrive windir ComSpec PATHEXT OS USERNAME USERPROFILE USERDOMAIN HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA \
     PUBLIC ProgramData ALLUSERSPROFILE ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles \
     CommonProgramFiles(x86) CommonProgramW6432 COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE \
     PROCESSOR_IDENTIFIER PROCESSOR_LEVEL PROCESSOR_REVISION",
];
const SECRET_VALUES: [&str; 6] = ["ghp_", "github_pat_", "sk-", "xoxb-", "AKIA", "-----BEGIN"];
const PLAIN: [(&str, &str); 6] = [
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("CI", "1"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn is_passed(name: &str, value: &str) -> bool {
        !passed(std::iter::once((name.into(), value.into()))).is_empty()
    }

    #[test]
    fn only_what_is_listed_is_passed_and_nothing_of_it_that_holds_a_password() {
        for (name, value) in [
            ("GITHUB_TOKEN", "x"),
            ("BORG_PASSPHRASE", "x"),
            ("RESTIC_PASSWORD", "x"),
            ("AUTHORIZATION", "Bearer x"),
            (
                "SLACK_WEBHOOK_URL",
                "https://hooks.slack.com/services/T0/B0/x",
            ),
            ("JWT", "eyJhbGciOiJIUzI1NiJ9.e30.x"),
            ("SESSION", "x"),
            ("SSH_AUTH_SOCK", "/x"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/x"),
            (
                "GIT_CONFIG_PARAMETERS",
                "'http.extraheader=Authorization: x'",
            ),
            ("GIT_ASKPASS", "/x"),
            ("PIP_INDEX_URL", "https://host/simple"),
            ("npm_config__auth", "x"),
            ("CARGO_REGISTRIES_MINE_TOKEN", "x"),
            ("FLYLEAD_MCP_TOKEN", "x"),
            ("A_NAME_THAT_NOBODY_KNOWS", "x"),
            // Listed, but withheld because of their values.
            ("HTTPS_PROXY", "http://me:word@proxy:3128"),
            ("https_proxy", "http://key@proxy:3128"),
            ("GOFLAGS", "-x=a -proxy=https://me:word@host"),
            ("EMAIL", "ghp_abc"),
        ] {
            assert!(!is_passed(name, value), "{name}");
        }
        for (name, value) in [
            ("PATH", "/bin"),
            ("HOME", "/h"),
            ("LANG", "C"),
            ("LC_ALL", "C"),
            ("CARGO_HOME", "/c"),
            ("VIRTUAL_ENV", "/v"),
            ("IDF_PATH", "/i"),
            ("HTTPS_PROXY", "http://proxy:3128/a@b"),
        ] {
            assert!(is_passed(name, value), "{name}");
        }
    }
}
