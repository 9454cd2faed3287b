#!/usr/bin/env bash
# Tests the inspector's page: its size, its model in node, and the whole page in Chromium.
#
#   test.sh                    with the client that is not there, see dev-server.mjs
#   test.sh -- COMMAND ARG…    also with an app, which prints its link: `Inspect --driven` of Playgrounds says what it sees
#
# Prints SKIPPED and returns 77 where node or Chromium is missing, after what can run. With INSPECTOR_STRICT=1, on an idle machine, a
# frame with 100,000 keys may take 8 ms: otherwise its times are only printed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
page=../../Sources/StreamQueryInspector/Page
size=$(cat "$page"/* | wc -c)
if ((size > 200000)); then
  echo "page: $size bytes, more than 200,000" >&2
  exit 1
fi
echo "page: $size bytes"
if ! command -v node >/dev/null || [[ $(node -p 'process.versions.node.split(".")[0]') -lt 20 ]]; then
  echo "page: SKIPPED, since node 20 is missing"
  exit 77
fi
node --test ./*.test.mjs
limit=()
# macOS has no such command.
if command -v timeout >/dev/null; then limit=(timeout 120); fi
${limit[@]+"${limit[@]}"} node e2e.mjs
if (($# > 1)); then ${limit[@]+"${limit[@]}"} node e2e.mjs "$@"; fi
