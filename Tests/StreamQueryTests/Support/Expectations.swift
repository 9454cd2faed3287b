import Testing

// What most tests expect. `#expect` says as much, but each costs the compiler 15 ms, and a call of
// these 0.2 ms: nine thousand comparisons by that macro took a fifth of the time to build all tests.

/// Records an issue that shows both values, unless they are equal.
nonisolated func expectEqual<Value: Equatable>(
  _ value: Value,
  _ expected: Value,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  if value == expected { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record(
    "\(String(reflecting: value)) is not \(String(reflecting: expected))",
    comment(),
    sourceLocation ?? place
  )
}

/// Records an issue that shows the value, unless there is none.
nonisolated func expectNil<Value>(
  _ value: Value?,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  guard let value else { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record("\(String(reflecting: value)) is not nil", comment(), sourceLocation ?? place)
}

/// Records an issue that shows the elements, unless there are none.
nonisolated func expectEmpty(
  _ elements: some Collection,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  if elements.isEmpty { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record("\(String(reflecting: elements)) is not empty", comment(), sourceLocation ?? place)
}

/// Records an issue unless the condition holds.
nonisolated func expect(
  _ condition: Bool,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil,
  fileID: String = #fileID,
  filePath: String = #filePath,
  line: Int = #line,
  column: Int = #column
) {
  if condition { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record("the condition does not hold", comment(), sourceLocation ?? place)
}

nonisolated private func record(_ text: String, _ comment: Comment?, _ place: SourceLocation) {
  let message = comment.map { "\($0.rawValue): \(text)" } ?? text
  Issue.record(Comment(rawValue: message), sourceLocation: place)
}
