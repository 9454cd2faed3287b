#if !os(Windows) && !os(WASI)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The file system of the machine, by POSIX calls.
struct PosixFileSystem: FileSystem {
  var protection: FileStore.Protection

  func createDirectory(_ path: String) throws(QueryStoreError) {
    guard try makeDirectory(path) else { return }
    // New files get the protection class of their directory, so the directory gets the class, too. Its
    // parents keep theirs, because other code may use them.
    guard let directory = try? PosixFile(path, O_RDONLY) else { return }
    protect(directory, as: protection)
  }

  /// Makes a directory with its parents.
  ///
  /// - Returns: `false` if it exists.
  private func makeDirectory(_ path: String) throws(QueryStoreError) -> Bool {
    var isMade = mkdir(path, 0o700) == 0
    let code = errno
    if !isMade, code == ENOENT, path.contains("/") {
      _ = try makeDirectory(Self.parent(of: path))
      isMade = mkdir(path, 0o700) == 0
    }
    if isMade { try syncDirectory(Self.parent(of: path)) }
    // On a read-only disk, `mkdir` does not report that the directory exists, so that is checked here.
    guard isMade || access(path, F_OK) == 0 else { throw .system("mkdir", code) }
    return isMade
  }

  func lock(_ path: String) throws(QueryStoreError) -> any FileLock {
    let file: PosixFile
    do throws(QueryStoreError) {
      file = try PosixFile(path, O_RDWR | O_CREAT)
      protect(file, as: protection.ofLock)
    } catch {
      // A process without write access can still lock a file that exists.
      guard case .denied = error, let found = try? PosixFile(path, O_RDONLY) else { throw error }
      file = found
    }
    guard try retrying("flock", { flock(file.descriptor, LOCK_EX | LOCK_NB) }, unless: EWOULDBLOCK)
    else { throw .inUse }
    return PosixLock(file)
  }

  func identity(of path: String) throws(QueryStoreError) -> FileIdentity? {
    var status = stat()
    guard stat(path, &status) != 0 else { return FileIdentity(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system("stat") }
    return nil
  }

  func files(in directory: String) throws(QueryStoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch let error as CocoaError where error.code == .fileReadNoPermission {
      throw .denied
    } catch {
      throw .failed(error)
    }
  }

  func open(_ path: String, _ mode: FileMode) throws(QueryStoreError) -> any StoredFile {
    switch mode {
    case .reading: return try PosixFile(path, O_RDONLY)
    case .writing: return try PosixFile(path, O_RDWR)
    case .creating:
      let file = try PosixFile(path, O_RDWR | O_CREAT | O_TRUNC)
      protect(file, as: protection)
      return file
    }
  }

  /// Gives a file or a directory its protection class; without this call, it has the class of the directory
  /// around it.
  private func protect(_ file: PosixFile, as protection: FileStore.Protection) {
    #if canImport(Darwin)
    // A disk without file protection refuses this call, which does no harm.
    if let number = protection.number { _ = fcntl(file.descriptor, F_SETPROTECTIONCLASS, number) }
    #endif
  }

  func rename(_ path: String, to newPath: String) throws(QueryStoreError) {
    #if canImport(Darwin)
    let result = Darwin.rename(path, newPath)
    #elseif canImport(Glibc)
    let result = Glibc.rename(path, newPath)
    #elseif canImport(Musl)
    let result = Musl.rename(path, newPath)
    #else
    let result = Android.rename(path, newPath)
    #endif
    guard result == 0 else { throw .system("rename") }
  }

  func remove(_ path: String) throws(QueryStoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .system("unlink") }
  }

  func syncDirectory(_ path: String) throws(QueryStoreError) {
    try PosixFile(path, O_RDONLY).sync()
  }

  private static func parent(of path: String) -> String {
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    guard !parent.isEmpty else { return "." }
    return parent.count == 1 && parent[0].isEmpty ? "/" : parent.joined(separator: "/")
  }
}

/// A lock on a file; it is released explicitly, because a child process that is just being started may share
/// the descriptor, and would keep the lock.
private final class PosixLock: FileLock {
  private let file: PosixFile
  var identity: FileIdentity { file.identity }

  init(_ file: PosixFile) {
    self.file = file
  }

  deinit {
    _ = flock(file.descriptor, LOCK_UN)
  }
}

/// An open file with its descriptor.
private final class PosixFile: StoredFile {
  let descriptor: Int32
  let identity: FileIdentity

  init(_ path: String, _ flags: Int32) throws(QueryStoreError) {
    var opened: Int32 = -1
    _ = try retrying("open") {
      opened = open(path, flags | O_CLOEXEC, 0o600)
      return opened
    }
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let error = QueryStoreError.system("fstat")
      _ = close(opened)
      throw error
    }
    identity = FileIdentity(status)
  }

  deinit {
    close(descriptor)
  }

  func length() throws(QueryStoreError) -> Int {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw .system("lseek") }
    return Int(clamping: end)
  }

  func read(_ range: Range<Int>) throws(QueryStoreError) -> Data {
    var bytes = Data(count: range.count)
    let count = try transferring("pread", range.count) { done in
      bytes.withUnsafeMutableBytes {
        let place = off_t(range.lowerBound + done)
        return pread(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, place)
      }
    }
    return count == range.count ? bytes : bytes.prefix(count)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(QueryStoreError) {
    let count = try transferring("pwrite", bytes.count) { done in
      bytes.withUnsafeBytes {
        let place = off_t(offset + done)
        return pwrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, place)
      }
    }
    guard count == bytes.count else { throw .system("pwrite", EIO) }
  }

  func truncate(to length: Int) throws(QueryStoreError) {
    _ = try retrying("ftruncate") { ftruncate(descriptor, off_t(length)) }
  }

  func sync() throws(QueryStoreError) {
    #if canImport(Darwin)
    // `fsync` only hands the bytes to the disk, which may keep them in its cache; this call waits for the
    // disk. Not every disk supports it.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    _ = try retrying("fsync") { fsync(descriptor) }
    #else
    _ = try retrying("fdatasync") { fdatasync(descriptor) }
    #endif
  }
}

extension FileIdentity {
  fileprivate init(_ status: stat) {
    // The types of these numbers differ between systems.
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// Repeats a call while signals interrupt it; returns `true` if the call succeeded, and `false` if it failed
/// with the expected error.
private func retrying(
  _ name: String,
  _ call: () -> Int32,
  unless expected: Int32? = nil
) throws(QueryStoreError) -> Bool {
  while call() < 0 {
    let code = errno
    if code == expected { return false }
    guard code == EINTR else { throw .system(name, code) }
  }
  return true
}

/// Repeats a call that may transfer only a part of the bytes, until all are transferred or the file ends.
///
/// - Returns: The number of transferred bytes.
private func transferring(
  _ name: String,
  _ count: Int,
  _ call: (_ done: Int) -> Int
) throws(QueryStoreError) -> Int {
  var done = 0
  while done < count {
    var now = 0
    _ = try retrying(name) {
      now = call(done)
      return now < 0 ? -1 : 0
    }
    guard now > 0 else { break }
    done += now
  }
  return done
}
#endif
