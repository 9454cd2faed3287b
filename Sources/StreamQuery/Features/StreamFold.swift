/// Folds the elements of a stream into a value, and shows the value after each element.
///
/// Readers share the storage of the value that is shown, so folding an element into it would copy the whole
/// value each time. Therefore the fold has a second value, which lacks the newest element. When the next
/// element arrives, readers have usually released the state that this value had when it was shown. So both
/// elements are folded into it in place, and the two values change roles. Each element is folded twice, and
/// none costs a copy. A reader that keeps an earlier state costs one copy.
struct StreamFold<Value: Sendable, Element> {
  private let base: Value
  private let reduce: (inout Value, Element) -> Void
  /// The state without the newest element, into which the next element is folded.
  private var behind: Value
  /// The newest element, not yet in ``behind``; `nil` if ``behind`` cannot be used.
  private var lacking: Element?
  /// The newest state, in the box that the cache shows.
  private var shown: ValueBox?
  /// The state before the newest element was folded in.
  private var former: Value

  /// Creates a fold.
  ///
  /// - Parameters:
  ///   - base: The value into which the first element is folded.
  ///   - reduce: Folds an element into a value.
  init(over base: Value, _ reduce: @escaping (inout Value, Element) -> Void) {
    self.base = base
    self.reduce = reduce
    behind = base
    former = base
  }

  /// Folds an element into the cached value; runs user code.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - present: The cached value; `nil` means the base.
  /// - Returns: The next state, to be shown.
  mutating func folding(_ element: Element, into present: ValueBox?) -> ValueBox {
    former = present?.value(as: Value.self) ?? base
    if let lacking, let present, present === shown {
      reduce(&behind, lacking)
    } else {
      behind = former
    }
    lacking = nil
    reduce(&behind, element)
    return TypedBox(behind)
  }

  /// Prepares for the next element, because a state was shown.
  ///
  /// - Parameters:
  ///   - box: The state.
  ///   - element: The newest element of that state.
  mutating func showed(_ box: ValueBox, with element: Element) {
    // A copy of a class instance is the same object, into which each element would be folded twice.
    guard !(Value.self is AnyObject.Type) else { return }
    swap(&behind, &former)
    (shown, lacking) = (box, element)
  }
}

/// The data of the cache when a streamed fetch started, from which its retries and its restarts
/// begin.
final class StreamStart: FetchProgress {
  let base: ValueBox?
  /// Whether the fetch has shown elements since its start; the next start replaces these elements.
  let hasShown: Bool
  /// Whether ``base`` is the data that an earlier fetch found at its start; this fetch is its restart.
  let isInherited: Bool
  /// Whether the whole stream was shown, so that the cached value is the answer, with updates that were
  /// written meanwhile.
  let joins: Bool

  init(
    base: ValueBox?,
    hasShown: Bool = false,
    isInherited: Bool = false,
    joins: Bool = false
  ) {
    self.base = base
    self.hasShown = hasShown
    self.isInherited = isInherited
    self.joins = joins
  }

  func restarted() -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown, isInherited: true)
  }

  /// The start of another attempt: the same data, because the stream ended and its value was refused.
  func refused() -> StreamStart {
    StreamStart(base: base, hasShown: hasShown, isInherited: isInherited)
  }

  /// The start of another run of the fetch in the same attempt: the same data, because the cached data now
  /// contains elements of the stream.
  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown)
  }

  func landed(on present: ValueBox?) -> ValueBox? { present }
}

/// Measures how long a stream has delivered while callers wait for its end; the end may never come.
struct StreamWait {
  /// The time after which a stream is suspected to have no end.
  ///
  /// Answers that are written while a user reads take less time, and so do most downloads.
  static var limit: TimeSpan { TimeSpan(.seconds(300)) }

  private var start: Instant?

  /// Records that an element arrived.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether the stream has delivered for too long for callers that wait for its end.
  mutating func isSuspicious(at now: Instant) -> Bool {
    let start = start ?? now
    self.start = start
    return (start + Self.limit).map { now >= $0 } ?? false
  }
}
