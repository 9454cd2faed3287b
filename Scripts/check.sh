#!/usr/bin/env bash
# The one command of this project: green here means green in CI.
#
#   Scripts/check.sh                 every step but the sanitizers and the bench
#   Scripts/check.sh --quick         format, purity, layers, house, texts, debug: for while you work
#   Scripts/check.sh --sanitizers    the sanitizers too
#   Scripts/check.sh --bench         the bench too: counts, no wall time
#   Scripts/check.sh --only STEP     one step, may be repeated; `integrations` is those of Integrations
#   Scripts/check.sh --skip STEP     leave one out, may be repeated
#   Scripts/check.sh --offline       leave out playgrounds and integrations whose packages cannot be fetched
#   Scripts/check.sh --list          the steps
#   Scripts/check.sh --self-test     see that checks find planted defects: see Scripts/self-test.sh
#
# Two steps run at a time, see `beside_steps`; what the second prints is shown when it is done. At the end it
# prints what each step took, and how many own lines it compiled: .build-steps/steps.tsv. With STEPS_CONTINUE=1
# the steps follow those that are written down there.
#
# It stops at the first step that fails. Build folders (.build-*) are kept, so that a second run
# compiles only what changed; each belongs to one set of flags, since other flags in the same
# folder would build everything again.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/steps.sh

standard_steps=(format purity layers house texts map debug seam views release apple docs samples types refused linking playgrounds)
integration_steps=(grdbstore server inspector redis)
standard_steps+=("${integration_steps[@]}")
sanitizer_steps=(thread leaks redisthread)
other_steps=(bench)
# Steps that build in folders of their own, .build-STEP, or in none. They run one after another beside the others:
# much of what they do is the work of one core.
beside_steps=(release thread apple)
# Steps whose servers run in real time: they need both cores, and come last. Beside a build, even one that runs under
# `nice`, the processes of their tests answer too late.
real_time_steps=(redis redisthread)
strict=(-Xswiftc -warnings-as-errors)
# The sanitizer cannot see the standard library's lock on Linux: TSAN_LOCK puts one over pthread in its place, see
# Sources/StreamQuery.
thread_flags=(--sanitize=thread -Xswiftc -DTSAN_LOCK "${strict[@]}")

# MARK: Steps

