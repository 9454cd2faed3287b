#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

import StreamQuery
@testable import StreamQueryPersistence

/// A disk that loses what was not synced when its power is cut, and fails when a test says so.
///
/// A write, a changed length and a changed name are visible at once, and durable after a sync of the
/// file, or of the directory for names. What of the rest is left after a power cut is up to the test.
final class SimulatedDisk: FileSystem {
  /// What happens at a call that changes something; they are counted from 0.
  enum Fault: Hashable {
    /// The call fails and changes nothing.
    case full
    case denied
    /// A write fails after this many of its bytes; other calls change nothing.
    case fullAfter(Int)
    /// The power goes before the call, or after this many bytes of a write.
    case powerCut(after: Int)
  }

  /// What is left of changes that were not synced.
  enum Survival: Hashable, CaseIterable {
    case nothing
    case everything
    /// The lengths of files, but none of the bytes.
    case lengths
    /// The bytes and lengths of files, but no names.
    case bytes
    /// The names, but nothing of the files.
    case names
  }

  struct PowerIsOff: Error {}

  struct Node {
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
  }

  struct State {
    var nodes: [Int: Node] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    var directories: Set<String> = []
    /// The number of the lock that each locked file has.
    var locks: [Int: Int] = [:]
    var calls: [String] = []
    var faults: [Int: Fault] = [:]
    var lasting: (prefix: String, fault: Fault)?
    var isOff = false
    var last = 0
    /// How often a file was read.
    var reads = 0
    /// How often a directory was read.
    var listings = 0
    var openFiles = 0
  }

  let state: TestLock<State>

  init() { state = TestLock(State()) }

  // MARK: What tests do

  /// The calls that have changed something, or would have.
  var calls: [String] { state.withLock { $0.calls } }

  /// Lets a call fail, counted from now.
  func fail(_ fault: Fault, at call: Int = 0) {
    state.withLock { $0.faults[$0.calls.count + call] = fault }
  }

  /// Lets all calls that change something fail, or those that begin so, until it is `nil` again.
  func failAll(_ fault: Fault?, of prefix: String = "") {
    state.withLock { $0.lasting = fault.map { (prefix, $0) } }
  }

  /// The process ends; what it has written is kept by the system.
  func endProcess() { state.withLock { $0.locks = [:] } }

  /// Turns the power on again, after a cut or for a cut that comes now.
  func restart(_ survival: Survival) {
    state.withLock { state in
      if survival == .everything || survival == .lengths || survival == .names {
        state.durableNames = state.names
      }
      state.names = state.durableNames
      let present = Set(state.names.values)
      state.nodes = state.nodes.filter { present.contains($0.key) }.mapValues { node in
        switch survival {
        case .everything, .bytes: return Node(bytes: node.bytes, durable: node.bytes)
        case .nothing, .names: return Node(bytes: node.durable, durable: node.durable)
        case .lengths:
          let kept = node.durable.prefix(node.bytes.count)
          let bytes = kept + Array(repeating: 0, count: node.bytes.count - kept.count)
          return Node(bytes: Array(bytes), durable: Array(bytes))
        }
      }
      (state.locks, state.isOff, state.faults, state.lasting) = ([:], false, [:], nil)
    }
  }

  /// The bytes of all files by name, as a program would read them.
  var files: [String: [UInt8]] {
    state.withLock { state in state.names.mapValues { state.nodes[$0]?.bytes ?? [] } }
  }

