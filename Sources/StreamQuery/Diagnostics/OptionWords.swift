/// Describes the value of an option in words, whatever its type.
///
/// Developer tools show the words. Options are small trees of structures and enums around numbers, spans
/// and functions. One function reads the parts of all of them, so options that are added later need no code
/// here.
enum OptionWords {
  /// Returns the words for an option.
  ///
  /// - Parameter value: The option.
  /// - Returns: The words, such as `5 min` or `ifStale`; `a function` for what only user code knows.
  static func words(for value: Any) -> String {
    switch value {
    case let isOn as Bool: return isOn ? "yes" : "no"
    case let duration as Duration: return words(for: duration)
    case let span as TimeSpan: return span.isInfinite ? "for ever" : words(for: span.duration)
    case let meta as QueryMeta where meta.isEmpty: return "none"
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      return mirror.children.first.map { words(for: $0.value) } ?? "none"
    case .enum:
      guard let payload = mirror.children.first else { return "\(value)" }
      let inner = words(for: payload.value)
      switch payload.label ?? "" {
      case "times": return "\(inner) times"
      case "fixed", "after", "every", "asked", "awaited", "when", "dynamic": return inner
      case let label: return "\(label) \(inner)"
      }
    case .struct, .tuple:
      let parts = mirror.children.compactMap { part in
        unwrapped(part.value).map { (part.label ?? "", words(for: $0)) }
      }.filter { !["0", "no", "none"].contains($0.1) }
      if parts.count == 1 { return parts[0].1 }
      return parts.isEmpty ? "none" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    case .dictionary, .collection, .set:
      return mirror.children.isEmpty ? "none" : "\(mirror.children.count) values"
    default:
      return "\(type(of: value))".contains("->") ? "a function" : "\(value)"
    }
  }

  /// Returns the value in an optional; `nil` if there is none.
  ///
  /// - Parameter value: A value of any type, optional or not.
  /// - Returns: The value.
  static func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first?.value
  }

  /// Returns the words for a duration, in the largest unit of which it is a whole number.
  private static func words(for duration: Duration) -> String {
    let span = TimeSpan(duration)
    if span.isInfinite { return "for ever" }
    let duration = span.duration
    let (seconds, attoseconds) = duration.components
    guard attoseconds == 0 else {
      let milliseconds = duration / .milliseconds(1)
      let whole = milliseconds.rounded()
      return whole == milliseconds ? "\(Int64(whole)) ms" : "\(milliseconds) ms"
    }
    let units: [(length: Int64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min")]
    for unit in units where seconds != 0 && seconds % unit.length == 0 {
      return "\(seconds / unit.length) \(unit.name)"
    }
    return "\(seconds) s"
  }
}
