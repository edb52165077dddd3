#!/usr/bin/env bash
# Installs the clients and the browser that the suites need.
cd "$(dirname "$0")/../.."
source test/clients/lib.sh
install_clients
install_browser
