#!/usr/bin/env bash
# Counts what makes the documentation long, against limits that only go down. CONTRIBUTING.md says why.
#
#   Scripts/texts.sh              check this checkout
#   Scripts/texts.sh --self-test  also prove that each limit can be exceeded
#   Scripts/texts.sh --root DIR   check another checkout by its own limits
#   Scripts/texts.sh --list       print all that is counted
#
# Scripts/texts.txt has the limits and says what each of them counts.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/rules.sh"

check() { check_articles "$1" limits.awk; }

check "$root"
$self_test || exit 0

# MARK: Self-test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
all=0

# expect FINDING LIMIT…: what is on standard input must be refused with this text by the limits, or not at all when it is
# "nothing".
expect() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/"{Scripts,Sources/A/A.docc,A/Expected}
  printf '%s\n' a ' b 1000 2.5' 'c 3' >"$scratch/tree/A/Expected/B.txt"
  printf '%s\n' "${@:2}" >"$scratch/tree/Scripts/texts.txt"
  cat >"$scratch/tree/Sources/A/A.docc/Page.md"
  expect_finding "$1"
}

pages=('page all 900')

# beside PATH FINDING LIMIT…: the same for a text beside the articles.
beside() {
  expect nothing "${pages[@]}" <<<'one two three'
  printf '%s\n' "${pages[@]}" "${@:3}" >"$scratch/tree/Scripts/texts.txt"
  mkdir -p "$(dirname "$scratch/tree/$1")"
  cat >"$scratch/tree/$1"
  expect_finding "$2"
}

# one COUNT TEXT: the text counts once, in more than one way of asking.
one() {
  expect "$1 A is 1, Scripts/texts.txt says 0" "${pages[@]}" "$1 A 0" <<<"$2"
  expect nothing "${pages[@]}" "$1 A 1" <<<"$2"
  expect "write \`$1 A 1\`" "${pages[@]}" "$1 A 2" <<<"$2"
}

# none COUNT TEXT: the text does not count.
none() { expect nothing "${pages[@]}" "$1 A 0" <<<"$2"; }

# excerpt FINDING TEXT: the same for a text below the name of the file that it is taken from.
excerpt() { expect "$1" "${pages[@]}" <<<$'<!-- A/Expected/B.txt -->\n'"$2"; }

# words NUMBER TEXT: the text has so many words.
words() {
  expect nothing "page all $1" <<<"$2"
  if (($1 > 0)); then expect "has $1 words" "page all $(($1 - 1))" <<<"$2"; fi
}

words 3 $'# Two words\n\n- one'
words 3 $'See `a b c` and\n\n```swift\nlet a = 1\n```'
words 2 '[two words](https://example.com/a b)'
words 1 $'One\n\n## Topics\n\n### Two\n\n- ``A``'
words 2 $'## See Also\n\n- <doc:A>\n- ``B``'
words 4 $'| a | b |\n|---|---|\n| c | d |'
words 1 '![a picture](a.svg) — <doc:A>'
expect nothing 'page all 1' 'words Page 3' <<<'one two three'
expect 'words Page is 3, Scripts/texts.txt says 2' 'page all 1' 'words Page 2' <<<'one two three'
expect 'delete its line' 'page all 3' 'words Page 3' <<<'one two three'
expect 'write `words Page 3`' 'page all 1' 'words Page 29' <<<'one two three'
expect 'words all is 3, Scripts/texts.txt says 2' 'page all 9' 'words all 2' <<<'one two three'
pages=('page all 900' 'least all 3')
one short 'One two.'
none short 'One two three.'
pages=('page all 900')
expect 'write `words all 3`' 'page all 9' 'words all 254' <<<'one two three'
one openings 'What it is.'
one openings $'It goes on.\nWhoever asks waits.'
one openings '- Those that stay are left.'
one openings $'| a |\n|---|\n| Who waits |'
none openings 'It is what it is. Those are left. See what.'
none openings $'```\nWhat it is.\n```'
one conditions $'If it fails when it\nis used, it ends.'
one conditions '- It ends once it fails, or unless it is used.'
none conditions 'If it fails, it ends. When used, it ends at once: it waits until later.'
one columns $'| a | b | c | d |\n|---|---|---|---|\n| a | b | c | d |'
none columns $'| a | b | c |\n|---|---|---|'
one wide "$(printf '```\n%065d\n```' 0)"
none wide "$(printf '```\n%064d\n```\n%065d' 0 0)"
none wide "$(printf '```\n%063d…\n```' 0)"
expect 'expected `COUNT TARGET NUMBER`' 'page all' <<<'one'
one silent $'```\none\n```'
none silent $'```text\none\n```'
one edgeless $'### Edge cases\n\nOne.'
one edgeless $'### Edge cases\n\n- One.\n\n### Then'
none edgeless $'### Edge cases\n\n- One.\n\n## Topics\n\n### A\n\n## See Also'
one rambling $'## Overview\n\nOne. Two!\nThree?'
none rambling $'## Overview\n\nOne. Two: three.\n\nFour. Five. Six.'
none rambling $'### Overview\n\nOne. Two. Three.'
one lonely $'### See Also'
none lonely $'## See Also'
excerpt nothing $'```text\na\nc 3\n```'
excerpt 'has no `a`' $'```text\nc 3\na\n```'
excerpt 'has no `b 1000 2.5`' $'```\nb 1000 2.5\n```'
excerpt nothing $'| 1 | 2 | 3 |\n|---|---|---|\n| 4 | 1,000 | c |\n| 5 | b 2.5 | 3 |\n6'
excerpt 'has no 1000' $'| a | b |\n|---|---|\n| a | 2.5 |\n| a | 1,000 |'
excerpt 'has no 3.0' $'| a | b |\n|---|---|\n| a | 3.0 |'
excerpt 'no table follows' $'\n```\na\n```'
excerpt 'no table follows' ''
expect 'there is no A/Expected/C.txt' "${pages[@]}" <<<'<!-- A/Expected/C.txt -->'
beside README.md 'lines README is 2, Scripts/texts.txt says 1' 'lines README 1' <<<$'one\ntwo'
beside README.md 'write `lines README 2`' 'lines README 13' <<<$'one\ntwo'
for text in README.md Skills/streamquery/SKILL.md Integrations/B/Text.md; do
  target=$(basename "$text" .md)
  if [[ $target == Text ]]; then target=B; fi
  beside "$text" "wide $target is 1, Scripts/texts.txt says 0" "wide $target 0" <<<"$(printf '```swift\n%065d\n```' 0)"
  beside "$text" "openings $target is 1, Scripts/texts.txt says 0" "openings $target 0" <<<'What it is.'
  beside "$text" nothing "wide $target 0" <<<"$(printf '```\n%065d\n```' 0)"
  beside "$text" nothing 'words all 3' <<<'one two three four'
done
beside Sources/A/A.docc/A.md nothing 'silent A 1' <<<'A landing page above another.'
beside Sources/B/B.docc/B.md 'silent B is 1, Scripts/texts.txt says 0' 'silent B 0' <<<'The only article of a module.'
echo "texts: self-test: every limit can be exceeded"
