/// The rows of a record's tables in the format.
enum RecordCoding {
  /// `[number, text]`.
  struct TextRow: Codable {
    var number: Int
    var text: String

    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }

    init(from decoder: any Decoder) throws {
      var row = try decoder.unkeyedContainer()
      number = try row.decode(Int.self).counted(from: 1)
      text = try row.decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      var row = encoder.unkeyedContainer()
      try row.encode(number.counted(from: 1))
      try row.encode(text)
    }
  }

  /// `[number, text, value type, parts, base]`.
  struct KeyRow: Codable {
    var row: QueryRecord.Key

    init(row: QueryRecord.Key) { self.row = row }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      row = QueryRecord.Key(
        number: try list.decode(Int.self).counted(from: 1),
        text: try list.decode(String.self),
        valueType: try list.decode(String.self),
        parts: try list.decode([PartValue].self).map(\.part),
        base: try list.decodeState()
      )
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      guard row.parts.allSatisfy({ $0.nests(within: PartValue.levels) }) else {
        throw QueryRecordError.malformed("key \(row.number) nests too deeply")
      }
      try list.encode(row.number.counted(from: 1))
      try list.encode(row.text)
      try list.encode(row.valueType)
      try list.encode(row.parts.map { PartValue(part: $0) })
      try list.encode(state: row.base)
    }
  }

  /// `[number, mutation, scope or null, status or null, started]`.
  struct RunRow: Codable {
    var row: QueryRecord.Run

    init(row: QueryRecord.Run) { self.row = row }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      let number = try list.decode(Int.self).counted(from: 1)
      let mutation = try list.decode(String.self)
      let scope = try list.decodeNil() ? nil : list.decode(String.self)
      let code = try list.decodeNil() ? nil : list.decode(UInt8.self)
      row = QueryRecord.Run(
        number: number,
        mutation: mutation,
        scope: scope,
        started: try Duration(recorded: list.decode(Int64.self)),
        base: code.map { QueryRecord.RunStatus(after: RecordCode(rawValue: $0) ?? .runStarted) }
      )
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(row.number.counted(from: 1))
      try list.encode(row.mutation)
      if let scope = row.scope { try list.encode(scope) } else { try list.encodeNil() }
      if let base = row.base { try list.encode(base.code.rawValue) } else { try list.encodeNil() }
      try list.encode(row.started.recorded)
    }
  }

  /// `[number, {"staleTime": …}]`.
  struct OptionsRow: Codable {
    var row: QueryRecord.Options

    private enum Member: String, CodingKey {
      case staleTime, gcTime, retry, enabled, refetchInterval
    }

    init(row: QueryRecord.Options) { self.row = row }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      let number = try list.decode(Int.self).counted(from: 1)
      let object = try list.nestedContainer(keyedBy: Member.self)
      row = QueryRecord.Options(
        number: number,
        staleTime: try object.decode(SpanValue.self, forKey: .staleTime).span,
        gcTime: try object.decode(SpanValue.self, forKey: .gcTime).span
      )
      row.retry = try object.decodeIfPresent(String.self, forKey: .retry)
      row.isEnabled = try? object.decode(Bool.self, forKey: .enabled)
      row.refetchInterval = try object.decodeIfPresent(SpanValue.self, forKey: .refetchInterval)?
        .span
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(row.number.counted(from: 1))
      var object = list.nestedContainer(keyedBy: Member.self)
      try object.encode(SpanValue(span: row.staleTime), forKey: .staleTime)
      try object.encode(SpanValue(span: row.gcTime), forKey: .gcTime)
      try object.encodeIfPresent(row.retry, forKey: .retry)
      if let isEnabled = row.isEnabled {
        try object.encode(isEnabled, forKey: .enabled)
      } else {
        try object.encode("dynamic", forKey: .enabled)
      }
      let interval = row.refetchInterval.map { SpanValue(span: $0) }
      try object.encodeIfPresent(interval, forKey: .refetchInterval)
    }
  }

  /// A length of time, as a number of microseconds or as a word such as `never`.
  struct SpanValue: Codable {
    var span: QueryRecord.Span

    init(span: QueryRecord.Span) { self.span = span }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      guard let word = try? value.decode(String.self) else {
        span = .after(try Duration(recorded: value.decode(Int64.self).counted()))
        return
      }
      span =
        switch word {
        case "never": .never
        case "static": .static
        // A word of a later version counts as `dynamic`, too.
        default: .dynamic
        }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch span {
      case .after(let duration): try value.encode(duration.recorded.counted())
      case .never: try value.encode("never")
      case .static: try value.encode("static")
      case .dynamic: try value.encode("dynamic")
      }
    }
  }

  /// A part of a key as JSON.
  struct PartValue: Codable {
    /// The maximum number of levels of lists and fields in one part; a part is itself inside four other
    /// levels.
    static let levels = KeyNesting.value - 4

    var part: QueryRecord.Part

    init(part: QueryRecord.Part) { self.part = part }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        part = .null
      } else if let text = try? value.decode(String.self) {
        part = .text(text)
      } else if let flag = try? value.decode(Bool.self) {
        part = .bool(flag)
      } else if let number = try? value.decode(Int.self) {
        part = .int(number)
      } else if let number = try? value.decode(Double.self) {
        guard number.isFinite else { throw QueryRecordError.malformed("a number is not finite") }
        part = .number(number)
      } else if let list = try? value.decode([PartValue].self) {
        part = .list(list.map(\.part))
      } else {
        part = .fields(try value.decode([String: PartValue].self).mapValues(\.part))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch part {
      case .null: try value.encodeNil()
      case .bool(let flag): try value.encode(flag)
      case .int(let number): try value.encode(number)
      case .number(let number): try value.encode(number)
      case .text(let text): try value.encode(text)
      case .list(let list): try value.encode(list.map { PartValue(part: $0) })
      case .fields(let fields): try value.encode(fields.mapValues { PartValue(part: $0) })
      }
    }
  }
}

