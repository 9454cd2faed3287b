#!/usr/bin/env bash
# Checks that folders use each other in one direction only, and that types are where their names say.
# CONTRIBUTING.md says why.
#
#   Scripts/layers.sh              check this checkout
#   Scripts/layers.sh --self-test  also prove that each rule can fail
#   Scripts/layers.sh --root DIR   check another checkout by its own list
#   Scripts/layers.sh --list       print all findings, those that the list allows as well
#
# Scripts/layers.txt has the order. The rules look at code only, not at comments and strings, and at
# names: one that is also declared in the user's folder, or below it, is no finding.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/rules.sh"

check() { check_sources "$1"; }

check "$root"
$self_test || exit 0

# MARK: Self-test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
all=0

# begin LINE...: a small target, Low below High, whose list has these lines as well.
begin() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/Scripts" "$scratch/tree/Sources/A/Low" "$scratch/tree/Sources/A/High"
  printf '%s\n' 'target A  upward 0  misplaced 0  families 0' Low High "$@" >"$scratch/tree/Scripts/layers.txt"
  put Low/Base.swift <<<$'struct Base {\n  struct Error {}\n  func below() {}\n}\nlet low = 0'
  put High/Top.swift <<<$'enum Top { case over }\nextension Base {\n  func above() {}\n  struct Roof {}\n}\nfunc crown() {}'
}

put() { cat >"$scratch/tree/Sources/A/$1"; }

user=Low/User.swift
for use in 'let a: Top? = nil' 'func f(_: [Top]) {}' 'struct User { var a = [Top.over] }' \
  'let a = "text \(Top.over)"' 'let a: A.Top? = nil'; do
  begin
  put $user <<<"$use"
  expect_finding "Sources/A/Low/User.swift:1: [upward] \`Top\` belongs to High, above Low"
done
for use in 'func f(a: Base) { a.above() }' 'func f(a: Base?) { a?.above() }' 'let a = \Base.above' \
  'extension Base { func f() { above() } }'; do
  begin
  put $user <<<"$use"
  expect_finding "Sources/A/Low/User.swift:1: [upward] \`above\` belongs to High"
done
begin
put $user <<<'struct User { func above() {} }; extension Base { func f() { above() } }'
expect_finding "Sources/A/Low/User.swift:1: [upward] \`above\`"
begin
put $user <<<$'let a = 0\nlet b: Base.Roof? = nil'
expect_finding "Sources/A/Low/User.swift:2: [upward] \`Roof\`"
begin
put $user <<<'func f() { crown() }'
expect_finding "Sources/A/Low/User.swift:1: [upward] \`crown\`"
begin
put $user <<'SWIFT'
// Top, a.above()
let a = "Top" + """
  crown() above()
  """
struct User<Top> {
  struct Roof {}
  var above = 0
  var top: Top
  var roof: Roof
  func f(crown: () -> Void) { crown() }
  func g(a: User) -> Int { a.above }
  func h() { let (below, crown) = pair; crown() }
  func i() { perform { crown -> Int in crown() } }
}
SWIFT
put High/Deeper.swift <<<'struct Deeper { var base: Base; func f() { base.below(); _ = Base.Error() } }'
expect_finding nothing
begin
put High/Base.swift <<<'struct Base {}'
put $user <<<'let a = Base()'
expect_finding nothing

begin
put Low/Base+More.swift <<<'struct Stray {}'
put High/User.swift <<<'let a = Stray()'
expect_finding "Sources/A/Low/Base+More.swift:1: [misplaced] \`Stray\`"
begin
put Low/Other.swift <<<$'\npublic final class Stray {}'
expect_finding "Sources/A/Low/Other.swift:2: [misplaced] \`Stray\`"
begin
put Low/Base+More.swift <<<$'struct BaseIterator {}\nstruct Own {}\nprivate struct Stray {}'
put High/Operate.swift <<<$'extension Base { func operate() -> Step { Step() } }\nstruct Step {}'
put High/Pair.swift <<<$'struct Pair2 {}\nstruct Pair3 {}'
put High/User.swift <<<'let a = BaseIterator(), b = Pair2()'
expect_finding nothing

