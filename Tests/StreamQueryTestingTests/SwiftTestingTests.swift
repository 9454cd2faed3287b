import Testing

@_spi(Contracts) @testable import StreamQueryTesting

/// The functions of Swift Testing, found by name in the process that runs these tests.
struct SwiftTestingTests {
  @Test func aFailureIsAnIssueAtTheLineThatIsGiven() {
    // On the heap, and used again: a call that released it once too often would end the process.
    let message = String(repeating: "é, ", count: 100)
    withKnownIssue {
      let report = FailureReport(
        fileID: "Module/Folder/File.swift",
        filePath: "/a/é.swift",
        line: 12,
        column: 7
      )
      for _ in 0..<100 { report(message) }
    } matching: { issue in
      issue.comments == [Comment(rawValue: message)]
        && issue.sourceLocation
          == SourceLocation(
            fileID: "Module/Folder/File.swift",
            filePath: "/a/é.swift",
            line: 12,
            column: 7
          )
    }
  }

  @Test func aFailureOfASimulationIsAtTheLineThatMadeIt() {
    let line = #line + 2
    withKnownIssue {
      let simulation = Simulation()
      simulation.run { simulation.settle() }
    } matching: { issue in
      issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
        && issue.comments.first?.rawValue.contains("driven from inside") == true
    }
  }

  @Test(arguments: ["", "File.swift", "/File.swift", "Module/"])
  func aPlaceThatIsNoneFailsTheTest(fileID: String) {
    withKnownIssue {
      FailureReport(fileID: fileID, filePath: "", line: 0, column: -1)("text")
    } matching: {
      $0.comments == ["text"] && $0.sourceLocation?.line == 1
    }
  }

  @Test func aTestIsSeenFromItsTasksOnly() async {
    expectEqual(SwiftTesting().standing, .runsTest)
    await expectEqual(Task { SwiftTesting().standing }.value, .runsTest)
    await expectEqual(Task.detached { SwiftTesting().standing }.value, .runsNoTest)
  }

  @Test func aLibraryThatCannotBeAskedIsThere() {
    let library = SwiftTesting(find: { _ in nil })
    expectEqual(library.standing, .isUnknown)
    expect(library.isThere)
  }

  @Test func aFailureThatNobodyCanBeToldOfEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let library = SwiftTesting(find: { _ in nil })
      FailureReport(fileID: #fileID, filePath: #filePath, line: 1, column: 1, library: library)("a")
    }
    await #expect(processExitsWith: .failure) {
      // The test is seen, but has no function that takes an issue.
      let library = SwiftTesting { name in
        name.contains("Issue") ? nil : LoadedSymbol.address(name)
      }
      FailureReport(fileID: #fileID, filePath: #filePath, line: 1, column: 1, library: library)("a")
      // What is no test at all in this process prints.
      if library.standing != .runsTest { preconditionFailure("no test runs here") }
    }
  }
}
