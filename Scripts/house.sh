#!/usr/bin/env bash
# Counts what makes sources hard to read, against limits that only go down. CONTRIBUTING.md says why.
#
#   Scripts/house.sh              check this checkout
#   Scripts/house.sh --self-test  also prove that each limit can be exceeded
#   Scripts/house.sh --root DIR   check another checkout by its own limits
#   Scripts/house.sh --list       print all that is counted
#
# Scripts/house.txt has the limits and says what each of them counts.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/rules.sh"

check() { check_sources "$1" limits.awk; }

check "$root"
$self_test || exit 0

# MARK: Self-test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
all=0

# expect FINDING COUNT LIMIT: what is on standard input must be refused by the limit with this text, or not at all when
# it is "nothing".
expect() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/Scripts" "$scratch/tree/Sources/A/Client"
  printf '%s A %s\n' "$2" "$3" >"$scratch/tree/Scripts/house.txt"
  cat >"$scratch/tree/Sources/A/Client/File.swift"
  expect_finding "$1"
}

# one COUNT CODE: the code counts once, in more than one way of asking.
one() {
  expect "$1 A is 1, Scripts/house.txt says 0" "$1" 0 <<<"$2"
  expect nothing "$1" 1 <<<"$2"
  expect "write \`$1 A 1\`" "$1" 2 <<<"$2"
}

expect 'lines A is 2' lines 1 <<<$'// A comment\n\nlet a = 1\nlet b = 2'
expect nothing lines 9 <<<'let a = 1'
expect 'files A is 1' files 0 <<<'let a = 1'
expect 'median A is 1' median 2 <<<'let a = 1'
expect nothing median 1 <<<'let a = 1'
one small 'let a = 1'
expect nothing small 0 < <(for ((i = 0; i < 21; i++)); do echo "let a$i = 0"; done)
five=$'func a(b: Int) {}\nprivate func a(c: Int) {}\nfunc a(d: Int) {}\nfunc a(e: Int) {}\nfunc a(f: Int) {}'
one same "$five"$'\nfunc a() {}'
expect nothing same 0 <<<"$five"$'\nfunc a() {}\nextension A { public func a(g: Int) {} }'
expect nothing same 0 <<<"$five"$'\nprotocol A {\n  func a()\n}'
one state $'struct CacheState {\n  private let place = 0\n  var count: Int { 0 }\n  func f() {\n    let a = 0\n  }\n}'
expect 'state A is 2' state 0 <<<$'struct CacheState {\n  var (isOnline, isActive) = (true, true)\n}'
one cache $'extension CacheState {\n  func f() {}\n}'
one flags 'if extensions.replicas != nil { f() }'
one flags 'extensions.budget?.removed(index)'
one flags 'if state.extensions.active.contains(.replicas) { f() }'
one reasking 'while !arrive(entry, isLast: true) {}'
one nonisolated 'extension QueryClient { nonisolated func f() {} }'
expect nothing nonisolated 0 <<<'extension QueryClient { public nonisolated func f() {} }'
one booleans $'struct A {\n  var a = false\n  var b: Bool = true\n  private var c: Bool\n  var d: Bool { true }\n  func f() {\n    var e = true\n  }\n}'
one what $'/// What it is.\nlet a = 1'
expect nothing what 0 <<<$'/// A value.\n///\n/// What it is for.\nlet a = 1'
one riddle '// It goes on. Those that stay are left.'
expect 'expected `COUNT TARGET NUMBER`' lines many <<<'let a = 1'
echo "house: self-test: every limit can be exceeded"
