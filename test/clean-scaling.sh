#!/usr/bin/env bash
# Follows the section "Several nodes" of docs/scaling.md on the machine that clean-machine.sh left, and prints a log with
# times: it runs the commands of the document, starts three nodes and compares their answers. Needs root and the ports of
# the servers (5432, 6379, 9000) and of the nodes (8081 to 8083). Usage: clean-scaling.sh DIR
set -euo pipefail
root=${1:?the directory of the machine}

say() { printf '\n=== %s (%s s)\n' "$*" "$SECONDS"; }
inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/root/assay/bin:/usr/local/go/bin:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb bash -c "cd /root && $1"
}

# block N: the N-th block of shell commands of the section.
block() {
  inside "awk '/^## /{in_section = /Several nodes/} in_section && /^\`\`\`/{if (!inside) n++; inside = !inside; next} in_section && inside && n == $1' assay/docs/scaling.md"
}

rm -f "$root"/root/node*.pid
stop() {
  trap - EXIT
  inside 'kill $(cat node*.pid)' 2>/dev/null || true
  wait
  inside 'for s in clickhouse-server redis-server postgresql; do service $s stop; done' >"$root.stop" 2>&1 || true
  umount -l "$root/dev" "$root/proc" || true
}
trap stop EXIT
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev" # the host keeps its mounts when these end

say "the servers"
block 1 >"$root.servers"
sed 's/^/  /' "$root.servers"
# The password is typed at the prompt of createuser.
sed -i 's/createuser --pwprompt assay/psql -qc "CREATE USER assay PASSWORD '"'trial-secret'"'"/' "$root.servers"
inside 'apt-get update' >"$root.apt" 2>&1
inside "set -e; $(cat "$root.servers")" >>"$root.apt" 2>&1 || { tail -30 "$root.apt"; exit 1; }
tail -5 "$root.apt"

say "the first node"
block 2 | sed 's/PASSWORD/trial-secret/' >"$root.first"
sed 's/^/  /' "$root.first"
settings=$(grep -v '^assay' "$root.first")
inside "set -e; $settings; $(grep '^assay workspace' "$root.first")"
node() { # node N COMMAND: starts a node and waits until it is ready.
  local start=$SECONDS
  inside "$settings; echo \$BASHPID >node$1.pid; exec $2" >"$root.node$1" 2>&1 &
  until curl -fs -o /dev/null -H 'Host: assay.example.com' "http://127.0.0.1:808$1/readyz"; do
    if ! kill -0 $! 2>/dev/null || [ $((SECONDS - start)) -gt 60 ]; then cat "$root.node$1"; exit 1; fi
    sleep 0.2
  done
  echo "node $1 is ready"
}
node 1 "$(grep '^assay serve' "$root.first")"

say "two more nodes"
second=$(block 3)
echo "  $second"
node 2 "$second"
node 3 "$(sed 's/assay2/assay3/; s/8082/8083/' <<<"$second")"

say "an import and the answers of the three nodes"
inside "$settings; set -e
  printf 'order_id,created_at,customer_id,currency,total,country,channel\n' >orders.csv
  for i in \$(seq 1000); do
    printf 'o%d,2026-11-%02dT12:00:00Z,c%d,USD,%d.00,US,google\n' \$i \$((i % 20 + 1)) \$((i % 300)) \$((20 + i % 80)) >>orders.csv
  done
  assay import orders.csv --workspace shop --data /var/lib/assay1
  assay keys create --workspace shop --name trial --data /var/lib/assay2 >key"
key=$(grep -o 'asy_[A-Za-z0-9_-]*' "$root/root/key" | head -1)
for n in 1 2 3; do
  curl -fsS -H 'Host: assay.example.com' -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "http://127.0.0.1:808$n/api/mcp/rpc" \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"performance","arguments":{"start_date":"2026-11-01","end_date":"2026-11-20"}}}' >"$root.answer$n"
  grep -o '"summary":"[^"]*"' "$root.answer$n" | head -1
done
cmp "$root.answer1" "$root.answer2"
cmp "$root.answer1" "$root.answer3"
say "three nodes give the same answer"
