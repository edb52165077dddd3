#!/bin/sh
# Checks the tools that a build needs, and prints what to install. The database engine is linked in, so the build needs a
# C compiler and the C++ standard library. GO is the go command.
set -u
cd "$(dirname "$0")/.." || exit 1
go=${GO:-go}
want=$(sed -n 's/^go //p' go.mod)
install="download it from https://go.dev/dl and unpack it to /usr/local/go; then: make demo GO=/usr/local/go/bin/go"

fail() {
	echo "$1" >&2
	exit 1
}

command -v "$go" >/dev/null || fail "Go $want or later is missing. Debian, Ubuntu: $install. Fedora: dnf install golang, macOS: brew install go"
# Go 1.21 and later load the version of go.mod by themselves, unless GOTOOLCHAIN=local.
have=$("$go" env GOVERSION 2>/dev/null | sed 's/^go//; s/[^0-9.].*//')
oldest=$(printf '%s\n%s\n' "$want" "${have:-0}" | sort -V | head -n 1)
[ "$oldest" = "$want" ] || fail "Go $want or later is needed; $go is version ${have:-unknown}. The golang-go package of Debian 12 is 1.19. To do: $install"
command -v "${CC:-cc}" >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
	fail "A C compiler is missing. Debian, Ubuntu: apt-get install gcc libc6-dev libstdc++-12-dev, Fedora: dnf install gcc gcc-c++, macOS: xcode-select --install"
printf 'int main(){}' | "${CC:-cc}" -x c - -lstdc++ -o /dev/null 2>/dev/null ||
	fail "The C++ standard library is missing. Debian, Ubuntu: apt-get install libc6-dev libstdc++-12-dev, Fedora: dnf install gcc-c++ libstdc++-devel, macOS: xcode-select --install"
