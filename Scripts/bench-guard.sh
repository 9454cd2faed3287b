#!/usr/bin/env bash
# Keeps the library as fast as it is: counts instructions and allocations, which repeat on any
# machine however busy it is, and compares them with Benchmarks/guard.txt.
#
#   Scripts/bench-guard.sh            check
#   Scripts/bench-guard.sh --update   write the present counts as what holds from now on
#   Scripts/bench-guard.sh --print    print the counts only
#
# An operation may take 5 % more instructions than before, plus 50 for chance. Allocations are exact,
# but for growing arrays and slabs: a quarter of one and 2 % may come on top. Without valgrind, or with
# another compiler or processor than the counts are of, only allocations are compared.
#
# Operators that let an element through, `operator.pass.…`, may allocate nothing for it, whatever was
# recorded: that is promised, so --update does not get round it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
recorded=Benchmarks/guard.txt
mode=${1:-check}

swift build -c release --package-path Benchmarks
program=$(swift build -c release --package-path Benchmarks --show-bin-path)/Benchmarks
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What instruction counts depend on.
platform="$(uname -s) $(uname -m) $(swiftc --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -n 1)"

# Hashes are seeded per process; without that, counts would differ from run to run.
export SWIFT_DETERMINISTIC_HASHING=1
counted=false
if command -v valgrind >/dev/null; then
  counted=true
  # valgrind of 2022 cannot read the debug information that Swift of today writes.
  strip --strip-debug -o "$scratch/program" "$program"
  # Counts what runs inside of `measure_watched`, and starts a new file after each call of it.
  valgrind --tool=callgrind --toggle-collect=measure_watched --dump-after=measure_watched \
    --callgrind-out-file="$scratch/counts" "$scratch/program" --counted \
    >"$scratch/names" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
else
  "$program" --counted >"$scratch/names"
fi

number=0
while read -r name iterations allocations; do
  number=$((number + 1))
  instructions=0
  if $counted; then
    total=$(sed -nE 's/^(totals|summary): ([0-9]*).*/\2/p' "$scratch/counts.$number" | head -n 1)
    instructions=$((total / iterations))
  fi
  echo "$name $instructions $allocations"
done <"$scratch/names" >"$scratch/present"

if [[ $mode == --print ]]; then
  cat "$scratch/present"
  exit 0
fi
awk '
  /^operator[.]pass[.]/ {
    count++
    if ($3 > 0) { print "bench-guard: " $1 " allocates " $3 " times for an element"; bad = 1 }
  }
  END {
    if (!count) print "bench-guard: no case of operators that let elements through"
    exit bad || !count
  }' "$scratch/present" >&2
if [[ $mode == --update ]]; then
  if ! $counted; then
    echo "bench-guard: counts can be recorded only where valgrind is" >&2
    exit 1
  fi
  {
    echo "# $platform"
    echo "# case, instructions and allocations of one operation; see Scripts/bench-guard.sh"
    cat "$scratch/present"
  } >"$recorded"
  exit 0
fi

compares=false
if $counted && [[ "# $platform" == "$(head -n 1 "$recorded")" ]]; then compares=true; fi
if ! $compares; then
  echo "bench-guard: instructions are not compared: they are of another platform, or cannot be counted"
fi
awk -v compares="$compares" '
  FNR == NR { if ($1 !~ /^#/) { instructions[$1] = $2; allocations[$1] = $3 }; next }
  !($1 in instructions) { print "bench-guard: " $1 " has no recorded count: run with --update"; bad = 1; next }
  {
    seen[$1] = 1
    most = instructions[$1] * 1.05 + 50
    if (compares == "true" && $2 > most) {
      printf "bench-guard: %s takes %d instructions instead of %d\n", $1, $2, instructions[$1]
      bad = 1
    }
    if ($3 > allocations[$1] * 1.02 + 0.25) {
      printf "bench-guard: %s makes %s allocations instead of %s\n", $1, $3, allocations[$1]
      bad = 1
    }
    if (compares == "true" && $2 < instructions[$1] * 0.9) {
      printf "bench-guard: %s takes only %d instructions instead of %d: well done; --update keeps it so\n", $1, $2, instructions[$1]
    }
  }
  END {
    for (name in instructions) if (!(name in seen)) { print "bench-guard: " name " is gone"; bad = 1 }
    if (!bad) print "bench-guard: nothing takes more than before"
    exit bad
  }' "$recorded" "$scratch/present"
