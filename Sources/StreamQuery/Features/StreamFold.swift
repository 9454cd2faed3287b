/// Folds the elements of a stream into a value whose every state is shown.
///
/// The state that is shown shares its storage with its readers, so folding an element into it would copy
/// all of it, each time. A second value is one element behind. When the next element arrives, readers
/// have usually let go of that earlier state: both elements are folded into it in place, and the two
/// values change their roles. Each element is folded twice, and none costs the size of the value. A
/// reader that keeps an earlier state costs one copy.
struct StreamFold<Value: Sendable, Element> {
  private let base: Value
  private let reduce: (inout Value, Element) -> Void
  /// The state that lacks the newest element, and is folded into next.
  private var behind: Value
  /// The newest element; `nil` if ``behind`` is no state.
  private var lacking: Element?
  /// The newest state.
  private var shown: ValueBox?
  /// The state into which the newest element was folded.
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

  /// Folds an element into what is cached; runs user code.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - present: The cached value; `nil` is the base.
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

  /// The state was shown.
  ///
  /// - Parameters:
  ///   - box: The state.
  ///   - element: Its newest element.
  mutating func showed(_ box: ValueBox, with element: Element) {
    // An object would be folded into twice.
    guard !(Value.self is AnyObject.Type) else { return }
    swap(&behind, &former)
    (shown, lacking) = (box, element)
  }
}

/// The data that a streamed fetch found when it started: its retries start from there, and so does
/// the fetch if it is restarted.
final class StreamStart: FetchProgress {
  let base: ValueBox?
  /// Whether the fetch has shown anything since, which its next start replaces.
  let hasShown: Bool
  /// Whether it was found by the fetch that this one restarts.
  let isInherited: Bool
  /// Whether all of the stream was shown: the cache has the value, updates included.
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

  /// The data holds what the stream has shown, and is no base any more.
  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)? {
    StreamStart(base: base, hasShown: hasShown)
  }

  func landed(on present: ValueBox?) -> ValueBox? { present }
}

/// How long a stream has delivered that is expected to end: if callers still wait for its end, it may
/// have none.
struct StreamWait {
  /// The time after which that is suspected.
  ///
  /// Answers that are written while one looks on end before, and so do most downloads.
  static var limit: TimeSpan { TimeSpan(.seconds(300)) }

  private var start: Instant?

  /// An element arrived.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether the stream has delivered for too long for those who wait for its end.
  mutating func isSuspicious(at now: Instant) -> Bool {
    let start = start ?? now
    self.start = start
    return (start + Self.limit).map { now >= $0 } ?? false
  }
}
