#if os(macOS) || os(Linux)
import Foundation
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// What only real files show.
struct PosixFileStoreTests {
  /// A directory that is removed afterwards.
  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let name = "StreamQueryFiles-\(UUID().uuidString)"
    let directory = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  @Test func aSecondStoreIsRefusedInThisProcessAndInAnother() async throws {
    try await withDirectory { directory in
      let first = FileStore(directory: directory)
      try await first.write(.put(["a": "1"]))
      let second = FileStore(directory: directory)
      await #expect {
        try await second.shelf()
      } throws: {
        if case .inUse? = $0 as? QueryStoreError { true } else { false }
      }
      await #expect(processExitsWith: .exitCode(42)) { [path = directory.path as String] in
        do throws(QueryStoreError) {
          _ = try await FileStore(directory: URL(filePath: path)).load(.main)
        } catch {
          if case .inUse = error { exit(42) }
        }
      }
      await first.close()
      try await expectEqual(second.shelf().values, ["a": "1"])
    }
  }

  @Test func directoriesAreCreatedAndAFileInTheirPlaceIsAnError() async throws {
    try await withDirectory { directory in
      let store = FileStore(directory: directory.appending(path: "one/two/three/"))
      try await store.write(.put(["a": "1"]))
      try await expectEqual(store.shelf().values, ["a": "1"])
      let file = directory.appending(path: "file")
      try Data().write(to: file)
      await #expect {
        try await FileStore(directory: file.appending(path: "below")).shelf()
      } throws: {
        guard case .failed(let error)? = $0 as? QueryStoreError else { return false }
        return (error as? SystemCallError)?.code == ENOTDIR
      }
    }
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may do anything"))
  func aDirectoryWithoutPermissionIsDenied() async throws {
    try await withDirectory { directory in
      try await FileStore(directory: directory).write(.put(["a": "1"]))
      for path in [directory.path + "/lock", directory.path + "/main@0.log"] { chmod(path, 0o400) }
      chmod(directory.path, 0o500)
      defer { chmod(directory.path, 0o700) }
      let store = FileStore(directory: directory)
      try await expectEqual(store.shelf().values, ["a": "1"])
      await #expect {
        try await store.write(.put(["a": "2"]))
      } throws: {
        if case .denied? = $0 as? QueryStoreError { true } else { false }
      }
    }
  }

  /// As the superuser, in a process that becomes somebody else.
  @Test(.enabled(if: getuid() == 0, "only the superuser can become somebody else"))
  func aDirectoryThatSomebodyElseMayOnlyReadIsDenied() async throws {
    try await withDirectory { directory in
      let store = FileStore(directory: directory)
      try await store.write(.put(["a": "1"]))
      await store.close()
      for path in [directory.path + "/lock", directory.path + "/main@0.log"] { chmod(path, 0o444) }
      chmod(directory.path, 0o555)
      await #expect(processExitsWith: .exitCode(42)) { [path = directory.path as String] in
        guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(1) }
        let store = FileStore(directory: URL(filePath: path))
        guard try await store.shelf().values == ["a": "1"] else { exit(2) }
        do throws(QueryStoreError) {
          try await store.write(.put(["a": "2"]))
        } catch {
          guard case .denied = error else { exit(3) }
        }
        guard try await store.shelf().values == ["a": "1"] else { exit(4) }
        exit(42)
      }
      try await expectEqual(FileStore(directory: directory).shelf().values, ["a": "1"])
    }
  }

  @Test(arguments: ["removed", "moved", "replaced"])
  func theNextSaveIsKeptWithAllOthersAfterTheDirectoryIsGone(_ accident: String) async throws {
    try await withDirectory { parent in
      let manager = FileManager.default
      let directory = parent.appending(path: "one/store")
      let store = FileStore(directory: directory)
      try await store.write(.put(["a": "1"]))
      try await store.write(.put(["k": "1"]), to: "other")
      switch accident {
      case "removed": try manager.removeItem(at: parent.appending(path: "one"))
      case "moved": try manager.moveItem(at: directory, to: parent.appending(path: "two"))
      default:
        try manager.moveItem(at: directory, to: parent.appending(path: "two"))
        try manager.createDirectory(at: directory, withIntermediateDirectories: true)
      }
      await #expect {
        try await store.write(.put(["b": "lost"]))
      } throws: {
        if case .filesReplaced? = $0 as? QueryStoreError { true } else { false }
      }
      try await store.write(.put(["b": "2"]))
      await store.close()
      let next = FileStore(directory: directory)
      try await expectEqual(next.shelf().values, ["a": "1", "b": "2"])
      try await expectEqual(next.shelf("other").values, ["k": "1"])
      await next.close()
    }
  }

  /// Of this process, in a directory.
  private func openDescriptors(below directory: URL) -> Int {
    #if os(Linux)
    let root = directory.resolvingSymlinksInPath().path + "/"
    let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.count { link in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + link)
      return path?.hasPrefix(root) == true
    }
    #else
    return 0
    #endif
  }

  @Test func releasedPartitionsAndASuspendedStoreHaveNoDescriptors() async throws {
    try await withDirectory { directory in
      let first = FileStore(directory: directory)
      for number in 0..<50 {
        try await first.write(.put(["a": "1"]), to: StorePartition("p\(number)"))
      }
      await first.close()
      let store = FileStore(directory: directory)
      for number in 0..<50 {
        try await expectEqual(store.shelf(StorePartition("p\(number)")).values, ["a": "1"])
        await store.release(StorePartition("p\(number)"))
      }
      #expect(openDescriptors(below: directory) <= 1)
      _ = try await store.shelf("p1")
      await store.suspend()
      expectEqual(openDescriptors(below: directory), 0)
      await #expect(processExitsWith: .exitCode(42)) { [path = directory.path as String] in
        let other = FileStore(directory: URL(filePath: path))
        try await other.write(.put(["b": "2"]), to: "p1")
        exit(42)
      }
      try await store.resume()
      try await expectEqual(store.shelf("p1").values, ["a": "1", "b": "2"])
    }
  }

  @Test func aLargePartitionComesBackAsItWas() async throws {
    try await withDirectory { directory in
      let store = FileStore(directory: directory)
      var shelf = Shelf()
      for number in 0..<200 {
        let change = ShelfChange.put(
          Dictionary(
            uniqueKeysWithValues: (0..<20).map {
              ("\(number * 13 % 40) \($0)", String(repeating: "\(number)", count: 200))
            }
          )
        )
        shelf.apply(change)
        try await store.write(change)
      }
      await store.close()
      let next = FileStore(directory: directory)
      try await expectEqual(next.shelf(), shelf)
      let file = try Data(contentsOf: directory.appending(path: "main@0.log"))
      // It was rewritten on the way: of 1,960,000 bytes of values, 480,000 are left.
      let limit: Int = 1_200_000
      #expect(file.count < limit)
    }
  }
}
#endif