step_format() { # swift-format's rules, no white space at line ends, and no link that leads nowhere
  local files=() file
  while IFS= read -r file; do
    if [[ -L $file && ! -e $file ]]; then
      echo "check: $file leads nowhere: $(readlink "$file")" >&2
      return 1
    fi
  done < <(git ls-files --cached --others --exclude-standard)
  while IFS= read -r file; do
    if [[ -f $file ]]; then files+=("$file"); fi
  # Stubs are written as the frameworks are, and nobody reads their documentation.
  done < <(git ls-files --cached --others --exclude-standard -- '*.swift' ':!Scripts/apple-stubs')
  if ((${#files[@]} == 0)); then
    echo "check: git lists no Swift files" >&2
    return 1
  fi
  swift format lint --strict --parallel "${files[@]}"
  if git grep -nIE '[[:blank:]]+$' -- '*.swift' '*.sh' '*.awk' '*.yml' '*.md' .ci; then
    echo "check: white space at the end of these lines" >&2
    return 1
  fi
}

step_purity() { # the pure core, file length, tests that do not sleep and have the names of their files: see Scripts/purity.sh
  Scripts/purity.sh --self-test
}

step_layers() { # folders use each other downwards only, types are where their names say: see Scripts/layers.sh
  Scripts/layers.sh --self-test
}

step_house() { # what makes sources hard to read does not grow: see Scripts/house.sh
  Scripts/house.sh --self-test
}

step_texts() { # the documentation does not grow, is easy to read, and takes a version: see Scripts/texts.sh and Scripts/release.sh
  Scripts/texts.sh --self-test
  Scripts/release.sh --texts
}

step_map() { # texts that show the way through the sources are right, and lists of enums: see Scripts/map.sh
  Scripts/map.sh --self-test
}

step_debug() { # build with warnings as errors, then the tests, with all seeds of all fuzzes but if it has to be quick
  export STREAMQUERY_SEEDS=${STREAMQUERY_SEEDS:-$seeds}
  run_tests .build-check "${strict[@]}"
}

step_seam() { # what persistence uses of the core beyond its public part: see Scripts/seam.sh
  Scripts/seam.sh --self-test --scratch-path "$documented"
}

step_views() { # the SwiftUI files run, on Linux beside a stand-in: see Tests/SwiftUIStandIn
  source Scripts/modules.sh
  build_views "$documented"
  swift test --skip-build "${views_flags[@]}"
}

step_release() { # what optimisation can break: the tests of API, operators, conformance and threads
  export STREAMQUERY_TESTS=StreamQueryAPITests,StreamQueryOperatorsTests
  STREAMQUERY_TESTS+=,StreamQueryConformanceTests,StreamQueryThreadTests
  # Optimised code takes part in `@testable` only when asked to.
  # Nobody debugs them, and information for debuggers takes time.
  run_tests .build-release -c release -Xswiftc -enable-testing -Xswiftc -gnone "${strict[@]}"
}

step_apple() { # type-check for macOS at the deployment floor
  Scripts/check-apple.sh --self-test
}

step_docs() { # documentation, warnings as errors, and no link leads nowhere; Scripts/public-api.txt says what is public
  Scripts/site.sh --self-test --scratch-path "$documented"
  Scripts/public-api.sh .build-docs/graphs --self-test
}

step_samples() { # the documentation's samples compile, on the main actor too, and print what they say
  Scripts/samples.sh --self-test --scratch-path "$documented"
}

step_types() { # chains of operators type-check in 100 ms: see Scripts/type-checking.sh
  Scripts/type-checking.sh --self-test --scratch-path "$documented"
}

step_refused() { # mistakes do not compile, and the compiler says what to write: see Scripts/refused.sh
  Scripts/refused.sh --scratch-path "$documented"
}

step_linking() { # a program with the test kit needs no library of tests: see Scripts/linking.sh
  Scripts/linking.sh --self-test --scratch-path "$documented"
}

step_playgrounds() { # the nested package builds, the tour's own checks hold, pages print what they should
  use_nested Playgrounds
  on_nested build
  swift run "${nested[@]}" Tour
  Scripts/pages.sh "${nested[@]:2}"
}

step_grdbstore() { # the tests and samples of Integrations/GRDBStore, where SQLite's headers are there
  require_header GRDBStore sqlite3.h SQLite
  use_nested Integrations/GRDBStore
  on_nested test
  Scripts/samples.sh --nested Integrations/GRDBStore --scratch-path "$documented"
}

step_server() { # the tests and samples of Integrations/Server
  use_nested Integrations/Server
  on_nested test
  Scripts/samples.sh --nested Integrations/Server --scratch-path "$documented"
}

step_inspector() { # the tests and samples of Integrations/Inspector, and its page before two apps where node and Chromium are there
  use_nested Integrations/Inspector
  on_nested test
  Scripts/samples.sh --nested Integrations/Inspector --scratch-path "$documented"
  use_nested Playgrounds
  on_nested build --product Inspect
  local status=0
  Integrations/Inspector/Tests/page/test.sh -- "$(swift build "${nested[@]}" --show-bin-path)/Inspect" --driven || status=$?
  if ((status == skipped)); then exit "$without_browser"; fi
  return "$status"
}

step_redis() { # the tests and samples of Integrations/Redis, where hiredis and redis-server are there
  require_header Redis hiredis/hiredis.h hiredis
  use_nested Integrations/Redis
  STREAMQUERY_SEEDS=${STREAMQUERY_SEEDS:-$seeds} on_nested test --skip PeerTests
  # They measure times of several processes, and run alone.
  on_nested test --skip-build --filter PeerTests
  Scripts/samples.sh --nested Integrations/Redis --scratch-path "$documented"
  swift build "${nested[@]}" --product SharingCosts
  # Each simulates its machines on one thread.
  compare_costs nodes-100 --nodes 100 &
  local first=$!
  compare_costs nodes-1000-faults --nodes 1000 --keys 8 --calls 100 --faults || { wait "$first"; return 1; }
  wait "$first"
  require_redis_server
  compare_example
}

# Whether simulated machines keep their promises, and sharing costs what a file of Integrations/Redis/Costs says:
# the name of the file, and what the machines are like.
compare_costs() {
  local kept=Integrations/Redis/Costs/$1.txt
  if ! swift run "${nested[@]}" --skip-build SharingCosts "${@:2}" | diff "$kept" -; then
    echo "check: sharing costs something else than $kept says; if it should, see Integrations/Redis/Costs/README.md" >&2
    return 1
  fi
}

# Whether the example of many machines prints what Integrations/Redis/Expected says.
compare_example() {
  local kept=Integrations/Redis/Expected/ManyMachines.txt
  local limit=()
  # Processes that wait for each other; macOS has no such command.
  if command -v timeout >/dev/null; then limit=(timeout 120); fi
  swift build "${nested[@]}" --product ManyMachines || return 1
  if ! ${limit[@]+"${limit[@]}"} swift run "${nested[@]}" --skip-build ManyMachines | diff "$kept" -; then
    echo "check: ManyMachines prints something else than $kept says" >&2
    return 1
  fi
}

# require_header PACKAGE HEADER NAME: skips the rest of the step where the header is missing.
require_header() {
  if echo "#include <$2>" | clang -E - >/dev/null 2>&1; then return 0; fi
  echo "check: the headers of $3 are missing, see Integrations/$1/README.md" >&2
  exit "$skipped"
}

# use_nested FOLDER: what follows is about a nested package. It is built in the folder of the debug build and with
# its flags, so that nothing of this package is compiled again. Sets
#   nested   flags for the package manager
# Skips the rest of the step where its packages cannot be fetched, and that is no failure.
use_nested() {
  nested=(--package-path "$1" --scratch-path "$PWD/$documented")
  if [[ $documented == .build-check ]]; then nested+=("${strict[@]}"); fi
  swift package "${nested[@]:0:4}" dump-package >/dev/null
  if ! $offline || swift package "${nested[@]:0:4}" resolve; then return 0; fi
  echo "check: the packages of $1 are out of reach; nothing of it was checked" >&2
  exit "$skipped"
}

# on_nested build|test FLAG…: builds or tests a nested package, and refuses warnings. It is planned anew: the plan that is
# there may be that of another package.
on_nested() {
  swift "$1" "${nested[@]}" --disable-build-manifest-caching "${@:2}" 2>&1 | tee .build-steps/nested.log
  refuse_warnings .build-steps/nested.log
}

# The tests of Integrations/Redis skip by themselves what needs the server; here the step says so.
require_redis_server() {
  if command -v redis-server >/dev/null; then return 0; fi
  echo "check: redis-server is missing: what needs it in Integrations/Redis was SKIPPED" >&2
  exit "$without_server"
}

step_thread() { # the suites of threads and processes, under the thread sanitizer
  export STREAMQUERY_TESTS=StreamQueryThreadTests
  TSAN_OPTIONS="halt_on_error=0 suppressions=$PWD/Scripts/thread-suppressions.txt ${TSAN_OPTIONS:-}" \
    run_tests .build-thread "${thread_flags[@]}"
}

step_redisthread() { # the threads of Integrations/Redis under the thread sanitizer, where hiredis and redis-server are there
  require_header Redis hiredis/hiredis.h hiredis
  command -v redis-server >/dev/null || return "$skipped"
  documented=.build-thread
  use_nested Integrations/Redis
  export STREAMQUERY_REDIS_TESTS=StreamQueryRedisTests
  # As in the step `thread`, whose core is used.
  nested+=("${thread_flags[@]}")
  export TSAN_OPTIONS="halt_on_error=0 suppressions=$PWD/Scripts/thread-suppressions.txt ${TSAN_OPTIONS:-}"
  # Not those that measure times of several processes.
  on_nested test --skip PeerTests
}

step_leaks() { # the debug build's tests under the leak sanitizer: nothing is lost, see Scripts/leaks.sh
  Scripts/leaks.sh --self-test --scratch-path "$documented"
}

step_bench() { # instructions and allocations have not grown: see Scripts/bench-guard.sh
  Scripts/bench-guard.sh
}

# Builds and tests with the same flags, so that the second builds nothing. It is planned anew: the plan that is there may
# be that of a nested package.
run_tests() {
  local folder=$1
  shift
  swift build --build-tests --scratch-path "$folder" --disable-build-manifest-caching "$@"
  swift test --skip-build --scratch-path "$folder" "$@"
}

# MARK: Arguments

fail_usage() {
  echo "check: $1; the steps are: ${standard_steps[*]} ${sanitizer_steps[*]} ${other_steps[*]}" >&2
  exit 2
}

known() {
  local step
  for step in "${standard_steps[@]}" "${sanitizer_steps[@]}" "${other_steps[@]}"; do
    if [[ $step == "${1:-}" ]]; then return 0; fi
  done
  fail_usage "no such step: ${1:-}"
}

steps=("${standard_steps[@]}")
only=()
offline=false
seeds=10
# What a step returns that could not be done here, and one that was done as far as no Redis server or browser is needed.
skipped=77
without_server=78
without_browser=79
skip=" "
while (($# > 0)); do
  case $1 in
    --quick) steps=(format purity layers house texts debug); seeds=1 ;;
    --sanitizers) steps+=("${sanitizer_steps[@]}") ;;
    --bench) steps+=("${other_steps[@]}") ;;
    --only)
      if [[ ${2:-} == integrations ]]; then
        only+=("${integration_steps[@]}")
      else
        known "${2:-}"
        only+=("$2")
      fi
      shift
      ;;
    --offline) offline=true ;;
    --self-test) exec Scripts/self-test.sh ;;
    --skip)
      if [[ ${2:-} == integrations ]]; then
        skip+="${integration_steps[*]} "
      else
        known "${2:-}"
        skip+="$2 "
      fi
      shift
      ;;
    --list)
      sed -n 's/^step_\([a-z]*\)() { # \(.*\)/\1: \2/p' Scripts/check.sh
      exit 0
      ;;
    *) fail_usage "unknown argument: $1" ;;
  esac
  shift
