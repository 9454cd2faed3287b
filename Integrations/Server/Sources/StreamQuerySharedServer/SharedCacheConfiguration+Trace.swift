import StreamQueryServer
public import StreamQueryShared
import Tracing

extension SharedCacheConfiguration {
  /// Adds the source of each fetch's answer to its span, for a client that
  /// ``StreamQueryServer/QueryTracing`` traces.
  ///
  /// | attribute | |
  /// |---|---|
  /// | `streamquery.shared` | `hit`: the fetch took the store's entry; `led`: it asked upstream for all machines; `followed`: it waited for another machine; `alone`: it asked upstream for this machine alone |
  /// | `streamquery.shared.reason` | why the fetch asked upstream for this machine alone |
  ///
  /// If a fetch did several of these, the last one counts; but a fetch that waited, and then took the other
  /// machine's entry, has `followed`.
  public mutating func trace() {
    eventReceivers.append { event in
      guard let span = QueryTracing.currentSpan else { return }
      switch event {
      case .hit:
        if span.attributes.get("streamquery.shared") != .string("followed") {
          span.attributes["streamquery.shared"] = "hit"
        }
      case .leads: span.attributes["streamquery.shared"] = "led"
      case .follows: span.attributes["streamquery.shared"] = "followed"
      case .alone(_, let reason):
        span.attributes["streamquery.shared"] = "alone"
        span.attributes["streamquery.shared.reason"] = reason.rawValue
        return
      case .committed, .outdated, .unreadable, .failedElsewhere, .followsLog, .invalidated, .gap,
        .untrusted, .storeAway, .storeBack, .releasedWhileAway:
        return
      }
      // The fetch may have been `alone` before, and that reason is not true any more.
      span.attributes["streamquery.shared.reason"] = nil
    }
  }
}
