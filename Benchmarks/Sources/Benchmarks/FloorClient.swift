import CMeasure
import Synchronization

/// The parts of a key, and their hash.
struct FloorKey: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case number(Int)
  }

  private let parts: [Part]
  private let hash: Int

  init(_ first: String, _ second: String, _ third: Int) {
    parts = [.text(first), .text(second), .number(third)]
    hash = parts.hashValue
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.hash == rhs.hash && lhs.parts == rhs.parts }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A value of any type.
class FloorBox: @unchecked Sendable {
  fileprivate final class Typed<Value: Sendable>: FloorBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }
}

/// A key, a fetch and a few options.
final class FloorQuery<Value: Sendable>: Sendable {
  let key: FloorKey
  let staleTime: Int64
  let gcTime: Int64
  let retries: Int
  let fetch: @Sendable () async throws -> FloorBox

  init(
    _ key: FloorKey,
    staleTime: Int64 = .max,
    fetch: @escaping @Sendable () async throws -> Value
  ) {
    self.key = key
    self.staleTime = staleTime
    gcTime = 300_000_000_000
    retries = 3
    self.fetch = { FloorBox.Typed(try await fetch()) }
  }
}

/// The minimum that does for its callers what a client does, to measure the library's own cost.
///
/// It has entries by key, one fetch for all callers that ask at the same time, callers that leave when they
/// are cancelled, retries, a retention, and observers that are woken. It has no events, no mutations, no
/// stores, no further options, no order between threads, and no timer: the owner has to call `expire`.
final class FloorClient: Sendable {
  private typealias Waiter = FloorEntry.Waiter
  private typealias Fetch = FloorEntry.Fetch
  private typealias Parked = FloorEntry.Parked

  private let entries = Mutex(FloorEntries())

  /// The task-locals that the code of a fetch sees.
  private enum Local {
    @TaskLocal static var fetch: Fetch?
    @TaskLocal static var isInside = false
  }

  // MARK: Fetches

  func fetch<Value>(_ query: FloorQuery<Value>) async throws -> Value {
    let request = ask(query)
    let box =
      switch request {
      case .fresh(let box): box
      case .waits(let waiter, let entry): try await outcome(of: waiter, entry).get()
      }
    return unsafeDowncast(box, to: FloorBox.Typed<Value>.self).value
  }

  private enum Request {
    case fresh(FloorBox)
    case waits(Waiter, FloorEntry)
  }

  @inline(never)
  private func ask<Value>(_ query: FloorQuery<Value>) -> Request {
    let now = Self.now()
    let (request, fetch) = entries.withLock { entries -> (Request, Fetch?) in
      let entry = entries.entry(of: query.key)
      entry.gcTime = max(entry.gcTime, query.gcTime)
      if let box = entry.box, now - entry.updatedAt < query.staleTime { return (.fresh(box), nil) }
      let waiter = Waiter()
      guard entry.fetch == nil else {
        entry.fetch?.waiters.append(waiter)
        return (.waits(waiter, entry), nil)
      }
      let fetch = Fetch(waiter)
      entry.fetch = fetch
      entries.settle(entry, now)
      return (.waits(waiter, entry), fetch)
    }
    if let fetch, case .waits(_, let entry) = request { start(query, entry, fetch) }
    return request
  }

