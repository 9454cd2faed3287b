import StreamQuery
import Testing

@testable import StreamQueryShared

/// The codes of the library's own errors.
struct OwnFailureTests {
  private static let key = #"["rates", 1]"#
  private static let errors: [QueryError] = [
    .timedOut(key: key, limit: .milliseconds(1_500)), .timedOut(key: key, limit: .seconds(-1)),
    .missingFetch(key: key), .recursiveFetch(key: key), .completionNeverCalled(key: key),
    .completionWithoutResult(key: key), .notModifiedWithoutData(key: key),
  ]

  @Test(arguments: errors) func anErrorIsTheSameOnAllMachines(_ error: QueryError) throws {
    let code = try #require(OwnFailure.code(of: error, fetching: Self.key))
    #expect(code.count <= 100)
    let report = SharedFailure.Report("text", code: code)
    #expect(SharedFailure(SharedFailure.failed(report).text) == .failed(report))
    #expect(OwnFailure.error(of: code, fetching: Self.key) == error)
  }

  @Test(
    "an error of another key has none, as that key may have what the text leaves out",
    arguments: [
      .timedOut(key: "other", limit: .seconds(2)), .missingFetch(key: "a:b"),
      .recursiveFetch(key: "other"), .completionNeverCalled(key: "other"),
      .completionWithoutResult(key: "other"), .notModifiedWithoutData(key: "other"),
      .missingPerform(key: "m"), .recursiveMutation(key: "m"), .missingOutbox(key: "m"),
      .mutationTimedOut(key: "m", limit: .seconds(2)),
    ] as [QueryError]
  )
  func errorsOfOtherKeys(_ error: QueryError) {
    #expect(OwnFailure.code(of: error, fetching: Self.key) == nil)
  }

  @Test func errorsOfOthersAndOfOneProcessHaveNone() {
    struct Other: Error {}
    #expect(OwnFailure.code(of: Other(), fetching: Self.key) == nil)
    #expect(OwnFailure.code(of: QueryError.shutDown, fetching: Self.key) == nil)
  }

  @Test(
    arguments: [
      "", "404", "StreamQuery.", "StreamQuery.unknown:x", "StreamQuery.timedOut",
      "StreamQuery.timedOut:", "StreamQuery.timedOut:x", "StreamQuery.timedOut:1e9",
      "StreamQuery.timedOut:999999999999999999999999999999999999999999", "streamQuery.missingFetch",
      "StreamQuery.missingFetch:other", "StreamQuery.timedOut:1:other",
      "StreamQuery.timedOut:99999999999999999999999999999999999999",
      "StreamQuery.timedOut:-99999999999999999999999999999999999999",
    ]
  )
  func whatAnybodyMayWriteIsNoError(_ code: String) {
    #expect(OwnFailure.error(of: code, fetching: Self.key) == nil)
  }
}
