#!/usr/bin/env bash
# Runs the pages of the playground and compares what they print with Playgrounds/Expected.
#
#   Scripts/pages.sh            all pages, and the programs that are none
#   Scripts/pages.sh --record   write what they print as what is expected
#   Scripts/pages.sh PAGE…      these pages
#
# Flags of the package manager, such as `--scratch-path DIR`, say where and how they are built.
#
# A page is written once: `main.swift` of its executable is a link to the text of the playground.
# Programs that are no pages are treated the same, apart from that.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../Playgrounds"
record=false
pages=()
flags=()
while (($# > 0)); do
  case $1 in
    --record) record=true ;;
    --scratch-path | -Xswiftc) flags+=("$1" "$2"); shift ;;
    -*) echo "pages: unknown argument: $1" >&2; exit 2 ;;
    *) pages+=("$1") ;;
  esac
  shift
done
playground=StreamQuery.playground
programs=(BusyServer KilledApp SampleStory ServedStory)
if ((${#pages[@]} == 0)); then
  while IFS= read -r page; do pages+=("$page")
  done < <(sed -n "s/.*<page name='\(.*\)'.*/\1/p" "$playground/contents.xcplayground")
  if ((${#pages[@]} == 0)); then echo "pages: none found" >&2; exit 1; fi
  pages+=("${programs[@]}")
fi

# What lies there and what the playground lists must be the same.
listed=$(grep -c "<page name=" "$playground/contents.xcplayground")
present=$(find "$playground/Pages" -name Contents.swift | wc -l)
if ((listed != present)); then
  echo "pages: $present pages, of which the playground lists $listed" >&2
  exit 1
fi

swift build ${flags[@]+"${flags[@]}"} >&2
products=$(swift build ${flags[@]+"${flags[@]}"} --show-bin-path)
for page in "${pages[@]}"; do
  if [[ " ${programs[*]} " != *" $page "* ]] &&
    ! cmp "$playground/Pages/$page.xcplaygroundpage/Contents.swift" "Sources/$page/main.swift"; then
    echo "pages: Sources/$page/main.swift is not the page's text" >&2
    exit 1
  fi
  printed=$("$products/$page")
  if $record; then
    mkdir -p Expected
    printf '%s\n' "$printed" >"Expected/$page.txt"
  fi
  diff -u "Expected/$page.txt" - <<<"$printed"
  echo "pages: $page prints what is expected"
done