done
if ((${#only[@]} > 0)); then steps=("${only[@]}"); fi

# What needs a debug build uses one that exists anyway: who leaves out `debug` has run `swift test`.
documented=.build-check
if [[ $skip == *" debug "* ]]; then documented=.build; fi

# MARK: Run

# The name of a step in the summary.
label() {
  case $1 in
    grdbstore) echo Integrations/GRDBStore ;;
    server) echo Integrations/Server ;;
    inspector) echo Integrations/Inspector ;;
    redis) echo Integrations/Redis ;;
    redisthread) echo "Integrations/Redis threads" ;;
    *) echo "$1" ;;
  esac
}

# What came of the steps: a line each, for the summary.
results_file=.build-steps/results
# What the steps print that run beside the others, and whether all of them have passed.
beside_log=.build-steps/beside.log
beside_status=.build-steps/beside.status
beside_job=

# run_step STEP FOLDER…: runs a step that builds in these folders, and returns what it returned. To be called as a
# command of its own: in a condition, a step would run on after a failed command.
run_step() {
  local step=$1 started=$SECONDS status seconds
  printf '\n==> %s: %s\n' "$step" "$(sed -n "s/^step_$step() { # //p" Scripts/check.sh)"
  begin_step "$(label "$step")"
  set +e
  (set -e; "step_$step")
  status=$?
  set -e
  seconds=$((SECONDS - started))
  end_step "$(label "$step")" "$seconds" "${@:2}"
  if [[ ${GITHUB_ACTIONS:-} == true ]] && ((status == skipped || status == without_server)); then
    echo "check: on GitHub only the inspector's page may be skipped: whatever else a step needs can be installed there" >&2
    end_run "$step" "FAILED after $seconds s" FAILED >&2
    return "$status"
  fi
  case $status in
    0) end_run "$step" "passed in $seconds s" "$seconds s" ;;
    "$skipped") end_run "$step" SKIPPED SKIPPED ;;
    "$without_server") end_run "$step" "passed in $seconds s, SKIPPED without redis-server" \
      "$seconds s, SKIPPED without redis-server" ;;
    "$without_browser") end_run "$step" "passed in $seconds s, SKIPPED without node 20 and Chromium" \
      "$seconds s, SKIPPED without node 20 and Chromium" ;;
    *)
      end_run "$step" "FAILED after $seconds s" FAILED >&2
      return "$status"
      ;;
  esac
}

