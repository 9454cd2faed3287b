@testable import StreamQuery

/// When data and answers began, and when they were invalidated: what a small world knows of that
/// itself, without a look at the flags of the machine.
///
/// The rule (contract X21): no answer that began before an invalidation satisfies it. An answer
/// began with the attempt that brought it or, if that goes on with what earlier ones got, with the
/// first of these.
struct EntryAges {
  /// Whether each attempt waits for its turn.
  var isFull = false
  /// The attempt that runs for the machine has yet to begin.
  private(set) var isWaiting = false
  private var step = 0
  /// The step of the last invalidation.
  private var invalidatedAt = -1
  /// The step at which the oldest part of the data began; `nil` if there is none.
  private var dataBegan: Int?
  /// The step at which the answer began whose attempt runs, or of which a part is kept.
  private var answerBegan: Int?
  /// The step at which the oldest part of the data began that was there when the answer did.
  private var baseBegan: Int?

  /// Whether the entry was invalidated since it was new.
  private(set) var isEmptyMarked = false

  var isDataOutdated: Bool { dataBegan.map { $0 < invalidatedAt } ?? false }
  var isBaseOutdated: Bool { baseBegan.map { $0 < invalidatedAt } ?? false }
  var isAnswerOutdated: Bool { answerBegan.map { $0 < invalidatedAt } ?? false }

  mutating func follow(
    _ input: EntryWorld.Input,
    from old: EntryMachine,
    to new: EntryMachine,
    _ actions: EntryActions
  ) {
    step += 1
    switch input {
    case .mark, .markJoining, .invalidate: isEmptyMarked = true
    case .clear: isEmptyMarked = false
    default: break
    }
    switch input {
    case .mark, .invalidate: invalidatedAt = step
    case .markJoining:
      // The answer that is on its way counts as new enough, with what it is added to, if both were so.
      if answerBegan != nil, !isAnswerOutdated { answerBegan = step }
      if baseBegan != nil, !isBaseOutdated { baseBegan = step }
      invalidatedAt = step
    case .write, .fence, .seeded: dataBegan = step
    case .succeed:
      let isAdded = old.fetch?.part != .whole && dataBegan != nil
      // A page may land with the pages that it was requested from.
      let parts = isAdded ? [dataBegan, answerBegan, baseBegan] : [answerBegan]
      dataBegan = parts.compactMap(\.self).min()
    case .keep:
      let isAbout = old.fetch?.part == .whole && old.fetch?.attempt.wasWritten == false
      if actions.ended == .kept, isAbout { dataBegan = answerBegan }
    case .failAndRetry: answerBegan = nil
    default: break
    }
    if !new.hasData { dataBegan = nil }
    if new.fetch?.id != old.fetch?.id { answerBegan = nil }
    if new.stage != .running {
      isWaiting = false
    } else if actions.started != nil {
      isWaiting = isFull
    } else if input == .turn {
      isWaiting = false
    }
    if new.stage == .running, !isWaiting, answerBegan == nil {
      answerBegan = step
      baseBegan = dataBegan
    }
  }
}
