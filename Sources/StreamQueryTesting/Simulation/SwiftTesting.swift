/// The functions of Swift Testing, if this process has it.
///
/// They are called by their names in the binary. All types of the library are resilient: their
/// values are passed by address, like those of a type parameter. So the functions are called with
/// parameters in place of `Comment`, `SourceLocation`, `Issue` and `Test`, whose metadata is also
/// found by name.
struct SwiftTesting: Sendable {
  /// Whether a test runs, as far as the process knows.
  enum Standing: Hashable, Sendable {
    /// The current task belongs to a test.
    case runsTest
    /// It belongs to none.
    case runsNoTest
    /// The process has no such library, or cannot ask it: see ``isThere``.
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

  /// Finds the library in this process.
  ///
  /// - Parameter find: Finds the address of a function by its name.
  init(find: @escaping @Sendable (String) -> UnsafeMutableRawPointer? = LoadedSymbol.address) {
    self.find = find
  }

  /// Whether the current task belongs to a test.
  var standing: Standing {
    guard let type = type(Name.test), let address = find(Name.currentTest) else {
      return .isUnknown
    }
    func runsTest<Test>(_: Test.Type) -> Bool {
      typealias Current = @convention(thin) () -> Test?
      // `Test.current`
      return unsafeBitCast(address, to: Current.self)() != nil
    }
    return runsTest(type) ? .runsTest : .runsNoTest
  }

  /// Whether the process has a library of that name.
  ///
  /// The runtime also finds the types of a library that is linked statically, or that has other functions,
  /// which cannot be called. It searches all types of the process, so read this only to report a failure.
  var isThere: Bool { _typeByName("7Testing4TestV") != nil }

  /// Records an issue of the current test.
  ///
  /// - Returns: Whether it was recorded.
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
      // Initialisers consume their arguments, functions do not.
      typealias MakeComment = @convention(thin) (consuming String) -> Comment
      typealias MakeLocation =
        @convention(thin) (consuming String, consuming String, Int, Int) -> Location
      typealias Record = @convention(thin) (Comment?, Location) -> Issue
      // `Comment(rawValue:)`
      let comment = unsafeBitCast(makeComment, to: MakeComment.self)(message)
      // `SourceLocation(fileID:filePath:line:column:)`, which needs a module's name and counts from 1.
      let location = unsafeBitCast(makeLocation, to: MakeLocation.self)(
        fileID.isFileID ? fileID : "Unknown/File.swift",
        filePath,
        max(1, line),
        max(1, column)
      )
      // `Issue.record(_:sourceLocation:)`
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

  /// The type whose metadata a function returns.
  private func type(_ name: String) -> (any Any.Type)? {
    typealias Metadata = @convention(thin) (_ request: UInt) -> (any Any.Type, state: UInt)
    // 0 requests complete metadata.
    return find(name).map { unsafeBitCast($0, to: Metadata.self)(0).0 }
  }
}

extension String {
  /// Whether it is the name of a module and that of a file, as `#fileID` is.
  fileprivate var isFileID: Bool {
    guard let slash = firstIndex(of: "/"), let last = lastIndex(of: "/") else { return false }
    return slash != startIndex && index(after: last) != endIndex
  }
}
