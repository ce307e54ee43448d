#!/bin/sh
# Installs the flylead command @VERSION@ into ~/.local, or into the folder that FLYLEAD_PREFIX names:
#
#   curl -LsSf https://github.com/flylead/flylead/releases/latest/download/install.sh | sh
#
# The archive must have the hash that stands below. Nothing is changed outside of that folder, and nothing needs root.
set -eu

version=@VERSION@
prefix=${FLYLEAD_PREFIX:-$HOME/.local}
address=${FLYLEAD_DOWNLOAD:-https://github.com/flylead/flylead/releases/download/v$version}

fail() {
  echo "error: $1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

case $(uname -sm) in
  "Linux x86_64") target=x86_64-unknown-linux-gnu ;;
  "Linux aarch64") target=aarch64-unknown-linux-gnu ;;
  "Darwin x86_64") target=x86_64-apple-darwin ;;
  "Darwin arm64") target=aarch64-apple-darwin ;;
  *) fail "there is no archive for $(uname -sm); cargo install flylead compiles the command" ;;
esac

case $target in
@HASHES@
  *) fail "this release has no archive for $target; cargo install flylead compiles the command" ;;
esac

fetch() {
  if has curl; then
    curl --proto '=https,http' -LsSf "$1" -o "$2"
  elif has wget; then
    wget -q "$1" -O "$2"
  else
    fail "neither curl nor wget is here"
  fi
}

hash_of() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    fail "neither sha256sum nor shasum is here, so the archive cannot be checked"
  fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
name=flylead-v$version-$target
fetch "$address/$name.tar.gz" "$folder/archive" || fail "cannot fetch $address/$name.tar.gz"
found=$(hash_of "$folder/archive")
[ "${found%% *}" = "$hash" ] || fail "the archive has the hash ${found%% *}, not $hash; nothing was installed"

tar -xzf "$folder/archive" -C "$folder"
share=$prefix/share
mkdir -p "$prefix/bin" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" \
  "$share/fish/vendor_completions.d"
# The command takes its place in one step, also while an older one runs, and only where it runs.
cp "$folder/$name/flylead" "$prefix/bin/.flylead.new"
if ! "$prefix/bin/.flylead.new" --version >/dev/null 2>&1; then
  rm -f "$prefix/bin/.flylead.new"
  fail "the command does not run here; on Linux it needs glibc 2.35 or newer (Debian 12, Ubuntu 22.04), which Alpine lacks; cargo install flylead compiles one that runs"
fi
mv -f "$prefix/bin/.flylead.new" "$prefix/bin/flylead"
cp "$folder/$name"/man/*.1 "$share/man/man1/"
cp "$folder/$name/completions/flylead.bash" "$share/bash-completion/completions/flylead"
cp "$folder/$name/completions/flylead.zsh" "$share/zsh/site-functions/_flylead"
cp "$folder/$name/completions/flylead.fish" "$share/fish/vendor_completions.d/flylead.fish"

echo "installed $("$prefix/bin/flylead" --version) in $prefix/bin"
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "hint: add it to the PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
