#!/usr/bin/env bash
# Follows the quick start of README.md on a bare Debian 12 and prints a log with times. The machine has only make, a
# C/C++ compiler and Go in /usr/local/go. Needs root, the package debootstrap and about 6 GB. Usage: clean-machine.sh
# DIR [MIRROR]
set -euo pipefail
root=${1:?a directory for the machine}
mirror=${2:-http://deb.debian.org/debian}
source=$(cd "$(dirname "$0")/.." && pwd)

say() { printf '\n=== %s (%s s)\n' "$*" "$SECONDS"; }
inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/go/bin:/usr/bin:/bin:/usr/sbin:/sbin \
    GOTOOLCHAIN=local TERM=dumb bash -c "cd /root/assay && $1"
}

say "Debian 12 with the packages of the quick start"
debootstrap --variant=minbase --include=make,gcc,g++,libc6-dev,git,ca-certificates,curl bookworm "$root" "$mirror" >"$root.log" 2>&1
cp -r "$(go env GOROOT)" "$root/usr/local/go"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
echo '127.0.0.1 localhost' >"$root/etc/hosts" # a machine that an installer made has it
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev" # the host keeps its mounts when these end
trap 'umount -l "$root/dev" "$root/proc"' EXIT
git clone -q "$source" "$root/root/assay"
inside 'go version; gcc --version | head -1; . /etc/os-release; echo "$PRETTY_NAME"'

say "make demo"
start=$SECONDS
inside 'exec make demo' >"$root.demo" 2>&1 &
demo=$!
until grep -q 'http://127.0.0.1:8080' "$root.demo" 2>/dev/null && curl -fs http://127.0.0.1:8080/healthz >/dev/null 2>&1; do
  kill -0 "$demo" 2>/dev/null || { cat "$root.demo"; exit 1; }
  sleep 0.5
done
cat "$root.demo"
echo "make demo served after $((SECONDS - start)) s"
inside 'bin/assay call performance'
echo "the first answer came after $((SECONDS - start)) s"
inside 'du -sh --apparent-size bin/assay assay-data; du -sh --apparent-size /root/go/pkg/mod/cache/download; du -sh --apparent-size /root/go/pkg/mod'

say "the demo stops"
kill -INT -- "$(pgrep -f -x "bin/assay demo --addr 127.0.0.1:8080 --data ./assay-data")"
code=0; wait "$demo" || code=$?
tail -3 "$root.demo"
echo "make demo ended with code $code"

say "make test"
start=$SECONDS
inside 'make test' 2>&1
echo "make test took $((SECONDS - start)) s"
