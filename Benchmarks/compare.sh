#!/usr/bin/env bash
# Measures StreamQuery and TanStack Query's core one after the other, and prints a table of the cases
# that both have.
#
#   Benchmarks/compare.sh path/to/query-core/index.mjs [RUNS]
#
# The bundle is yours to make: from the npm package `@tanstack/query-core`, its `build/modern/index.js`
# (with a `package.json` of `"type": "module"` beside it). Needs node 20 or later.
set -euo pipefail
bundle=$(cd "$(dirname "${1:?the path of query-core/index.mjs}")" && pwd)/$(basename "$1")
runs=${2:-3}
cd "$(dirname "${BASH_SOURCE[0]}")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

swift build -c release --product Benchmarks >&2
.build/release/Benchmarks --runs "$runs" --output "$scratch" >&2
"${NODE:-node}" --expose-gc tanstack.mjs "$bundle" >"$scratch/theirs.txt"

awk -v rows="$scratch/results.json" '
  function amount(value, id) {
    if (id ~ /^memory/) return sprintf("%.0f B", value)
    if (value < 1000) return sprintf("%.0f ns", value)
    if (value < 1e6) return sprintf("%.2f µs", value / 1e3)
    return sprintf("%.2f ms", value / 1e6)
  }
  { theirs[$1] = $2 }
  END {
    print "| case | StreamQuery | over the raw limit | TanStack Query | factor |"
    print "|---|---|---|---|---|"
    while ((getline line < rows) > 0) {
      if (line ~ /"id" :/) { split(line, part, "\""); id = part[4]; ratio = ""; title = "" }
      if (line ~ /"ratio" :/) { ratio = line; gsub(/[^0-9.]/, "", ratio) }
      if (line ~ /"title" :/) { split(line, part, "\""); title = part[4] }
      if (line ~ /"value" :/) {
        value = line; sub(/.*: /, "", value); value += 0
        if (id in theirs) {
          printf "| %s | %s | %s | %s | %.1f |\n", title, amount(value, id),
            ratio == "" ? "" : sprintf("%.1f ×", ratio), amount(theirs[id], id), theirs[id] / value
        }
      }
    }
  }' "$scratch/theirs.txt"
