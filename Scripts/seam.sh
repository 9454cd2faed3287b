#!/usr/bin/env bash
# Compares the declarations with `package` access that StreamQueryPersistence uses of StreamQuery with Scripts/seam.txt.
#
#   Scripts/seam.sh                      check the modules of .build-check
#   Scripts/seam.sh --scratch-path DIR   check the modules built there
#   Scripts/seam.sh --record             write what is used as what is expected; the limits stay
#   Scripts/seam.sh --self-test          also see that each check can fail
#
# Each debug build writes an index of all names and of what they mean. Scripts/seam.c reads it with the library of the
# toolchain, and Scripts/seam.pl says what of it counts.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=.build-check
record=false
self_test=false
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --record) record=true ;;
    --self-test) self_test=true ;;
    *) echo "seam: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

flags=()
# As in check.sh: other flags in the same folder would build everything again.
if [[ $scratch == .build-check ]]; then flags=(-Xswiftc -warnings-as-errors); fi
swift build --scratch-path "$scratch" --target StreamQueryPersistence ${flags[@]+"${flags[@]}"}
products=$(swift build --scratch-path "$scratch" --show-bin-path)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
swiftc=$(command -v swiftc)
if [[ $(uname -s) == Darwin ]]; then swiftc=$(xcrun --find swiftc); fi
library=$(dirname "$(readlink -f "$swiftc")")/../lib
clang -o "$work/seam" Scripts/seam.c -L"$library" -lIndexStore -Wl,-rpath,"$library"
"$work/seam" "$products/index/store" StreamQuery StreamQueryPersistence | perl Scripts/seam.pl . >"$work/used"

# check LIST: fails if something else is used than the list says, or more than it allows.
check() {
  local kind limit count
  if ! diff <(grep -E '^(type|member) ' "$1") "$work/used"; then
    echo "seam: persistence uses something else of the core than $1 says; --record writes it" >&2
    return 1
  fi
  for kind in type member; do
    limit=$(sed -n "s/^at most \([0-9]*\) ${kind}s\$/\1/p" "$1")
    count=$(grep -c "^$kind " "$1")
    if ((count > ${limit:-0})); then
      echo "seam: persistence uses $count ${kind}s of the core that users do not see; $1 allows ${limit:-none}" >&2
      return 1
    fi
    echo "seam: $count ${kind}s, at most $limit"
  done
}

if $record; then
  { grep -vE '^(type|member) ' Scripts/seam.txt; cat "$work/used"; } >"$work/list"
  cp "$work/list" Scripts/seam.txt
fi
check Scripts/seam.txt

$self_test || exit 0
for change in 's/^at most [0-9]* types/at most 1 types/' 's/^at most [0-9]* members/at most 1 members/' '/^type EntryKey$/d' \
  '/^member EntryKey[.]key$/d'; do
  sed "$change" Scripts/seam.txt >"$work/planted"
  if check "$work/planted" >/dev/null 2>&1; then
    echo "seam: self-test: a list was let through that differs by $change" >&2
    exit 1
  fi
done
echo "seam: self-test: a longer list, and one that differs, are refused"
