/// The functions of Swift Testing, if this process has that library.
///
/// They are called by their names in the binary. All types of the library are resilient, so their values are
/// passed by address, like those of a type parameter. So the functions are called through type parameters in
/// place of `Comment`, `SourceLocation`, `Issue` and `Test`, and the metadata of these types is also found by
/// name.
struct SwiftTesting: Sendable {
  /// The answer to the question whether a test is running.
  enum Standing: Hashable, Sendable {
    /// The current task belongs to a test.
    case runsTest
    /// The current task belongs to no test.
    case runsNoTest
    /// The process does not have Swift Testing, or does not export the function that answers: see
    /// ``isThere``.
    case isUnknown
  }

  private enum Name {
    static let test = "$s7Testing4TestVMa"
    static let currentTest = "$s7Testing4TestV7currentACSgvgZ"
    static let comment = "$s7Testing7CommentVMa"
    static let makeComment = "$s7Testing7CommentV8rawValueACSS_tcfC"
    static let location = "$s7Testing14SourceLocationVMa"
    static let makeLocation = "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC"
    static let issue = "$s7Testing5IssueVMa"
    static let record = "$s7Testing5IssueV6record_14sourceLocationAcA7CommentVSg_AA06SourceE0VtFZ"
  }

  private let find: @Sendable (String) -> UnsafeMutableRawPointer?

  /// Creates the functions, which are looked up in this process when they are called.
  ///
  /// - Parameter find: Finds the address of a function by its name.
  init(find: @escaping @Sendable (String) -> UnsafeMutableRawPointer? = LoadedSymbol.address) {
    self.find = find
  }

  /// The answer to the question whether the current task belongs to a test.
  var standing: Standing {
    guard let type = type(Name.test), let address = find(Name.currentTest) else {
      return .isUnknown
    }
    func runsTest<Test>(_: Test.Type) -> Bool {
      typealias Current = @convention(thin) () -> Test?
      // Calls `Test.current`.
      return unsafeBitCast(address, to: Current.self)() != nil
    }
    return runsTest(type) ? .runsTest : .runsNoTest
  }

  /// Whether the process has Swift Testing, even if its functions cannot be called.
  ///
  /// The runtime also finds the types of a library that is linked statically, or that has other functions. It
  /// searches all types of the process, so read this only to report a failure.
  var isThere: Bool { _typeByName("7Testing4TestV") != nil }

  /// Records an issue of the current test, if the functions for that are found.
  ///
  /// - Returns: Whether the issue was recorded.
  func record(_ message: String, fileID: String, filePath: String, line: Int, column: Int) -> Bool {
    guard
      let commentType = type(Name.comment), let makeComment = find(Name.makeComment),
      let locationType = type(Name.location), let makeLocation = find(Name.makeLocation),
      let issueType = type(Name.issue), let record = find(Name.record)
    else { return false }
    func call<Comment, Location, Issue>(
      _: Comment.Type,
      _: Location.Type,
      _: Issue.Type
    ) {
      // In the binary, initialisers consume their arguments, and functions do not.
      typealias MakeComment = @convention(thin) (consuming String) -> Comment
      typealias MakeLocation =
        @convention(thin) (consuming String, consuming String, Int, Int) -> Location
      typealias Record = @convention(thin) (Comment?, Location) -> Issue
      // Calls `Comment(rawValue:)`.
      let comment = unsafeBitCast(makeComment, to: MakeComment.self)(message)
      // `SourceLocation(fileID:filePath:line:column:)` needs the name of a module and counts from 1.
      let location = unsafeBitCast(makeLocation, to: MakeLocation.self)(
        fileID.isFileID ? fileID : "Unknown/File.swift",
        filePath,
        max(1, line),
        max(1, column)
      )
      // Calls `Issue.record(_:sourceLocation:)`.
      _ = unsafeBitCast(record, to: Record.self)(comment, location)
    }
    func openComment<Comment>(_ comment: Comment.Type) {
      func openLocation<Location>(_ location: Location.Type) {
        func openIssue<Issue>(_ issue: Issue.Type) { call(comment, location, issue) }
        _openExistential(issueType, do: openIssue)
      }
      _openExistential(locationType, do: openLocation)
    }
    _openExistential(commentType, do: openComment)
    return true
  }

  /// Returns a type, from the function that returns its metadata.
  private func type(_ name: String) -> (any Any.Type)? {
    typealias Metadata = @convention(thin) (_ request: UInt) -> (any Any.Type, state: UInt)
    // The request 0 asks for complete metadata.
    return find(name).map { unsafeBitCast($0, to: Metadata.self)(0).0 }
  }
}

extension String {
  /// Whether the text consists of the names of a module and a file, as `#fileID` does.
  fileprivate var isFileID: Bool {
    guard let slash = firstIndex(of: "/"), let last = lastIndex(of: "/") else { return false }
    return slash != startIndex && index(after: last) != endIndex
  }
}