extension QueryRecord.Part {
  /// Whether the part has at most this many levels of lists and fields.
  fileprivate func nests(within levels: Int) -> Bool {
    switch self {
    case .null, .bool, .int, .number, .text: true
    case .list(let list): levels > 0 && list.allSatisfy { $0.nests(within: levels - 1) }
    case .fields(let fields):
      levels > 0 && fields.values.allSatisfy { $0.nests(within: levels - 1) }
    }
  }
}

// MARK: - States

extension UnkeyedEncodingContainer {
  mutating func encode(state: QueryRecord.State?) throws {
    guard let state else { return try encodeNil() }
    var list = nestedUnkeyedContainer()
    try list.encode(state.bits)
    try list.encode(counts: state.observerCount, state.waiterCount)
    if let time = state.updatedAt { try list.encode(time.recorded) } else { try list.encodeNil() }
    try list.encode(counts: state.dataUpdateCount, state.failureCount, state.options ?? 0)
  }

  /// Encodes the code of an event, and its details.
  mutating func encode(_ code: RecordCode, _ details: Int...) throws {
    try encode(Int(code.rawValue))
    for detail in details { try encode(detail.counted()) }
  }

  /// Encodes counts, and checks that each is within the range of the format.
  mutating func encode(counts: Int...) throws {
    for count in counts { try encode(count.counted()) }
  }
}

extension UnkeyedDecodingContainer {
  mutating func decodeState() throws -> QueryRecord.State? {
    guard try !decodeNil() else { return nil }
    var list = try nestedUnkeyedContainer()
    var state = QueryRecord.State(bits: try list.decode(Int.self).counted())
    state.observerCount = try list.decode(Int.self).counted()
    state.waiterCount = try list.decode(Int.self).counted()
    state.updatedAt =
      try list.decodeNil() ? nil : Duration(recorded: list.decode(Int64.self))
    state.dataUpdateCount = try list.decode(Int.self).counted()
    state.failureCount = try list.decode(Int.self).counted()
    let options = try list.decode(Int.self).counted()
    state.options = options == 0 ? nil : options
    return state
  }

  /// Decodes a count, and checks that it is within the range of the format.
  mutating func decodeCount() throws -> Int { try decode(Int.self).counted() }

  mutating func decodeWait() throws -> Duration {
    try Duration(recorded: decode(Int64.self).counted())
  }
}
