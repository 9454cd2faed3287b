/// The sleepers and their deadlines, as a binary heap; sleepers with the same deadline are in order of
/// registration.
///
/// A sleep first reserves a slot, and then parks its waiter there, so that a cancellation in between is not
/// lost. Cancelling frees the sleeper's slot at once, but leaves a dead entry in the heap. The dead entry is
/// dropped when it reaches the top, or when dead entries outnumber living ones.
///
/// A sleeper may ask to wake after everything else at its instant.
struct Sleepers<Waiter: Sendable>: Sendable {
  /// The identity of one sleep, which is valid until the sleep ends.
  struct Ticket: Equatable, Sendable {
    fileprivate let slot: Int
    fileprivate let serial: UInt64
  }

  private enum State {
    case free
    case reserved
    case cancelledBeforeParking
    case parked(Waiter)
  }

  private struct Slot {
    var serial: UInt64
    var isBackground: Bool
    var isLast: Bool
    var state: State
  }

  private struct Entry {
    let deadline: Duration
    let isLast: Bool
    let serial: UInt64
    let slot: Int

    func isBefore(_ other: Self) -> Bool {
      guard deadline == other.deadline else { return deadline < other.deadline }
      return isLast == other.isLast ? serial < other.serial : other.isLast
    }
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var lastSerial: UInt64 = 0

  /// The number of sleepers that keep the simulation from being idle.
  private(set) var foregroundCount = 0
  /// The number of sleepers in the background, such as a client's own timer.
  private(set) var backgroundCount = 0

  init() {
    heap.reserveCapacity(8)
    slots.reserveCapacity(8)
    freeSlots.reserveCapacity(8)
  }

  mutating func reserve(isBackground: Bool, isLast: Bool = false) -> Ticket {
    lastSerial += 1
    let slot = Slot(
      serial: lastSerial,
      isBackground: isBackground,
      isLast: isLast,
      state: .reserved
    )
    guard let index = freeSlots.popLast() else {
      slots.append(slot)
      return Ticket(slot: slots.count - 1, serial: lastSerial)
    }
    slots[index] = slot
    return Ticket(slot: index, serial: lastSerial)
  }

  /// Parks a waiter until a deadline; returns `false`, without storing the waiter, if the sleep was cancelled
  /// before.
  mutating func park(_ waiter: Waiter, on ticket: Ticket, until deadline: Duration) -> Bool {
    guard slots[ticket.slot].serial == ticket.serial else { return false }
    guard case .reserved = slots[ticket.slot].state else {
      free(ticket.slot)
      return false
    }
    slots[ticket.slot].state = .parked(waiter)
    count(slots[ticket.slot], by: 1)
    let isLast = slots[ticket.slot].isLast
    push(Entry(deadline: deadline, isLast: isLast, serial: ticket.serial, slot: ticket.slot))
    return true
  }

  /// Ends a sleep early, and returns the waiter to resume; `nil` if the sleep has no parked waiter.
  mutating func cancel(_ ticket: Ticket) -> Waiter? {
    guard slots[ticket.slot].serial == ticket.serial else { return nil }
    switch slots[ticket.slot].state {
    case .reserved:
      slots[ticket.slot].state = .cancelledBeforeParking
      return nil
    case .parked(let waiter):
      release(ticket.slot)
      compactIfMostlyDead()
      return waiter
    case .free, .cancelledBeforeParking:
      return nil
    }
  }

  /// Returns the earliest deadline of a sleeper.
  mutating func nextDeadline() -> Duration? {
    while let top = heap.first {
      if isLive(top) { return top.deadline }
      _ = popTop()
    }
    return nil
  }

  /// Removes and returns the sleeper with the earliest deadline, if the deadline has come.
  mutating func popDue(at now: Duration, includingLast: Bool = true) -> Waiter? {
    guard let deadline = nextDeadline(), deadline <= now else { return nil }
    if !includingLast, heap[0].isLast { return nil }
    let top = popTop()
    guard case .parked(let waiter) = slots[top.slot].state else { return nil }
    release(top.slot)
    return waiter
  }

  /// Removes and returns all sleepers, in the order of their deadlines.
  mutating func popAll() -> [Waiter] {
    var waiters: [Waiter] = []
    while let deadline = nextDeadline(), let waiter = popDue(at: deadline) {
      waiters.append(waiter)
    }
    return waiters
  }

  private func isLive(_ entry: Entry) -> Bool {
    slots[entry.slot].serial == entry.serial
  }

  private mutating func release(_ slot: Int) {
    count(slots[slot], by: -1)
    free(slot)
  }

  private mutating func free(_ slot: Int) {
    slots[slot].state = .free
    // Serials start at 1, so no ticket fits a free slot.
    slots[slot].serial = 0
    freeSlots.append(slot)
  }

  private mutating func count(_ slot: Slot, by change: Int) {
    if slot.isBackground { backgroundCount += change } else { foregroundCount += change }
  }

  private mutating func compactIfMostlyDead() {
    let living = foregroundCount + backgroundCount
    guard heap.count >= 64, heap.count > living * 2 else { return }
    // The filtered entries are sorted, and a sorted array is a valid heap.
    heap = heap.filter { isLive($0) }.sorted { $0.isBefore($1) }
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func popTop() -> Entry {
    heap.swapAt(0, heap.count - 1)
    let top = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      let right = left + 1
      if left < heap.count, heap[left].isBefore(heap[least]) { least = left }
      if right < heap.count, heap[right].isBefore(heap[least]) { least = right }
      guard least != parent else { return top }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
