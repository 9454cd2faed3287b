// The part of Foundation that the sources use.
@_exported import Dispatch

public typealias TimeInterval = Double

public struct Date: Hashable, Comparable, Codable, Sendable {
  public typealias Stride = TimeInterval
  public var timeIntervalSinceReferenceDate: TimeInterval
  public static let timeIntervalBetween1970AndReferenceDate: TimeInterval = 978_307_200
  public static let distantPast = Date(timeIntervalSinceReferenceDate: -63_114_076_800)
  public static let distantFuture = Date(timeIntervalSinceReferenceDate: 63_113_904_000)
  public static var now: Date { Date() }
  public init() { timeIntervalSinceReferenceDate = 0 }
  public init(timeIntervalSinceReferenceDate interval: TimeInterval) {
    timeIntervalSinceReferenceDate = interval
  }
  public init(timeIntervalSince1970 interval: TimeInterval) {
    timeIntervalSinceReferenceDate = interval
  }
  public init(timeIntervalSinceNow interval: TimeInterval) {
    timeIntervalSinceReferenceDate = interval
  }
  public init(timeInterval: TimeInterval, since date: Date) {
    timeIntervalSinceReferenceDate = timeInterval
  }
  public var timeIntervalSince1970: TimeInterval { timeIntervalSinceReferenceDate }
  public var timeIntervalSinceNow: TimeInterval { timeIntervalSinceReferenceDate }
  public func timeIntervalSince(_ other: Date) -> TimeInterval { 0 }
  public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
  public mutating func addTimeInterval(_ interval: TimeInterval) {}
  public func distance(to other: Date) -> TimeInterval { 0 }
  public func advanced(by interval: TimeInterval) -> Date { self }
  public static func < (left: Date, right: Date) -> Bool { false }
  public static func + (left: Date, right: TimeInterval) -> Date { left }
  public static func - (left: Date, right: TimeInterval) -> Date { left }
  public static func += (left: inout Date, right: TimeInterval) {}
  public static func -= (left: inout Date, right: TimeInterval) {}
}

public typealias uuid_t = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

public struct UUID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  private var text = ""
  public init() {}
  public init?(uuidString string: String) { text = string }
  public init(uuid: uuid_t) {}
  public var uuid: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
  public var uuidString: String { text }
  public var description: String { text }
  public static func < (left: UUID, right: UUID) -> Bool { false }
}

public struct Data: Hashable, Codable, Sendable, RandomAccessCollection, MutableCollection,
  RangeReplaceableCollection
{
  public typealias Index = Int
  public typealias Element = UInt8
  public typealias SubSequence = Data
  private var bytes: [UInt8] = []
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 { bytes = Array(elements) }
  public init(count: Int) {}
  public init(capacity: Int) {}
  public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
  public init?(base64Encoded string: String) {}
  public func base64EncodedString() -> String { "" }
  public mutating func append(_ other: Data) { bytes += other.bytes }
  public func write(to url: URL, options: WritingOptions = []) throws {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { bytes.count }
  public subscript(position: Int) -> UInt8 {
    get { bytes[position] }
    set { bytes[position] = newValue }
  }
  public subscript(bounds: Range<Int>) -> Data {
    get { Data(bytes[bounds]) }
    set { bytes.replaceSubrange(bounds, with: newValue.bytes) }
  }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }
  public mutating func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> R
  ) rethrows -> R { try bytes.withUnsafeMutableBytes(body) }
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with other: C)
  where C.Element == UInt8 {}
  public struct ReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let mappedIfSafe = ReadingOptions(rawValue: 1)
  }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let atomic = WritingOptions(rawValue: 1)
  }
}

public struct URL: Hashable, Codable, Sendable, CustomStringConvertible {
  private var text = ""
  public init?(string: String) { text = string }
  public init(fileURLWithPath path: String) { text = path }
  public init(filePath path: String) { text = path }
  public enum DirectoryHint: Sendable {
    case isDirectory, notDirectory, checkFileSystem, inferFromPath
  }
  public var path: String { text }
  public var absoluteString: String { text }
  public var relativeString: String { text }
  public var baseURL: URL? { nil }
  public var lastPathComponent: String { text }
  public var pathExtension: String { text }
  public var description: String { text }
  public func path(percentEncoded: Bool = true) -> String { text }
  public func appendingPathComponent(_ component: String) -> URL { self }
  public func appending(path: String, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
  public func appending(component: String, directoryHint: DirectoryHint = .inferFromPath) -> URL {
    self
  }
  public func appendingPathExtension(_ text: String) -> URL { self }
  public func deletingLastPathComponent() -> URL { self }
  public func deletingPathExtension() -> URL { self }
  public mutating func append(queryItems: [URLQueryItem]) {}
  public static var cachesDirectory: URL { URL(filePath: "") }
  public static var temporaryDirectory: URL { URL(filePath: "") }
}

public struct URLQueryItem: Hashable, Sendable {
  public init(name: String, value: String?) {}
}

public struct URLRequest: Hashable, Sendable {
  public enum CachePolicy: Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
  public var httpMethod: String?
  public var httpBody: Data?
  public init(
    url: URL,
    cachePolicy: CachePolicy = .useProtocolCachePolicy,
    timeoutInterval: TimeInterval = 60
  ) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { 200 }
}

open class URLSession: NSObject, @unchecked Sendable {
  open class var shared: URLSession { URLSession() }
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    (Data(), URLResponse())
  }
}

