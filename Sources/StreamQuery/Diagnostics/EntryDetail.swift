/// The facts about an entry that developer tools show beside its ``QueryInfo``.
@_spi(Adapters) public struct EntryDetail: Hashable, Sendable {
  /// An option of the entry's query.
  public struct Option: Hashable, Sendable {
    /// The name of the option, such as `staleTime`.
    public var name: String
    /// The value in words, such as `5 min`.
    public var value: String
    /// The layer that sets the option.
    public var layer: Layer
  }

  /// A layer of options; an earlier case wins over a later one.
  public enum Layer: Hashable, Sendable {
    /// The query itself.
    case query
    /// The defaults of a prefix.
    case prefix(AnyQueryKey)
    /// The defaults of the client.
    case client
    /// No layer sets the option.
    case standard
  }

  /// Observers of the entry with the same options.
  public struct Observers: Hashable, Sendable {
    /// The options of these observers, in words.
    public var text: String
    /// The number of observers.
    public var count: Int
  }

  /// The options of the entry's newest query that has a fetch closure, in the order of ``QueryOptions``.
  public var options: [Option]
  /// The observers.
  public var observers: [Observers]
}

extension EntryDetail {
  /// All options of an entry: each from the first layer that sets it, or with its standard value.
  ///
  /// - Parameter layers: The layers with their options, the one that wins first.
  /// - Returns: The options.
  static func options(of layers: [(layer: Layer, options: QueryOptions)]) -> [Option] {
    var found: [String: Option] = [:]
    for (layer, options) in layers {
      for (name, value) in options.words where found[name] == nil {
        found[name] = Option(name: name, value: value, layer: layer)
      }
    }
    return standard.map { name, value in
      found[name] ?? Option(name: name, value: value, layer: .standard)
    }
  }

  /// The values of options that no layer sets, in words.
  ///
  /// A query with other standard values adds them as a layer.
  private static let standard = [
    ("staleTime", "0 s"), ("gcTime", "5 min"), ("retry", "3 times"), ("networkMode", "online"),
    ("retryOnSubscribe", "yes"), ("enabled", "yes"), ("refetchOnSubscribe", "ifStale"),
    ("refetchOnReconnect", "ifStale"), ("refetchOnActive", "ifStale"), ("refetchInterval", "none"),
    ("refetchIntervalInBackground", "off"), ("onAbandonment", "cancel"), ("meta", "none"),
    ("throwOnError", "no"), ("sharing", "automatic"), ("staleIfError", "0 s"),
    ("softTimeout", "none"),
    ("timeout", "none"), ("cachesFailures", "off"), ("refreshAhead", "off"),
  ]
}

extension QueryOptions {
  /// The options that are set, by name, in words.
  fileprivate var words: [(name: String, value: String)] {
    var named = Mirror(reflecting: self).children.filter { $0.label != "serving" }
    if let serving { named += Array(Mirror(reflecting: serving.values).children) }
    return named.compactMap { child in
      guard let name = child.label, let value = OptionWords.unwrapped(child.value) else {
        return nil
      }
      return (name, OptionWords.words(for: value))
    }
  }
}

extension ResolvedObserverOptions {
  /// The options for which the observer asks, in words.
  var words: String {
    var facts: [String] = []
    switch participation {
    case .enabled: facts.append("enabled")
    case .disabled: facts.append("disabled")
    case .restoring: facts.append("waits for a store")
    }
    switch freshness {
    case .static: facts.append("never stale")
    case .after(let span) where span.isInfinite: facts.append("stale when invalidated")
    case .after(let span): facts.append("stale after \(OptionWords.words(for: span))")
    }
    if !interval.isInfinite { facts.append("every \(OptionWords.words(for: interval))") }
    if onSubscribe != .ifStale { facts.append("refetches \(onSubscribe) when it comes") }
    return facts.joined(separator: ", ")
  }
}
