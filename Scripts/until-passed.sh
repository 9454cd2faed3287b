#!/usr/bin/env bash
# Says which steps of a workflow decide nothing yet, and how those that have passed are made to decide.
#
#   Scripts/until-passed.sh <<<'{"views": {"outcome": "success"}}'   the steps, as `toJSON(steps)` prints them
#   Scripts/until-passed.sh --self-test                              sees what it says of planted steps
#
# A step that was never seen to pass warns. It decides as soon as .github/passed has a file of its name: the step asks for
# it with `continue-on-error: ${{ hashFiles('.github/passed/NAME') == '' }}`.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# report FOLDER WORKFLOW: what is to be said of the steps on standard input.
report() {
  local steps step outcome passed=()
  steps=$(perl -0ne 'print "$1 $2\n" while /"([\w-]+)":\s*\{\s*(?:"outputs":\s*\{[^{}]*\},\s*)?"outcome":\s*"(\w+)"/g')
  if [[ -z $steps ]]; then
    echo "until-passed: there are no steps" >&2
    return 1
  fi
  while read -r step outcome; do
    if ! grep -qF "hashFiles('.github/passed/$step')" "$2"; then
      echo "until-passed: the step $step of $2 does not ask for .github/passed/$step" >&2
      return 1
    fi
    if [[ -f $1/$step ]]; then continue; fi
    case $outcome in
      success) passed+=("$step") ;;
      failure) echo "::warning title=$step::It failed, and decides nothing until it has passed once; see the step." ;;
    esac
  done <<<"$steps"
  if ((${#passed[@]} == 0)); then return 0; fi
  echo "::notice::${passed[*]} passed, and can decide from now on; see the summary."
  tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}" <<END
These steps passed, and decide nothing yet. They do when this is committed:

    mkdir -p .github/passed
    for step in ${passed[*]}; do echo "${GITHUB_SHA:-$(git rev-parse HEAD)}" >.github/passed/\$step; done
    git add .github/passed
END
}

if [[ ${1:-} != --self-test ]]; then
  report .github/passed .github/workflows/ci.yml
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GITHUB_STEP_SUMMARY=$work/summary
touch "$work/old" "$work/older"
printf "hashFiles('.github/passed/%s')\n" old older new broken skipped >"$work/workflow"
outcomes='{
  "old": {
    "outputs": {},
    "outcome": "failure",
    "conclusion": "failure"
  },
  "older": {"outcome": "success"}, "new": {"outputs": {"a": "b"}, "outcome": "success"},
  "broken": {"outcome": "failure", "conclusion": "success"}, "skipped": {"outcome": "skipped"}
}'
report "$work" "$work/workflow" <<<"$outcomes" >"$work/said"
if [[ $(grep '^::' "$work/said" | sed 's/::[^:]*$//') != $'::warning title=broken\n::notice' ]] ||
  ! grep -q "^    for step in new; do" "$GITHUB_STEP_SUMMARY"; then
  cat "$work/said" "$GITHUB_STEP_SUMMARY" >&2
  echo "until-passed: self-test: something else was said" >&2
  exit 1
fi
if report "$work" "$work/workflow" <<<'{"other": {"outcome": "success"}}' 2>/dev/null; then
  echo "until-passed: self-test: a step that does not ask for its file was let through" >&2
  exit 1
fi
echo "until-passed: self-test: steps decide as soon as they have a file"