begin
put Low/Base+More.swift <<<$'struct Part {}\nextension Base {\n  var part: Part { Part() }\n}'
put High/User.swift <<<'let a = Part()'
expect_finding nothing
put Low/Base+More.swift <<<$'struct Part {}\nextension Top {\n  var part: Part { Part() }\n}'
expect_finding "Sources/A/Low/Base+More.swift:1: [misplaced] \`Part\`"
{ echo 'struct Part {'; for ((i = 0; i < 19; i++)); do echo "  let a$i = 0"; done; echo '}'; } >"$scratch/part"
put Low/Base+More.swift < <(grep -v a18 "$scratch/part"; echo 'extension Base { var part: Part { Part() } }')
expect_finding nothing
put Low/Base+More.swift < <(cat "$scratch/part"; echo 'extension Base { var part: Part { Part() } }')
expect_finding "Sources/A/Low/Base+More.swift:1: [misplaced] \`Part\`"
{ echo 'struct Part {}'; sed 's/struct Part/extension Part/' "$scratch/part"; } >"$scratch/parts"
put Low/Base+More.swift < <(cat "$scratch/parts"; echo 'extension Base { var part: Part { Part() } }')
expect_finding "Sources/A/Low/Base+More.swift:1: [misplaced] \`Part\`"

for pair in 'RowKind OddRowKind' 'RowKind RowKindSet' 'Rows OddRow' 'Rows OddRows' 'Policies RowPolicy'; do
  begin
  put "Low/${pair% *}.swift" <<<"struct ${pair#* } {}"
  put High/User.swift <<<"let a = ${pair#* }()"
  expect_finding nothing
  put "Low/${pair#* }+More.swift" <<<"extension ${pair#* } {}"
  expect_finding "[misplaced] \`${pair#* }\`"
done
for pair in 'Row OddRow' 'Row RowSet' 'RowKind OddRowKinder' 'RowKind RowKinder' 'Rows Brow' 'Pass OddPass'; do
  begin
  put "Low/${pair% *}.swift" <<<"struct ${pair#* } {}"
  put High/User.swift <<<"let a = ${pair#* }()"
  expect_finding "[misplaced] \`${pair#* }\`"
done
# with_family LINE: a type in a file of another name, and a line of the list.
with_family() {
  begin "$@"
  put Low/Other.swift <<<'struct Stray {}'
  put High/User.swift <<<'let a = Stray()'
}
with_family 'family Sources/A/Low/Other.swift Stray  # a reason'
expect_finding 'A has 1 families, Scripts/layers.txt allows 0'
sed -i.bak 's/families 0/families 1/' "$scratch/tree/Scripts/layers.txt"
expect_finding nothing
with_family 'family Sources/A/Low/Base.swift Stray  # a reason'
expect_finding "[misplaced] \`Stray\`"
expect_finding 'Low/Base.swift has no top-level type Stray'
with_family 'family Sources/A/Low/Other.swift Stray'
expect_finding 'a family needs what it is'
with_family 'family Sources/A/Low/Other.swift Stray Stray  # a reason'
expect_finding 'Stray is listed twice'
begin 'family Sources/A/Low/Base.swift Base  # a reason'
expect_finding 'Base is in its place without a family'

begin Middle
expect_finding 'there is no folder Middle in A'
begin
mkdir "$scratch/tree/Sources/A/New"
put New/New.swift <<<'struct New {}'
expect_finding 'the folder New of A is missing'
begin
mkdir -p "$scratch/tree/Sources/B"
put ../B/New.swift <<<'struct New {}'
expect_finding 'the target B is missing'
begin
sed -i.bak 's/upward 0/upward 1/' "$scratch/tree/Scripts/layers.txt"
expect_finding 'write `upward 0`'
put $user <<<'let a: Top? = nil'
expect_finding nothing
put Low/Second.swift <<<'let a: Top? = nil'
expect_finding 'A has 2 upward, Scripts/layers.txt allows 1'
begin 'except Sources/A/Low/User.swift Top  # a reason'
expect_finding 'the exception is needed no longer'
put $user <<<'let a: Top? = nil'
expect_finding nothing
begin 'except Sources/A/Low/User.swift Top'
put $user <<<'let a: Top? = nil'
expect_finding 'an exception needs its reason'
begin except\ {a,b,c,d,e,f}\ T\ \#\ a\ reason
expect_finding 'no more than five exceptions'
echo "layers: self-test: every rule can fail"
