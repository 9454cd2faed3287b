internal import StreamQuery

/// The facts about one key at a moment, in words.
struct KeyDetail: Hashable, Sendable {
  /// An event about the key.
  struct Line: Hashable, Sendable, Identifiable {
    /// The number of the event.
    let id: Int
    let text: String
    /// The time between the event and the moment.
    let ago: String
    /// The reason for the fetch that the event has started; `nil` if it has started none.
    let reason: String?
  }

  /// An option and its value.
  struct Option: Hashable, Sendable, Identifiable {
    let name: String
    let value: String

    var id: String { name }
  }

  /// The maximum number of events that are listed.
  static let lineLimit = 200

  let title: String
  let valueType: String
  /// The state; `nil` if the key has no entry at the moment.
  let row: RecordReplay.KeyRow?
  /// The error of the newest fetch or attempt; `nil` if that has not failed.
  let error: String?
  /// The reason for the newest fetch, as an answer to *Why did this refetch?*; `nil` if there was none.
  let why: String?
  /// The answer to *Who observes this?* in a sentence: the number of observers and waiting callers.
  let who: String
  /// The mutations with optimistic changes of the data.
  let optimisticChanges: [String]
  let options: [Option]
  /// The newest events, newest first.
  let lines: [Line]
  /// Whether the key has older events than those in `lines`.
  let hasEarlierLines: Bool

  /// Describes a key; `nil` if the replay does not know it.
  ///
  /// - Complexity: The number of events about the key.
  init?(of key: Int, in replay: RecordReplay, at moment: RecordReplay.Moment) {
    guard let known = replay.keys[key]?.row else { return nil }
    let row = replay.row(of: key, at: moment)
    let history = replay.history(of: key, at: moment)
    (title, valueType) = (known.text, known.valueType)
    self.row = row
    error = row.flatMap { Self.error(of: $0.state, history, in: replay) }
    why = history.lazy.compactMap { replay.whyFetched($0.number) }.first
    who = replay.whoObserves(key, at: moment)
    optimisticChanges = replay.layers(on: key, at: moment).map {
      replay.runs[$0]?.row.mutation ?? "a mutation"
    }
    options = row?.state.options.flatMap { replay.options[$0] }.map(Self.options) ?? []
    hasEarlierLines = history.count > Self.lineLimit || replay.hasFormerEvents(of: key)
    lines = history.prefix(Self.lineLimit).map { event in
      Line(
        id: event.number,
        text: replay.line(of: event),
        ago: (moment.time - event.time).spanText,
        reason: event.kind.startsFetch ? replay.whyFetched(event.number) : nil
      )
    }
  }

  private static func error(
    of state: QueryRecord.State,
    _ history: [QueryRecord.Event],
    in replay: RecordReplay
  ) -> String? {
    guard state.status == .error || state.failureCount > 0 else { return nil }
    for event in history {
      guard case .entry(let step, _, _) = event.kind else { continue }
      switch step {
      case .attemptFailed(_, _, _, let error), .fetchFailed(_, let error):
        return replay.text(ofError: error)
      case .fetchSucceeded, .written, .reset, .added: return nil
      case .changed, .removed, .observed, .unobserved, .fetchStarted, .fetchPaused, .fetchResumed,
        .fetchCancelled, .invalidated, .servedStale, .layered, .unlayered, .adopted:
        continue
      }
    }
    return state.status == .error ? "an error that is not in the record" : nil
  }

  private static func options(_ options: QueryRecord.Options) -> [Option] {
    var list = [
      Option(name: "staleTime", value: options.staleTime.text),
      Option(name: "gcTime", value: options.gcTime.text),
    ]
    if let retry = options.retry { list.append(Option(name: "retry", value: retry)) }
    list.append(
      Option(name: "enabled", value: options.isEnabled.map { "\($0)" } ?? "a function decides")
    )
    if let interval = options.refetchInterval {
      list.append(Option(name: "refetchInterval", value: interval.text))
    }
    return list
  }
}

extension QueryRecord.Kind {
  fileprivate var startsFetch: Bool {
    if case .entry(.fetchStarted, _, _) = self { true } else { false }
  }
}

extension QueryRecord.Span {
  fileprivate var text: String {
    switch self {
    case .after(let span): span > .zero ? span.spanText : "0 s"
    case .never: "without end"
    case .static: "static"
    case .dynamic: "a function decides"
    }
  }
}
