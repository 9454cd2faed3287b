@testable import StreamQuery
import StreamQueryOperators
import Synchronization
import Testing

/// An error in a result of a diagram.
struct SampleError: Error, Equatable, CustomStringConvertible {
  let name: String
  var description: String { name }
}

/// Results as marbles: `(2:x!*~)` is key 2, data x, an error, fetching, a placeholder.
///
/// ```
/// p      nothing yet               (p*)   nothing yet, fetching
/// x      data "x"                  (x*)   the same data, fetching; (x=) paused
/// (!)    an error, no data         (x!)   an error beside data; (!2) is another error than (!)
/// (x')   equal data, fetched anew  (x~)   the same as a placeholder
/// ```
/// A result is of key 1 unless it says otherwise. Equal names are the same data and the same error.
enum Sample {
  private static let boxes = Mutex<[String: TypedBox<String>]>([:])
  private static let errors = Mutex<[String: ErrorBox]>([:])
  private static let keys = (1...3).map { EntryKey(QueryKey<String>("sample", $0)) }

  static func result(_ text: String) -> QueryResult<String> {
    var rest = text[...]
    var key = 1
    if let colon = rest.firstIndex(of: ":") {
      key = Int(rest[..<colon]) ?? 1
      rest = rest[rest.index(after: colon)...]
    }
    var flags: QueryFlags = [.enabled]
    if rest.hasSuffix("~") {
      flags.insert(.placeholder)
      rest.removeLast()
    }
    var machine = EntryMachine(at: .zero)
    if rest.hasSuffix("*") || rest.hasSuffix("=") {
      let now = Timestamp(instant: .zero, date: 0)
      let environment = Environment(now: now, isOnline: rest.last == "*", isActive: true)
      _ = machine.requested(.manual, joining: .upToDate, in: environment)
      rest.removeLast()
    }
    var error: ErrorBox?
    if let mark = rest.firstIndex(of: "!") {
      error = errorBox(String(rest[mark...]))
      rest = rest[..<mark]
    }
    let data = rest.isEmpty || rest == "p" ? nil : box(String(rest))
    let snapshot = EntrySnapshot(
      version: 1,
      key: keys[key - 1],
      facts: machine.snapshotFacts,
      data: data,
      error: error,
      failureReason: nil
    )
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  static func text(_ result: QueryResult<String>) -> String {
    var text = ""
    if let key = result.snapshot.key, let index = keys.firstIndex(of: key), index > 0 {
      text = "\(index + 1):"
    }
    text += result.data ?? (result.isPending ? "p" : "")
    if let error = result.error { text += "\(error)" }
    text += result.isFetching ? "*" : result.isPaused ? "=" : ""
    if result.isPlaceholderData { text += "~" }
    return text
  }

  static func box(_ name: String) -> TypedBox<String> {
    boxes.withLock { boxes in
      if let box = boxes[name] { return box }
      let box = TypedBox(name.filter { $0 != "'" })
      boxes[name] = box
      return box
    }
  }

  static func errorBox(_ name: String) -> ErrorBox {
    errors.withLock { errors in
      if let box = errors[name] { return box }
      let box = ErrorBox(SampleError(name: name))
      errors[name] = box
      return box
    }
  }
}

extension MarbleWorld {
  /// An input of results that cannot fail.
  func results(_ line: String) -> MarbleSource<QueryResult<String>, Never> {
    input(line, name: line, failure: nil, element: Sample.result)
  }

  /// An input of results that can fail.
  func failingResults(_ line: String) -> MarbleSource<QueryResult<String>, MarbleFailure> {
    input(line, name: line, failure: MarbleFailure(), element: Sample.result)
  }
}

/// Plays an input of results through an operator that gives results, and compares the output.
func expectResults<Output: AsyncSequence & Sendable>(
  _ expected: String,
  of input: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (MarbleSource<QueryResult<String>, Never>) -> Output
) where Output.Element == QueryResult<String> {
  expectDiagram(
    expected,
    seeds: 0..<4,
    sourceLocation: sourceLocation,
    render: Sample.text
  ) { make($0.results(input)) }
}

/// Proves what every operator on results promises about the ends of its base: a finish, a failure
/// and a cancellation come through at once, before the first element, between two and after one.
///
/// - Parameters:
///   - first: A result that the operator lets through, as text.
///   - second: Another one that it lets through after the first.
///   - sourceLocation: Where a difference is reported.
///   - make: Makes the operator's sequence.
func expectEndsPassThrough<Output: AsyncSequence & Sendable>(
  _ first: String = "x",
  _ second: String = "y",
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (MarbleSource<QueryResult<String>, MarbleFailure>) -> Output
) {
  let (a, b) = ("(\(first))", "(\(second))")
  let lines = [
    ("|", "|"), ("^", "^"), (";", "-"), ("--|", "--|"), ("--^", "--^"), ("--;", "-----"),
    ("*|", "\(a)|"), ("*^", "\(a)^"), ("[*|]", "[\(a)|]"), ("[*^]", "[\(a)^]"),
    ("*-;", "\(a)----"), ("*-*;", "\(a)-\(b)---"), ("*-*-^", "\(a)-\(b)-^"),
    ("*-*-|", "\(a)-\(b)-|"), ("-*;", "-\(a)-\(b)"),
  ]
  for (expected, input) in lines {
    // What comes through is of any type: only that something does is compared.
    expectDiagram(expected, seeds: 0..<4, sourceLocation: sourceLocation, render: { _ in "*" }) {
      make($0.failingResults(input))
    }
  }
}
