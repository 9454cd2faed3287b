#!/usr/bin/env bash
# Measures what the tests notice: makes mutants of the sources, one small defect each, and runs the tests with one at a
# time. A mutant is killed if a test fails, or if they do not end.
#
#   flipped   a condition of `if`, `guard`, `while` or `where` is the opposite
#   dropped   a statement of one line is left out
#   swapped   a case does what its neighbour does
#   literal   `true` is returned or passed in place of `false`, or `false` of `true`
#
#   Scripts/mutants.sh               60 mutants: at least 5 for each group of files
#   Scripts/mutants.sh --count N     so many
#   Scripts/mutants.sh --seed N      others
#   Scripts/mutants.sh --only GLOB   those of some files
#
# Scripts/mutants.txt lists the groups, with the suites that have to kill their mutants, and mutants that nobody can
# tell from the original. Any other one that survives needs a test, or a place in that list; below 95 % it fails. All
# mutants are in one build, in .build-mutants, behind the environment's `STREAMQUERY_MUTANT`. Their results stay there.
# The next start reuses a result if sources, suites and shared test files are the same.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/copying.sh
folder=$PWD/.build-mutants
copy=$folder/project
results=$folder/results.tsv
program=$PWD/Scripts/mutants.pl
count=60 seed=1 only='*'
while (($# > 0)); do
  case $1 in
    --count) count=$2 ;;
    --seed) seed=$2 ;;
    --only) only=$2 ;;
    *) echo "mutants: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift 2
done
export STREAMQUERY_TESTS=StreamQueryTests,StreamQueryPersistenceTests STREAMQUERY_SEEDS=1

# Makes the mutants, without those that are known not to compile, and writes what changed into the copy.
plant() {
  perl "$program" make "$folder" "$count" "$seed" "$only"
  local module
  for module in StreamQuery StreamQueryPersistence; do
    if [[ ! -d $folder/planted/Sources/$module ]]; then continue; fi
    cp Scripts/mutants.swift "$folder/planted/Sources/$module/Mutants.swift"
  done
  copy_project "$copy" "$folder/planted"
}

# Builds the copy, again without the mutants that do not compile.
build() {
  until (cd "$copy" && swift build --build-tests) >"$folder/build.log" 2>&1; do
    if ! perl "$program" refuse "$folder" "$folder/build.log"; then
      # The sources themselves may not compile.
      rm "$folder/refused.txt"
      grep "error: " "$folder/build.log" >&2 || tail -n 40 "$folder/build.log" >&2
      exit 1
    fi
    plant
  done
}

# version SUITES: changes with the sources, test files that name one of the suites, and test files without suites.
version() (
  cd "$copy"
  {
    echo "$1"
    git ls-files -s -- 'Sources/*.swift' 'Tests/*.swift' ':!Tests/*Tests.swift'
    git grep -lzE "$1" -- 'Tests/*Tests.swift' | xargs -0 git ls-files -s --
  } | git hash-object --stdin
)

# launch NUMBER SECONDS SUITES: runs suites with a mutant. One may ask for all memory that there is.
launch() (
  cd "$copy"
  ulimit -v 8000000 2>/dev/null || true
  STREAMQUERY_MUTANT=$1 perl "$program" run "$2" "${tests[@]}" --filter "$3" >"$folder/run.log" 2>&1 </dev/null
)

mkdir -p "$folder"
plant
build
touch "$results"
suites=$(cut -f 5 "$folder/mutants.tsv" | sort -u)
while IFS= read -r group; do printf '%s\t%s\n' "$group" "$(version "$group")"; done <<<"$suites" >"$folder/versions.tsv"
# Results of another version, the last field, are dropped.
awk -F '\t' '
  FILENAME == ARGV[1] { versions[$1] = $2; next }
  FILENAME == ARGV[2] { expected[$1] = versions[$5]; next }
  $NF == expected[$1]' "$folder/versions.tsv" "$folder/mutants.tsv" "$results" >"$results.kept"
mv "$results.kept" "$results"

tests=("$(cd "$copy" && swift build --show-bin-path)/StreamQueryPackageTests.xctest" --testing-library swift-testing)
if [[ $(uname -s) == Darwin ]]; then tests=(swift test --skip-build --disable-xctest); fi
SECONDS=0
if ! launch 0 3600 "$(paste -s -d '|' - <<<"$suites")" ||
  ! grep -q "Test run with [1-9]" "$folder/run.log"; then
  tail -n 40 "$folder/run.log" >&2
  echo "mutants: the tests do not pass without a mutant" >&2
  exit 1
fi
limit=$((2 * SECONDS + 60))
while IFS=$'\t' read -r number file line state suites kind text _; do
  if [[ $state != chosen ]] || grep -q "^$number"$'\t' "$results"; then continue; fi
  status=0
  launch "$number" "$limit" "$suites" || status=$?
  case $status in
    0) result=survived ;;
    124) result=hung ;;
    # No test of this name, or no such program.
    69 | 12[67])
      echo "mutants: the tests $suites of mutant $number cannot be run" >&2
      exit 1
      ;;
    *) result=killed ;;
  esac
  version=$(SUITES=$suites awk -F '\t' '$1 == ENVIRON["SUITES"] { print $2 }' "$folder/versions.tsv")
  printf '%s\t%s:%s\t%s\t%s\t%s\t%s\n' "$number" "$file" "$line" "$kind" "$result" "$text" "$version" | tee -a "$results"
done <"$folder/mutants.tsv"
perl "$program" report "$folder"
