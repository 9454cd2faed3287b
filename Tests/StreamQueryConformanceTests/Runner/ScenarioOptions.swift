import StreamQuery
import StreamQueryTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QueryOptions {
  /// The options that a scenario writes in the reference's terms.
  init(_ json: JSON) {
    self.init(
      staleTime: json["staleTime"].map(StaleTime.init),
      gcTime: json["gcTime"].map(duration),
      retry: RetryPolicy(json["retry"], delay: json["retryDelay"]),
      networkMode: json["networkMode"]?.string.flatMap(NetworkMode.init),
      enabled: json["enabled"].map(EnabledPolicy.init),
      refetchOnSubscribe: json["refetchOnMount"].map(RefetchPolicy.init),
      refetchOnReconnect: json["refetchOnReconnect"].map(RefetchPolicy.init),
      refetchOnActive: json["refetchOnFocus"].map(RefetchPolicy.init),
      refetchInterval: json["refetchInterval"].map(RefetchInterval.init),
      refetchIntervalInBackground: json["refetchIntervalInBackground"]?.bool.map {
        BackgroundInterval(booleanLiteral: $0)
      },
      retryOnSubscribe: json["retryOnMount"]?.bool.map(RetryOnSubscribePolicy.fixed)
    )
  }
}

extension Simulation {
  /// The date of a scenario's millisecond.
  static func date(_ milliseconds: Int) -> Date { startDate + Double(milliseconds) / 1_000 }

  /// The scenario's millisecond of a date.
  static func milliseconds(_ date: Date) -> JSON {
    .int(Int(exactly: (date.timeIntervalSince(startDate) * 1_000).rounded()) ?? .max)
  }
}

private func duration(_ json: JSON) -> Duration {
  json.int.map { .milliseconds($0) } ?? .seconds(1e11)
}

extension StaleTime {
  fileprivate init(_ json: JSON) {
    self = json == "static" ? .static : json == "infinity" ? .infinite : .after(duration(json))
  }
}

extension EnabledPolicy {
  fileprivate init(_ json: JSON) {
    self = json.bool.map(EnabledPolicy.fixed) ?? .when { $0.data == nil }
  }
}

extension RefetchPolicy {
  fileprivate init(_ json: JSON) {
    self = json == "always" ? .always : json == true ? .ifStale : .never
  }
}

extension RefetchInterval {
  fileprivate init(_ json: JSON) {
    if let milliseconds = json.int {
      self = .every(.milliseconds(milliseconds))
    } else if let every = json["every"]?.int, let limit = json["untilUpdates"]?.int {
      self = .dynamic { $0.dataUpdateCount < limit ? .milliseconds(every) : nil }
    } else {
      self = .off
    }
  }
}

extension RetryPolicy {
  /// How often and how long are two options in the reference, and two halves of one with us.
  fileprivate init?(_ json: JSON?, delay: JSON?) {
    let backoff = delay.flatMap { RetryBackoff($0) }
    guard let json else {
      guard let backoff else { return nil }
      self = .backoff(backoff)
      return
    }
    self =
      if let count = json.int {
        .times(count)
      } else if let isOn = json.bool {
        isOn ? .forever : .never
      } else {
        .while { [max = json["max"]?.int ?? 0, unless = json["unless"]?.string] failures, error in
          failures < max && message(of: error) != unless
        }
      }
    if let backoff { self = self.backoff(backoff) }
  }
}

extension RetryBackoff {
  fileprivate init?(_ delay: JSON) {
    if let milliseconds = delay.int {
      self = .constant(.milliseconds(milliseconds))
    } else if let base = delay["base"]?.int {
      let limit = delay["max"]?.int.map { Duration.milliseconds($0) } ?? .seconds(1e9)
      let factor = Double(delay["factor"]?.description ?? "2") ?? 2
      self = .exponential(first: .milliseconds(base), factor: factor, limit: limit)
    } else {
      return nil
    }
  }
}
