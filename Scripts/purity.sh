#!/usr/bin/env bash
# Checks rules about the sources that no compiler knows. CONTRIBUTING.md says why they exist.
#
#   Scripts/purity.sh              check this checkout
#   Scripts/purity.sh --self-test  also prove that each rule can fail
#   Scripts/purity.sh --root DIR   check another checkout by its own list
#   Scripts/purity.sh --propose    print the files that touch the world and are not on the list
#
# The rules look at code only: comments and the text of string literals are cut out first, the code
# inside `\(…)` is kept.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
self_test=false
propose=0
while (($# > 0)); do
  case $1 in
    --self-test) self_test=true ;;
    --propose) propose=1 ;;
    --root) root=$(cd "$2" && pwd); shift ;;
    *) echo "purity: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

# Every file of the checkout that git would commit, without what is deleted but not committed yet.
swift_files() {
  if git -C "$1" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$1" ls-files --cached --others --exclude-standard -- "*.swift" ":!*.docc/*" | sort -u |
      while IFS= read -r file; do if [[ -f $1/$file ]]; then printf '%s\n' "$file"; fi; done
  else
    (cd "$1" && find . -name '*.swift' -not -path '*/.build*/*' -not -path '*.docc/*' | sed 's|^\./||' | sort)
  fi
}

check() (
  cd "$1"
  files=()
  while IFS= read -r file; do files+=("$file"); done < <(swift_files .)
  if ((${#files[@]} == 0)); then
    echo "purity: no Swift file found in $1" >&2
    exit 1
  fi
  list=Scripts/shell-files.txt
  [[ -f $list ]] || { echo "purity: $list is missing" >&2; exit 1; }
  awk -v list="$list" -v propose="$propose" -f "$here/swift-code.awk" \
    -f "$here/purity.awk" "${files[@]}"
)

check "$root"
$self_test || exit 0

# MARK: Self-test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect RULE PATH: the program on standard input, at the path, must be refused by the rule, or by
# none when the rule is "nothing".
expect() {
  local rule=$1 path=$2
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/Scripts" "$scratch/tree/$(dirname "$path")"
  printf 'Sources/A/Shell.swift  # reason\n' >"$scratch/tree/Scripts/shell-files.txt"
  mkdir -p "$scratch/tree/Sources/A"
  printf 'func shell() async { await other() }\n' >"$scratch/tree/Sources/A/Shell.swift"
  cat >"$scratch/tree/$path"
  local status=0
  check "$scratch/tree" >"$scratch/log" 2>&1 || status=$?
  if [[ $rule == nothing ]]; then
    if ((status == 0)); then return 0; fi
  elif ((status != 0)) && grep -q "\[$rule\]" "$scratch/log"; then
    return 0
  fi
  echo "purity: self-test: expected $rule of $path, got status $status:" >&2
  cat "$scratch/log" >&2
  exit 1
}

pure=Sources/A/Pure.swift
shell=Sources/A/Shell.swift
for code in 'await f()' 'let t: Task<Int, Never>' 'let c: CheckedContinuation<Int, Never>' \
  'let m = Mutex(0)' 'let m = ContendedMutex(0)' 'let n = clock.now' 'let n = self.now' 'let n = clock.environment.now' 'let c = ContinuousClock()' 'Int.random(in: 0..<3)' \
  'let d = Date()' 'let s = "text \(await f(")")) text"' 'var g = SystemRandomNumberGenerator()' \
  'let s = #"a " \#(await f())"#'; do
  expect pure $pure <<<"$code"
done
expect nothing $pure <<'SWIFT'
// await Task Mutex
/// await Task /* not a block comment
/* await /* Task */ Mutex */
let text = "await Task // \" Mutex"; let raw = #"await \(Task) " "#  // Date()
let several = """
  await "Task" \
  Mutex \(now)
  """
let drawn = Int.random(in: 0..<3, using: &generator)
let age = environment.now.instant; apply(transaction.environment.now); self.now = now
let clock: any Clock<Duration>; func f(wallClock: ErasedClock) { clock = ErasedClock(wallClock) }
struct Tasks { var now = 0; var subscribedDate: Int; let randomised = 1; let taskID = 2 }
SWIFT
expect list Scripts/shell-files.txt <<<'Sources/A/Gone.swift'
expect list $shell <<<'let nothingOfTheWorld = 1'
expect length Sources/A/Long.swift < <(for ((i = 0; i < 401; i++)); do echo "let a$i = 0"; done)
expect nothing Tests/A/Long.swift < <(for ((i = 0; i < 401; i++)); do echo "let a$i = 0"; done)
for code in 'try await Task.sleep(for: .seconds(1))' 'await Task.yield()' 'usleep(3)' \
  'Thread.sleep(forTimeInterval: 1)'; do
  expect sleep Tests/A/Test.swift <<<"$code"
done
for code in 'struct ATests {}' '@Suite("a") final class ATests {}' '@MainActor enum ATests {}'; do
  expect nothing Tests/A/B/ATests.swift <<<"$code"
  expect suite Tests/A/B/BTests.swift <<<"$code"
  expect suite Integrations/A/Tests/A/MoreATests.swift <<<"$code"
  expect nothing Tests/A/B/BTests+More.swift <<<"$code"
done
expect suite Tests/A/ATests.swift <<<'struct MoreATests { struct ATestsOfMore {} }  // struct ATests'
for code in 'final class A: @unchecked Sendable {}' 'nonisolated(unsafe) var a = 0' 'try! f()' \
  'fatalError("x")' 'unsafeDowncast(a, to: B.self)'; do
  expect reason $pure <<<"$code"
  expect reason $pure <<<"/// Documentation is no reason."$'\n'"$code"
  expect nothing $pure <<<"$code  // It is right because of this."
  expect nothing $pure <<<"// It is right because of this."$'\n'"$code"
  expect nothing $pure <<<"/// Unchecked, since this."$'\n'"/// And more."$'\n'"$code"
done
for code in 'let definition: QueryDefinition' 'var retry: RetryPolicy?' \
  'let fetch: @Sendable (Int) -> Int' 'var joins: ((Int) -> Int)?' 'let mutation: ResolvedMutation?' \
  'func begin(_ definition: MutationDefinition)' 'case settle([MutationCallbacks.Conclude])' \
  'func entries(matching filter: QueryFilter.Node)' 'let retry = query.resolved.retry' \
  'show(layer.applied(to: box))'; do
  for path in Cache/Slot Tasks/FetchJob Machines/{FetchLimiter,WaitGraph,ReturnPacing} Queries/{StoredQuery,EntryFilter} \
    Mutations/{StoredMutation,MutationJob,MutationTable} Values/{OptimisticLayer,QueryFeature}; do
    expect closure Sources/StreamQuery/$path.swift <<<"$code"
  done
  for path in Client/Slot Mutations/Mutation Values/LayeredBox; do
    expect nothing Sources/StreamQuery/$path.swift <<<"$code"
  done
done
expect nothing Sources/StreamQuery/Cache/Slot.swift <<'SWIFT'
let query: StoredQuery
let mutation: StoredMutation; let layer: OptimisticLayer; let resolvedOptions = options.resolvedOptions
func look(for filter: EntryFilter) -> Bool { state.matches(filter, index, at: instant) }
func read(_ body: (Int) -> Int) -> Int { body(query.count) }
// It belongs to the configuration.
let wall: @Sendable () -> Int
SWIFT
for code in '@State private var count = 0' '@State var count: Int = 0' '@State private var name: String' \
  '@State private var name: String?'; do
  expect state $pure <<<"$code"
  expect state Playgrounds/Sources/A/View.swift <<<"$code"
  expect nothing Tests/A/View.swift <<<"$code"
done
expect nothing $pure <<'SWIFT'
@State private var name: String; @StateObject private var holder: Holder
init(_ name: String) { _name = State(wrappedValue: name) }
SWIFT
for code in 'let tag: UInt32 = 1; let place = Int(tag) & mask' 'func f(hash: UInt64) -> Int { Int(hash) }' \
  'let n = bytes.number(at: 4, as: UInt32.self); use(Int(n))' 'let n = Int(UInt32(truncatingIfNeeded: hash))' \
  'let n = Int(body.number(at: 0, as: UInt32.self))' 'let all = Int(slots[index].tag); var tag: UInt32' \
  'let mask: UInt = 1; let n = Int(value & mask)'; do
  expect narrow $pure <<<"$code"
done
for code in 'let long = Duration.seconds(3_155_760_000)' 'wait(for: .seconds(100 * 365 * 24 * 60 * 60))' \
  'let most = 4_294_967_296' 'static let most: Int = 65_536 * 65_536' 'if pause < .milliseconds(3000000000) { stop() }'; do
  expect narrow $pure <<<"$code"
done
expect nothing $pure <<'SWIFT'
let long = Duration.seconds(3_155_760_000 as Int64) + .seconds(100 * 365 * 24 * 60 * 60 as Int64) + .seconds(3_155_760_000.5)
let most = 4_294_967_296.0; let hash: UInt64 = 4_294_967_296; let size = 256 * 1024; let all = 4_294_967_296 as UInt64
SWIFT
for code in 'let exact = value < Double(1 << 53)' 'let most = 1 << 31' 'static let most: Int = 0x1 << 40' \
  'wait(for: .seconds(1 << 40))' 'let least = Int64(-1 << 62)' 'let bit = UInt64(1 &<< 40)'; do
  expect narrow $pure <<<"$code"
done
expect nothing $pure <<'SWIFT'
let exact = Double(1 << 53 as UInt64) + Double(UInt64(1) << 53) + Double(1 << 30); let most = 1 << 40 as Int64
let bit: UInt64 = 1 << 63; low = low & ~(0b11 << 62) | 0b10 << 62; let bits = Bits(rawValue: 1 << 40)
func clamped(_ value: Int64) -> Int64 { min(max(value, -1 << 40), 1 << 40) }
SWIFT
expect nothing $pure <<'SWIFT'
let tag: UInt32 = 1; let all = Int(truncatingIfNeeded: tag) + (Int(exactly: tag) ?? Int(clamping: tag))
let short: UInt16 = 1; let position: Int32 = 1; let both = Int(short) + Int(position) + Int(text) + Int(UInt16.max)
SWIFT
for code in 'Task { await f() }' 'Task.detached { await f() }' 'Task(priority: .low) { await f() }' \
  'Task<Void, Never> { await f() }'; do
  expect executor $shell <<<"$code"
  expect nothing $shell <<<"// It has no executor preference, because it runs on the main actor."$'\n'"$code"
done
expect nothing $shell <<<'Task(executorPreference: e) { await f() }'
expect nothing $shell <<<'Task.detached(on: e) { await f() }'
expect nothing $shell <<<$'Task(\n  name: "a",\n  executorPreference: e\n) { await f() }'
expect nothing $shell <<<'func start() -> Task<[Int], Never> { make() }'
expect executor $shell <<<'let task: Task<Void, Never> = Task { await f() }'
expect nothing $shell <<<'await withCheckedContinuation { Task.isCancelled ? a() : b() }'
echo "purity: self-test: every rule can fail"
