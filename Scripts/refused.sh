#!/usr/bin/env bash
# Sees that mistakes do not compile, and that the compiler says what to write instead: Scripts/refused.
#
#   Scripts/refused.sh                      all of them
#   Scripts/refused.sh --scratch-path DIR   use the modules built there (default .build-check)
#
# Those in Scripts/refused/views see SwiftUI, on Linux the module that stands in for it, as
# Scripts/samples.sh does.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/modules.sh
scratch=.build-check
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    *) echo "refused: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

build_modules "$scratch"

# Fails unless the compiler says what the first lines of a file name, and refuses what is an error. It must
# give no other error: among several, what to write instead is overlooked.
check() {
  local file=$1 output status=0 kind message other
  output=$(swiftc -emit-sil -wmo -o /dev/null "${settings[@]}" -module-name Refused \
    Tests/StreamQueryAPITests/Support/*.swift "$file" 2>&1) || status=$?
  while IFS=' ' read -r _ kind message; do
    if ! grep -qF "$message" <(grep "$kind" <<<"$output"); then
      printf 'refused: %s: the compiler does not say “%s %s”, but:\n%s\n' \
        "$file" "$kind" "$message" "$output" >&2
      return 1
    fi
    if [[ $kind == error: ]] && ((status == 0)); then
      echo "refused: $file compiles" >&2
      return 1
    fi
  done < <(grep -E '^// (error|warning): ' "$file")
  other=$(grep -F "$(basename "$file")" <<<"$output" | grep -E '^[^ ]+:[0-9]+:[0-9]+: error: ' |
    grep -vFf <(sed -n 's|^// error: ||p' "$file")) || return 0
  printf 'refused: %s: the compiler also says\n%s\n' "$file" "$other" >&2
  return 1
}

# check_all FILE…
check_all() {
  local file
  for file in "$@"; do
    if ! grep -qE '^// (error|warning): .' "$file"; then
      echo "refused: $file names no message" >&2
      return 1
    fi
    check "$file"
  done
}

files=(Scripts/refused/*.swift)
check_all "${files[@]}"
views=(Scripts/refused/views/*.swift)
if [[ $(uname -s) != Darwin ]]; then build_views "$scratch"; fi
check_all "${views[@]}"
echo "refused: $((${#files[@]} + ${#views[@]})) mistakes are told of"