public struct Decimal: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  private var number = 0
  public init() {}
  public init(_ value: Int) { number = value }
  public init?(string: String) {}
  public var isNaN: Bool { false }
  public var description: String { "" }
  public static func < (left: Decimal, right: Decimal) -> Bool { false }
}

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
  var recoverySuggestion: String? { get }
}
extension LocalizedError {
  public var errorDescription: String? { nil }
  public var failureReason: String? { nil }
  public var recoverySuggestion: String? { nil }
}
extension Error { public var localizedDescription: String { "" } }

public struct CocoaError: Error, Hashable {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let fileNoSuchFile = Code(rawValue: 4)
    public static let fileReadNoPermission = Code(rawValue: 257)
    public static let fileReadNoSuchFile = Code(rawValue: 260)
  }
  public var code: Code
  public init(_ code: Code) { self.code = code }
}

open class JSONEncoder: @unchecked Sendable {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
  }
  public enum DateEncodingStrategy: Sendable { case deferredToDate, secondsSince1970, iso8601 }
  public enum NonConformingFloatEncodingStrategy: Sendable {
    case `throw`
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }
  public init() {}
  open var outputFormatting: OutputFormatting = []
  open var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
  open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
  open var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

open class JSONDecoder: @unchecked Sendable {
  public enum DateDecodingStrategy: Sendable { case deferredToDate, secondsSince1970, iso8601 }
  public enum DataDecodingStrategy: Sendable { case deferredToData, base64 }
  public enum NonConformingFloatDecodingStrategy: Sendable {
    case `throw`
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }
  public init() {}
  open var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
  open var dataDecodingStrategy: DataDecodingStrategy = .base64
  open var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
  open var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    throw CocoaError(.fileNoSuchFile)
  }
}

public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol { public init() {} }

public struct FileAttributeKey: Hashable, Sendable {
  public static let size = FileAttributeKey()
  public static let posixPermissions = FileAttributeKey()
}

open class FileManager: @unchecked Sendable {
  public static var `default`: FileManager { FileManager() }
  public struct DirectoryEnumerationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let skipsHiddenFiles = DirectoryEnumerationOptions(rawValue: 4)
  }
  public var temporaryDirectory: URL { .temporaryDirectory }
  open func fileExists(atPath path: String) -> Bool { false }
  open func createDirectory(
    at url: URL,
    withIntermediateDirectories: Bool,
    attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createFile(
    atPath path: String,
    contents: Data?,
    attributes: [FileAttributeKey: Any]? = nil
  ) -> Bool { false }
  open func contents(atPath path: String) -> Data? { nil }
  open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
  open func removeItem(at url: URL) throws {}
  open func removeItem(atPath path: String) throws {}
  open func moveItem(at from: URL, to: URL) throws {}
  open func replaceItemAt(_ original: URL, withItemAt new: URL) throws -> URL? { nil }
  open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
}

open class UserDefaults: NSObject {
  public static var standard: UserDefaults { UserDefaults() }
  public override init() { super.init() }
  public init?(suiteName: String?) {}
  open func data(forKey name: String) -> Data? { nil }
  open func set(_ value: Any?, forKey name: String) {}
}

public class ProcessInfo: @unchecked Sendable {
  public static var processInfo: ProcessInfo { ProcessInfo() }
  public var environment: [String: String] { [:] }
  public var processIdentifier: Int32 { 0 }
  public var systemUptime: TimeInterval { 0 }
  public var activeProcessorCount: Int { 1 }
  #if !os(macOS)
  public func performExpiringActivity(
    withReason reason: String,
    using block: @escaping @Sendable (Bool) -> Void
  ) {}
  #endif
}

open class Bundle: @unchecked Sendable {
  public static var main: Bundle { Bundle() }
  init() {}
  open var bundleIdentifier: String? { nil }
  open var bundlePath: String { "" }
}

public protocol NSLocking {
  func lock()
  func unlock()
}
open class NSLock: NSLocking, @unchecked Sendable {
  public init() {}
  open func lock() {}
  open func unlock() {}
  public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

public struct Notification {
  public struct Name: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }
  public var name: Name
  public var object: Any?
}
@available(*, unavailable)
extension Notification: Sendable {}
public typealias NSNotification = Notification

open class OperationQueue: @unchecked Sendable {
  public init() {}
  public static var main: OperationQueue { OperationQueue() }
}

open class NotificationCenter: @unchecked Sendable {
  public static var `default`: NotificationCenter { NotificationCenter() }
  open func addObserver(
    forName name: Notification.Name?,
    object: Any?,
    queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { NSObject() }
  open func removeObserver(_ observer: Any) {}
  open func post(name: Notification.Name, object: Any?) {}
  public func notifications(named name: Notification.Name) -> Notifications { Notifications() }
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    public typealias Element = Notification
    public typealias Failure = Never
    public struct AsyncIterator: AsyncIteratorProtocol {
      public mutating func next() async -> Notification? { nil }
    }
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }
}

extension String {
  public struct Encoding: Hashable, Sendable {
    public static let utf8 = Encoding()
  }
  public init?(data: Data, encoding: Encoding) { return nil }
  public func data(using encoding: Encoding) -> Data? { nil }
  public init(format: String, _ arguments: any CVarArg...) { self = format }
}
extension StringProtocol {
  public var precomposedStringWithCanonicalMapping: String { String(self) }
  public var decomposedStringWithCanonicalMapping: String { String(self) }
}