# end_run STEP TEXT SUMMARY: says what came of a step.
end_run() {
  echo "<== $1: $2"
  echo "$(label "$1") $3" >>"$results_file"
}

# Runs the steps beside the others, and writes down whether they have passed. Not in a trap: the shell of macOS runs none
# at the end of a function that runs in the background.
run_beside() {
  set +e
  (
    set -e
    for step in "${beside[@]}"; do run_step "$step" ".build-$step"; done
  )
  echo $? >"$beside_status"
}

# Waits until the steps that run beside the others are done, and shows what they print.
join_beside() {
  if [[ -z $beside_job ]]; then return 0; fi
  wait "$beside_job" || true
  beside_job=
  cat "$beside_log"
  return "$(cat "$beside_status")"
}

finish() {
  local status=$? result
  if [[ -n $beside_job ]]; then
    kill -- "-$beside_job" 2>/dev/null || true
    cat "$beside_log"
  fi
  if [[ -s $steps_file ]]; then
    echo
    print_steps
  fi
  if [[ -s $results_file ]]; then
    echo
    if ((status == 0)); then
      printf 'check: passed in %d s:' "$SECONDS"
    else
      printf 'check: FAILED in %d s:' "$SECONDS"
    fi
    while IFS= read -r result; do printf ' %s;' "$result"; done <"$results_file" | sed 's/;$//'
    echo
  fi
}
trap finish EXIT

