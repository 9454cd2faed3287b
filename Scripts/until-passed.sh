#!/usr/bin/env bash
# Says which steps of a workflow decide nothing yet, and how those that have passed are made to decide.
#
#   Scripts/until-passed.sh <<<'{"views": {"outcome": "success"}}'   the steps, as `toJSON(steps)` prints them
#   Scripts/until-passed.sh --self-test                              sees what it says of planted steps, and that the
#                                                                    workflow keeps the rules below
#
# A step that was never seen to pass warns. It decides as soon as .github/passed has a file of its name: the step asks for
# it with `continue-on-error: ${{ hashFiles('.github/passed/NAME') == '' }}`. It runs even if a step before it has failed:
# `if: ${{ !cancelled() }}`. The last step of such a job calls this script. The jobs on macOS have only such steps, but for
# those without which the others say nothing, see `check_workflow`.
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

# check_workflow FILE: whether the steps of jobs on macOS warn until they have passed, and do not stop others.
check_workflow() {
  awk '
    function refuse(text) {
      print "until-passed: the step " (id != "" ? id : "`" run "`") " of " FILENAME " " text
      failed = 1
    }
    function end_step() {
      if (begun && told) refuse("comes after the one that says what came of the steps")
      if (id != "") {
        named = 1
        if (decides != "${{ hashFiles(\047.github/passed/" id "\047) == \047\047 }}") refuse("does not ask for its file")
        if (when != "${{ !cancelled() }}") refuse("does not run after a failed one")
      } else if (run ~ /^Scripts\/until-passed\.sh/) {
        told = 1
        if (when != "always()") refuse("does not run after a failed one")
      } else if (run != "" && run !~ /^(sudo xcode-select|brew install) / && run != "swift build" &&
        run !~ /^swift test --skip [A-Za-z]+$/) {
        refuse("decides, and was never seen to pass")
      }
      begun = 0
      id = run = when = decides = ""
    }
    function end_job() {
      end_step()
      if (named && !told) { run = "until-passed.sh"; refuse("is missing at the end of a job"); run = "" }
      mac = named = told = 0
    }
    /^  [a-z-]+:$/ { end_job() }
    /^    runs-on: macos/ { mac = 1 }
    /^      - / { end_step(); begun = mac }
    begun && /^      [- ] [a-z-]+: / {
      key = value = substr($0, 9)
      sub(/:.*/, "", key)
      sub(/^[a-z-]+: /, "", value)
      if (key == "id") id = value
      if (key == "run") run = value
      if (key == "if") when = value
      if (key == "continue-on-error") decides = value
    }
    END { end_job(); exit failed }
  ' "$1" >&2
}

workflow=.github/workflows/ci.yml
if [[ ${1:-} != --self-test ]]; then
  report .github/passed "$workflow"
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

check_workflow "$workflow"
# refuse_planted TEXT CODE: sees that the workflow is refused with the text, once the code has changed it.
refuse_planted() {
  perl -0pe "$2" "$workflow" >"$work/workflow"
  if cmp -s "$work/workflow" "$workflow" || check_workflow "$work/workflow" 2>"$work/said" || ! grep -qF "$1" "$work/said"; then
    cat "$work/said" >&2
    echo "until-passed: self-test: this was let through: $2" >&2
    exit 1
  fi
}
refuse_planted "views-build of $work/workflow does not ask" 's/\n[^\n]*passed\/views-build[^\n]*//'
refuse_planted "views of $work/workflow does not ask" 's/passed\/views\K(?=\x27)/-build/'
refuse_planted "redis of $work/workflow does not run" 's/id: redis\n\K[^\n]*\n//'
refuse_planted "\`swift build --package-path Playgrounds --product SampleApp\` of" 's/- id: sample-app\n/- name: A\n/'
refuse_planted "decides, and was never seen" 's/- id: platforms\n/- name: A\n/'
refuse_planted "last of $work/workflow comes after" 's/(?=\n  macos-steps:)/      - id: last\n/'
refuse_planted "does not run after" 's/always\(\)/success()/'
refuse_planted "is missing at the end" 's/\n {8}run: Scripts\/until-passed[^\n]*//'
echo "until-passed: self-test: steps decide as soon as they have a file, and stop no others"
