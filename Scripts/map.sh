#!/usr/bin/env bash
# Checks that texts which show the way through the sources are right: each file that they name is there, and declares
# what they say of it.
#
#   Scripts/map.sh              check this checkout
#   Scripts/map.sh --self-test  also prove that each rule can fail
#   Scripts/map.sh --root DIR   check another checkout
#
# The texts are the table *Where is it decided* of CONTRIBUTING.md, and *Following a value*, which is Sources/README.md.
# A file may be named by the end of its path. A function that a text names beside a file, as in `f` in `File.swift` or in
# a row of the table, is declared there; any other one somewhere. The two lists of enums in VERSIONS.md have each public
# enum once.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/rules.sh"
if ((all)); then echo "map: it has no list" >&2; exit 2; fi

tour=Sources/README.md
versions=.github/VERSIONS.md

# The code names in a text, one a line, without backticks.
code_names() { grep -oE '`[^`]+`' | tr -d '`' || true; }

# refuse TEXT: notes that something is wrong.
refuse() {
  echo "map: $1" >&2
  failed=true
}

# declares NAME FILE…: whether one of the files declares it.
declares() { grep -qE "(func|var|let|case|init|struct|class|enum|actor|protocol) ?\`?$1\b" "${@:2}"; }

# find_file TEXT NAME: the file whose path ends with a name; none or several are wrong.
find_file() {
  local found
  found=$(printf '%s\n' "${files[@]}" | grep -F "/$2" | grep -E "/$(sed 's/[+.]/\\&/g' <<<"$2")\$" || true)
  if [[ -z $found ]]; then
    refuse "$1: there is no file $2"
  elif [[ $found == *$'\n'* ]]; then
    refuse "$1: several files end with $2"
  else
    echo "$found"
  fi
}

# check_names TEXT FILE NAME…: whether a file declares names.
check_names() {
  local name
  for name in "${@:3}"; do
    declares "$name" "$2" || refuse "$1: ${2##*/} declares no \`$name\`"
  done
}

check() (
  cd "$1"
  failed=false
  files=()
  while IFS= read -r file; do files+=("$file")
  done < <(find Sources -name '*.swift' -not -path '*.docc/*' | LC_ALL=C sort)

  # Rows of the table: | question | `function`, … | `File.swift` |
  rows=0
  while IFS='|' read -r _ _ names file _; do
    rows=$((rows + 1))
    name=$(code_names <<<"$file")
    path=$(find_file CONTRIBUTING.md "$name") || true
    if [[ -z $path ]]; then refuse "CONTRIBUTING.md: no file in the row of $name"; continue; fi
    # shellcheck disable=SC2046
    check_names CONTRIBUTING.md "$path" $(code_names <<<"$names")
  done < <(sed -n '/^## Where is it decided/,/^## [^W]/p' CONTRIBUTING.md | grep -E '^\|.*\.swift` \|$')
  if ((rows == 0)); then refuse "CONTRIBUTING.md: the table of what is decided where has no row"; fi

  # The tour: its sentences go over line ends.
  text=$(tr '\n' ' ' <"$tour" | tr -s ' ')
  while IFS= read -r name; do
    path=$(find_file "$tour" "$name") || true
    if [[ -z $path ]]; then failed=true; fi
  done < <(code_names <<<"$text" | grep -E '\.swift$' | sort -u)
  while IFS= read -r pair; do
    path=$(find_file "$tour" "${pair#* }") || true
    if [[ -n $path ]]; then check_names "$tour" "$path" "${pair% *}"; fi
  done < <(grep -oE '`[a-zA-Z]+` in `[^`]+\.swift`' <<<"$text" | tr -d '`' | sed 's/ in / /' | sort -u)
  while IFS= read -r name; do
    declares "$name" "${files[@]}" || refuse "$tour: nothing declares \`$name\`"
  done < <(code_names <<<"$text" | grep -E '^[a-z][A-Za-z]+$' | sort -u)

  while read -r sign name; do
    case $sign in
      +) refuse "$versions: neither list of enums has \`$name\`" ;;
      -) refuse "$versions: \`$name\` is no public enum, or in both lists" ;;
    esac
  done < <(diff -U 0 \
    <(sed -n '/^| topic | open enums/,/^A new public enum/p' $versions | code_names | grep '^[A-Z][A-Za-z.]*$' |
      LC_ALL=C sort) \
    <(sed -n 's/^[A-Za-z]* \([A-Za-z.]*\)  enum .*/\1/p' Scripts/public-api.txt | LC_ALL=C sort) |
    sed -E '/^(---|[+]{3})/d; s/^[-+]/& /')
  ! $failed
)

check "$root"
$self_test || exit 0

# MARK: Self-test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect FINDING ROW SENTENCE ENUMS: a small checkout with a row in its table, a sentence in its tour and these open enums
# must be refused with this text, or not at all when it is "nothing".
expect() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/"{.github,Scripts} "$scratch/tree/Sources/A/"{Low,High}
  echo 'func begun() {}' | tee "$scratch/tree/Sources/A/Low/Run.swift" >"$scratch/tree/Sources/A/High/Run.swift"
  echo 'func ended() {}' >"$scratch/tree/Sources/A/Low/Run+End.swift"
  printf '## Where is it decided\n\n| what | where | file |\n|---|---|---|\n%s\n\n## Then\n' "$2" \
    >"$scratch/tree/CONTRIBUTING.md"
  echo "$3" >"$scratch/tree/$tour"
  printf '%s\n' 'A B  struct B' 'A C.D  enum D' 'A E  enum E<F>' >"$scratch/tree/Scripts/public-api.txt"
  printf '%s\n' '| topic | open enums |' '|---|---|' "| all | ${4-\`E\`} |" 'Closed: `C.D`.' >"$scratch/tree/$versions"
  expect_finding "$1"
}

row='| when it ends | `ended` | `Run+End.swift` |'
expect nothing "$row" $'`begun` in\n`Low/Run.swift` begins, and `ended` follows.'
expect 'Run+End.swift declares no `begun`' '| when it ends | `begun` | `Run+End.swift` |' ''
expect 'there is no file Gone.swift' '| when it ends | `ended` | `Gone.swift` |' ''
expect 'has no row' '' ''
expect 'several files end with Run.swift' "$row" 'See `Run.swift`.'
expect 'there is no file Low/Gone.swift' "$row" 'See `Low/Gone.swift`.'
expect 'Run.swift declares no `ended`' "$row" $'`ended` in\n`Low/Run.swift` ends.'
expect 'nothing declares `gone`' "$row" 'Then it is `gone`.'
expect 'neither list of enums has `E`' "$row" '' ''
expect '`B` is no public enum' "$row" '' '`B`, `E`'
expect '`C.D` is no' "$row" '' '`C.D`, `E`'
echo "map: self-test: every rule can fail"
