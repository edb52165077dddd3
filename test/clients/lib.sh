# Functions that the scripts in this folder share. They install the clients, start a demo store on a free loopback port,
# and stop it. Source this file with the repository's root as the working directory.
set -euo pipefail

clients=test/clients
work=$(mktemp -d)
server=

stop_server() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  fi
}

stop() {
  stop_server
  rm -rf "$work"
}
trap stop EXIT

install_clients() {
  command -v npm >/dev/null || { echo "npm is missing (Debian: apt-get install nodejs npm)" >&2; exit 1; }
  # The copy of the lock file is written last: it names the packages of a complete installation.
  if ! cmp -s $clients/package-lock.json $clients/node_modules/.installed; then
    (cd $clients && INSPECTOR_SKIP_CLIENT_INSTALL=1 npm ci --no-audit --no-fund --loglevel=error)
    cp $clients/package-lock.json $clients/node_modules/.installed
  fi
  # The Inspector and the conformance suites need Node 22; npm installs one if the machine's is older.
  node=node
  if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 22 ]; then
    node=$PWD/$clients/node_modules/.bin/node
  fi
}

# Chromium is Debian's, because the download of npm packages is not available everywhere.
install_browser() {
  chromium=$(command -v chromium || true)
  if [ -z "$chromium" ]; then
    apt-get update -q
    apt-get install -yq --no-install-recommends -o DPkg::Lock::Timeout=300 chromium fonts-dejavu-core
    chromium=$(command -v chromium)
  fi
  export chromium
}

free_port() {
  node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}

wait_for() {
  for _ in $(seq 300); do
    node -e "fetch('$1').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))" && return
    kill -0 "$server" 2>/dev/null || break
    sleep 0.2
  done
  echo "$1 does not answer" >&2
  exit 1
}

start_demo() {
  port=$(free_port)
  bin/assay demo --addr "127.0.0.1:$port" --data "$work/data" --days 400 --orders 8000 --rate-limit 100000 ${demo_options[@]+"${demo_options[@]}"} >"$work/demo.log" 2>&1 &
  server=$!
  for _ in $(seq 1500); do
    grep -q '^ready:' "$work/demo.log" && break
    kill -0 "$server" 2>/dev/null || { cat "$work/demo.log" >&2; exit 1; }
    sleep 0.2
  done
  grep -q '^ready:' "$work/demo.log" || { echo "the demo is not ready after five minutes" >&2; cat "$work/demo.log" >&2; exit 1; }
  rpc=$(node -p "require('$work/data/demo.json').rpc_url")
  key=$(node -p "require('$work/data/demo.json').api_key")
  export rpc key
}