  /// Changes a file behind the store's back.
  func change(_ path: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard let number = state.names[path], var node = state.nodes[number] else { return }
      change(&node.bytes)
      node.durable = node.bytes
      state.nodes[number] = node
    }
  }

  /// Makes a file one of a later version of the library.
  func makeLater(_ path: String) {
    change(path) { $0.replaceSubrange(0..<32, with: laterVersion(of: $0.prefix(32))) }
  }

  /// Removes a directory with all that is in it, behind the store's back; what is open stays readable.
  func removeDirectory(_ path: String) {
    state.withLock { state in
      state.directories.remove(path)
      state.names = state.names.filter { !$0.key.hasPrefix(path + "/") }
      state.durableNames = state.durableNames.filter { !$0.key.hasPrefix(path + "/") }
    }
  }

  /// Gives a directory another name, behind the store's back.
  func moveDirectory(_ path: String, to newPath: String) {
    func moved(_ names: [String: Int]) -> [String: Int] {
      Dictionary(
        uniqueKeysWithValues: names.map { name, number in
          (name.hasPrefix(path + "/") ? newPath + name.dropFirst(path.count) : name, number)
        }
      )
    }
    state.withLock { state in
      if state.directories.remove(path) != nil { state.directories.insert(newPath) }
      state.names = moved(state.names)
      state.durableNames = moved(state.durableNames)
    }
  }

  /// Removes a file behind the store's back.
  func removeFile(_ path: String) {
    state.withLock { state in
      state.names[path] = nil
      state.durableNames[path] = nil
    }
  }

  /// The number of files that somebody has open.
  var openFiles: Int { state.withLock { $0.openFiles } }

  // MARK: The file system

  func createDirectory(_ path: String) throws(QueryStoreError) {
    if state.withLock({ $0.directories.contains(path) }) { return }
    try act("mkdir \(path)") { state, _ in _ = state.directories.insert(path) }
  }

  func lock(_ path: String) throws(QueryStoreError) -> any FileLock {
    if state.withLock({ $0.names[path] == nil }) { _ = try open(path, .creating) }
    let found = state.withLock { state -> (file: Int, lock: Int)? in
      guard let file = state.names[path], state.locks[file] == nil else { return nil }
      state.last += 1
      state.locks[file] = state.last
      return (file, state.last)
    }
    guard let found else { throw .inUse }
    return Lock(self, found.file, found.lock)
  }

  func identity(of path: String) throws(QueryStoreError) -> FileIdentity? {
    try check()
    return state.withLock { state in state.names[path].map { Self.identity($0) } }
  }

  private static func identity(_ number: Int) -> FileIdentity {
    FileIdentity(device: 1, number: UInt64(number))
  }

  func files(in directory: String) throws(QueryStoreError) -> [String] {
    try check()
    return state.withLock { state in
      state.listings += 1
      return state.names.keys.filter { $0.hasPrefix(directory + "/") }
        .map { String($0.dropFirst(directory.count + 1)) }
    }
  }

  func open(_ path: String, _ mode: FileMode) throws(QueryStoreError) -> any StoredFile {
    switch mode {
    case .reading, .writing:
      try check()
      let found = state.withLock { ($0.names[path], $0.lasting?.fault) }
      guard let number = found.0 else { throw Self.noEntry("open") }
      if mode == .writing, found.1 == .denied { throw .denied }
      return File(self, path, number)
    case .creating:
      try checkParent(of: path)
      try act("create \(path)") { state, _ in
        state.last += 1
        state.nodes[state.last] = Node()
        state.names[path] = state.last
      }
      return File(self, path, state.withLock { $0.last })
    }
  }

  func rename(_ path: String, to newPath: String) throws(QueryStoreError) {
    guard state.withLock({ $0.names[path] != nil }) else { throw Self.noEntry("rename") }
    try act("rename \(path) \(newPath)") { state, _ in
      state.names[newPath] = state.names.removeValue(forKey: path)
    }
  }

  func remove(_ path: String) throws(QueryStoreError) {
    try act("remove \(path)") { state, _ in state.names[path] = nil }
  }

  func syncDirectory(_ path: String) throws(QueryStoreError) {
    guard state.withLock({ $0.directories.contains(path) }) else { throw Self.noEntry("open") }
    try act("sync \(path)") { state, _ in state.durableNames = state.names }
  }

  private static func noEntry(_ call: String) -> QueryStoreError {
    .failed(SystemCallError(call: call, code: 2))
  }

  private func checkParent(of path: String) throws(QueryStoreError) {
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    guard state.withLock({ $0.directories.contains("/" + parent) }) else {
      throw Self.noEntry("open")
    }
  }

  private func check() throws(QueryStoreError) {
    guard !state.withLock({ $0.isOff }) else { throw .failed(PowerIsOff()) }
  }

  /// Counts a call, and does it, or the first bytes of it if there is a fault.
  private func act(
    _ call: String,
    bytes: Int = 0,
    _ body: (inout State, Int) -> Void
  ) throws(QueryStoreError) {
    let failure = state.withLock { state -> QueryStoreError? in
      guard !state.isOff else { return .failed(PowerIsOff()) }
      let lasting = state.lasting.flatMap { call.hasPrefix($0.prefix) ? $0.fault : nil }
      let fault = state.faults[state.calls.count] ?? lasting
      state.calls.append(call)
      switch fault {
      case nil:
        body(&state, bytes)
        return nil
      case .full: return .full
      case .denied: return .denied
      case .fullAfter(let count):
        if bytes > 0 { body(&state, min(count, bytes)) }
        return .full
      case .powerCut(let count):
        if bytes > 0 { body(&state, min(count, bytes)) }
        state.isOff = true
        return .failed(PowerIsOff())
      }
    }
    if let failure { throw failure }
  }

  private final class Lock: FileLock {
    let disk: SimulatedDisk
    let file: Int
    let number: Int
    var identity: FileIdentity { SimulatedDisk.identity(file) }

    init(_ disk: SimulatedDisk, _ file: Int, _ number: Int) {
      (self.disk, self.file, self.number) = (disk, file, number)
      disk.state.withLock { $0.openFiles += 1 }
    }

    deinit {
      disk.state.withLock { state in
        state.openFiles -= 1
        if state.locks[file] == number { state.locks[file] = nil }
      }
    }
  }

  private final class File: StoredFile {
    let disk: SimulatedDisk
    let path: String
    let number: Int
    var identity: FileIdentity { SimulatedDisk.identity(number) }

    init(_ disk: SimulatedDisk, _ path: String, _ number: Int) {
      (self.disk, self.path, self.number) = (disk, path, number)
      disk.state.withLock { $0.openFiles += 1 }
    }

    deinit {
      disk.state.withLock { $0.openFiles -= 1 }
    }

    func length() throws(QueryStoreError) -> Int {
      try disk.check()
      return disk.state.withLock { $0.nodes[number]?.bytes.count ?? 0 }
    }

    func read(_ range: Range<Int>) throws(QueryStoreError) -> Data {
      try disk.check()
      return disk.state.withLock {
        $0.reads += 1
        let bytes = $0.nodes[number]?.bytes ?? []
        return Data(bytes[range.clamped(to: bytes.indices)])
      }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(QueryStoreError) {
      try disk.act("write \(path) \(offset) \(bytes.count)", bytes: bytes.count) { state, count in
        var content = state.nodes[number]?.bytes ?? []
        let end = offset + count
        if content.count < end {
          content += Array(repeating: 0, count: end - content.count)
        }
        content.replaceSubrange(offset..<end, with: bytes.prefix(count))
        state.nodes[number]?.bytes = content
      }
    }

    func truncate(to length: Int) throws(QueryStoreError) {
      try disk.act("truncate \(path) \(length)") { state, _ in
        guard let bytes = state.nodes[number]?.bytes else { return }
        state.nodes[number]?.bytes = Array(bytes.prefix(length))
      }
    }

    func sync() throws(QueryStoreError) {
      try disk.act("sync \(path)") { state, _ in
        guard let bytes = state.nodes[number]?.bytes else { return }
        state.nodes[number]?.durable = bytes
      }
    }
  }
}