# test_skipping: sees that what cannot be checked on macOS says so, and that on GitHub a step that is skipped fails, unless it
# lacks nothing but the browser.
test_skipping() (
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  printf '#!/bin/sh\necho Darwin\n' >"$scratch/uname"
  chmod +x "$scratch/uname"
  for script in leaks check-apple; do
    status=0
    PATH=$scratch:$PATH Scripts/$script.sh 2>/dev/null || status=$?
    if ((status != skipped)); then
      echo "check: self-test: $script.sh returns $status on macOS" >&2
      exit 1
    fi
  done
  steps_file=$scratch/steps.tsv
  results_file=$scratch/results
  step_planted() { return "$planted"; }
  for planted in 0 1 "$skipped" "$without_server" "$without_browser"; do
    for GITHUB_ACTIONS in true ""; do
      fails=false
      if ((planted == 1)); then fails=true; fi
      if [[ $GITHUB_ACTIONS == true ]] && ((planted == 77 || planted == 78)); then fails=true; fi
      failed=false
      run_step planted >"$scratch/log" 2>&1 || failed=true
      if [[ $failed != "$fails" ]] || { $fails && ! grep -q "^planted FAILED" "$results_file"; }; then
        cat "$scratch/log" >&2
        echo "check: self-test: failing is $failed where a step returns $planted, and GITHUB_ACTIONS is '$GITHUB_ACTIONS'" >&2
        exit 1
      fi
      rm "$results_file"
    done
  done
)

if [[ ${STEPS_CONTINUE:-} != 1 ]]; then begin_steps; fi
mkdir -p "${results_file%/*}"
: >"$results_file"
rm -f "$beside_status"
test_refusing
test_counting
test_skipping
Scripts/until-passed.sh --self-test >/dev/null

# The steps in the two lanes, where there is something for both, and the folders of the first.
main=()
beside=()
real_time=()
folders=(.)
for step in "${steps[@]}"; do
  if [[ $skip == *" $step "* ]]; then continue; fi
  if [[ " ${beside_steps[*]} " == *" $step "* ]]; then
    beside+=("$step")
    folders+=(! -path "./.build-$step/*")
  elif [[ " ${real_time_steps[*]} " == *" $step "* ]]; then
    real_time+=("$step")
  else
    main+=("$step")
  fi
done
if ((${#main[@]} == 0)); then
  main=(${beside[@]+"${beside[@]}"})
  beside=()
  folders=(.)
fi

if ((${#beside[@]} > 0)); then
  # In a group of its own, which can be ended as one.
  set -m
  run_beside >"$beside_log" 2>&1 </dev/null &
  beside_job=$!
  set +m
fi
for step in ${main[@]+"${main[@]}"}; do
  if [[ -s $beside_status ]]; then join_beside; fi
  run_step "$step" "${folders[@]}"
done
join_beside
for step in ${real_time[@]+"${real_time[@]}"}; do run_step "$step" .; done
