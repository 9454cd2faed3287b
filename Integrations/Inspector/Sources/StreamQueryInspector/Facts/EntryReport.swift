internal import Foundation
@_spi(Adapters) internal import StreamQuery

/// The facts about one entry: the answer of `GET /detail`.
struct EntryReport: Encodable {
  struct Option: Encodable, Equatable {
    var name: String
    var value: String
    var from: String

    init(_ option: EntryDetail.Option) {
      name = option.name
      value = option.value
      from =
        switch option.layer {
        case .query: "query"
        case .prefix(let key): "prefix \(key)"
        case .client: "client"
        case .standard: "default"
        }
    }
  }

  struct Observers: Encodable, Equatable {
    var text: String
    var count: Int
  }

  /// The maximum size of data that the page shows, in bytes of JSON.
  static let dataLimit = 1 << 20

  var key: String
  var type: String
  var options: [Option]
  var observers: [Observers]
  var waiters: Int
  /// The size of the data in bytes of JSON; `nil` without `Encodable` data, or if the page may not show data.
  var size: Int?
  /// The data as a JSON text, so that the page rounds no numbers; `nil` if `size` is `nil` or above
  /// ``dataLimit``.
  var dataText: String?
  /// The same for the data without the changes of mutations, which an edit replaces.
  var baseText: String?
  /// Whether mutations change the data; if not, `dataText` is what an edit replaces.
  private var isOptimistic = false

  init(_ info: QueryInfo, _ detail: EntryDetail, showsData: Bool) {
    key = "\(info.key)"
    type = info.valueTypeName
    options = detail.options.map(Option.init)
    observers = detail.observers.map { Observers(text: $0.text, count: $0.count) }
    waiters = info.waiterCount
    guard showsData else { return }
    isOptimistic = info.isOptimistic
    if isOptimistic { baseText = Self.json(of: info.baseData).flatMap(Self.text) }
    guard let json = Self.json(of: info.data) else { return }
    size = json.count
    dataText = Self.text(json)
  }

  private static func json(of data: (any Sendable)?) -> Data? {
    guard let value = data as? any Encodable else { return nil }
    return try? InspectorJSON.encoder.encode(Erased(value: value))
  }

  private static func text(_ json: Data) -> String? {
    json.count <= dataLimit ? String(decoding: json, as: UTF8.self) : nil
  }

  private enum CodingKeys: CodingKey {
    case key, type, options, observers, waiters, size, dataText, baseText
  }

  private struct Erased: Encodable {
    var value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(type, forKey: .type)
    try container.encode(options, forKey: .options)
    try container.encode(observers, forKey: .observers)
    try container.encode(waiters, forKey: .waiters)
    try container.encode(size, forKey: .size)
    try container.encode(dataText, forKey: .dataText)
    if isOptimistic { try container.encode(baseText, forKey: .baseText) }
  }
}