  private func start<Value>(_ query: FloorQuery<Value>, _ entry: FloorEntry, _ fetch: Fetch) {
    let task = Task {
      var failures = 0
      while true {
        do {
          let box = try await Local.$fetch.withValue(fetch) {
            try await Local.$isInside.withValue(true) { try await query.fetch() }
          }
          return self.land(.success(box), entry, fetch)
        } catch {
          guard failures < query.retries, !Task.isCancelled else {
            return self.land(.failure(error), entry, fetch)
          }
          failures += 1
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
    if entries.withLock({ _ in fetch.began(task) }) { task.cancel() }
  }

  private func land(_ result: Result<FloorBox, any Error>, _ entry: FloorEntry, _ fetch: Fetch) {
    let now = Self.now()
    let (waiters, parked, old) = entries.withLock { entries -> ([Waiter], [Parked], FloorBox?) in
      guard entry.fetch === fetch else { return ([], [], nil) }
      entry.fetch = nil
      let old = entry.box
      switch result {
      case .success(let box): entry.land(box, now)
      case .failure(let error): entry.error = error
      }
      entries.settle(entry, now)
      return (fetch.waiters, entry.takeParked(), old)
    }
    for waiter in waiters { waiter.resolve(result) }
    for parked in parked { parked.continuation.resume() }
    withExtendedLifetime(old) {}
  }

  private func outcome(
    of waiter: Waiter,
    _ entry: FloorEntry
  ) async -> Result<FloorBox, any Error> {
    await withTaskCancellationHandler {
      await waiter.result()
    } onCancel: {
      if waiter.resolve(.failure(CancellationError())) { leave(waiter, entry) }
    }
  }

  /// Removes a cancelled caller; if it was the last one, cancels the fetch.
  private func leave(_ waiter: Waiter, _ entry: FloorEntry) {
    let now = Self.now()
    let fetch = entries.withLock { entries -> Fetch? in
      guard let fetch = entry.fetch else { return nil }
      fetch.waiters.removeAll { $0 === waiter }
      guard fetch.waiters.isEmpty, entry.observerCount == 0 else { return nil }
      entry.fetch = nil
      fetch.isCancelled = true
      entries.settle(entry, now)
      return fetch
    }
    fetch?.task?.cancel()
  }

  // MARK: Data

  func set<Value: Sendable>(_ value: Value, for key: FloorKey) {
    let box = FloorBox.Typed(value)
    let now = Self.now()
    let (parked, old) = entries.withLock { entries -> ([Parked], FloorBox?) in
      let entry = entries.entry(of: key)
      let old = entry.box
      entry.gcTime = max(entry.gcTime, 300_000_000_000)
      entry.land(box, now)
      entries.settle(entry, now)
      return (entry.takeParked(), old)
    }
    for parked in parked { parked.continuation.resume() }
    withExtendedLifetime(old) {}
  }

  /// Removes all entries with a retention that is over.
  func expire(at now: Int64 = FloorClient.now()) {
    while let gone = entries.withLock({ $0.takeExpired(now) }) { withExtendedLifetime(gone) {} }
  }

  func removeAll() {
    let old = entries.withLock { entries in
      let old = entries
      entries = FloorEntries()
      return old
    }
    withExtendedLifetime(old) {}
  }

  // MARK: Observers

  func observe<Value>(_ query: FloorQuery<Value>) -> Observer {
    let now = Self.now()
    return entries.withLock { entries in
      let entry = entries.entry(of: query.key)
      entry.gcTime = max(entry.gcTime, query.gcTime)
      entry.observerCount += 1
      entries.settle(entry, now)
      return Observer(self, entry)
    }
  }

  /// An observer of an entry, which leaves when it is released.
  final class Observer: Sendable {
    private let client: FloorClient
    private let entry: FloorEntry
    private let seen = Atomic(0)

    fileprivate init(_ client: FloorClient, _ entry: FloorEntry) {
      self.client = client
      self.entry = entry
    }

    deinit {
      let now = FloorClient.now()
      client.entries.withLock { entries in
        entry.observerCount -= 1
        entries.settle(entry, now)
      }
    }

    /// Waits for data that this observer has not seen yet; `nil` if the task is cancelled.
    @inline(never)
    func next() async -> FloorBox? {
      while !Task.isCancelled {
        if let box = client.entries.withLock({ _ in news }) { return box }
        await withTaskCancellationHandler {
          await withUnsafeContinuation { continuation in
            let isParked = client.entries.withLock { _ in
              guard seen.load(ordering: .relaxed) == entry.version else { return false }
              entry.parked.append(Parked(observer: ObjectIdentifier(self), continuation))
              return true
            }
            if !isParked { continuation.resume() }
          }
        } onCancel: {
          let parked = client.entries.withLock { _ in entry.takeParked(of: ObjectIdentifier(self)) }
          for parked in parked { parked.continuation.resume() }
        }
      }
      return nil
    }

    private var news: FloorBox? {
      guard seen.load(ordering: .relaxed) != entry.version else { return nil }
      seen.store(entry.version, ordering: .relaxed)
      return entry.box
    }
  }

  static func now() -> Int64 { Int64(measure_time()) }
}
