internal import Foundation
@_spi(Adapters) internal import StreamQuery

/// The client that an inspector shows, and the inspector's permissions; this object does not retain the
/// client.
final class InspectedClient: Sendable {
  /// The client; `nil` if it is gone.
  weak let client: QueryClient?
  private let name: String
  private let allows: Inspector.Permissions
  private let log: @Sendable (String) -> Void
  /// An action of a test, called after the event stream of a page has ended.
  private let onPageEnd: (@Sendable () -> Void)?
  private let presence: ClientPresence
  /// The number that tells this inspector from other inspectors of the client.
  private let inspector: UInt64

  init(
    _ client: QueryClient?,
    name: String,
    allows: Inspector.Permissions,
    log: @escaping @Sendable (String) -> Void = { _ in },
    onPageEnd: (@Sendable () -> Void)? = nil
  ) {
    self.client = client
    self.name = name
    self.allows = allows
    self.log = log
    self.onPageEnd = onPageEnd
    presence = ClientPresence.at(client)
    inspector = presence.withLock { $0.inspectorCame() }
  }

  /// Registers the event stream of a page until this object is released.
  final class Page: Sendable {
    private let subject: InspectedClient
    private let number: UInt64

    init(of subject: InspectedClient) {
      self.subject = subject
      number = subject.presence.withLock { [inspector = subject.inspector] in
        $0.came(to: inspector)
      }
    }

    deinit {
      subject.presence.withLock { [number] in $0.left(number) }
      subject.watch()
      subject.onPageEnd?()
    }

    /// Whether the page still receives events; `false` if newer pages have taken its place.
    var hasPlace: Bool { subject.presence.withLock { $0.hasPlace(number) } }
  }

  /// Whether at least one page of this inspector receives events.
  var hasPages: Bool { presence.withLock { $0.hasPages(of: inspector) } }

  /// Whether pages have to answer: they may ask for actions, and there are simulated conditions.
  var awaitsAnswers: Bool { allows.contains(.actions) && isConditioned }

  private var isConditioned: Bool { client?.conditions?.isEmpty == false }

  /// While there are simulated conditions, checks every second whether a page is open and answers; if none
  /// does for too long, ends the conditions.
  private func watch() {
    guard isConditioned, let client, presence.withLock({ $0.watchBegan() }) else { return }
    let clock = client.clock
    Task(executorPreference: client.scheduling.executor) {
      while self.isConditioned {
        try? await clock.sleep(for: .seconds(1))
        switch self.presence.withLock({ $0.secondPassed() }) {
        case .noPage: self.end(because: "no page is open")
        case .noAnswer: self.end(because: "no page answers")
        case nil: break
        }
      }
      self.presence.withLock { $0.watchEnded() }
      // New conditions may have been set after the last check, and then a new watch begins.
      self.watch()
    }
  }

  /// Ends all simulated conditions, because this inspector has ended.
  ///
  /// While pages of other inspectors of the client are open, the conditions stay.
  func endConditions(because reason: String) {
    guard !presence.withLock({ $0.hasPages(besidesThoseOf: inspector) }) else { return watch() }
    end(because: reason)
  }

  /// Ends all simulated conditions, such as a lost network, and logs which ones they were.
  private func end(because reason: String) {
    guard let client, let conditions = client.conditions, !conditions.isEmpty else { return }
    client.changeConditions(.end)
    log("\(reason), so these conditions have ended: \(conditions.words)")
  }

  /// The present facts as JSON; `nil` if the client is gone.
  var facts: Data? {
    guard let client else { return nil }
    let permissions = InspectorFacts.Permissions(
      values: allows.contains(.values),
      actions: allows.contains(.actions)
    )
    let facts = InspectorFacts(client, named: name, allows: permissions)
    return try? InspectorJSON.encoder.encode(facts)
  }

  /// The client's record, without values unless the app allows the page to show them.
  var record: QueryRecord? {
    client.map { permitted($0.record) }
  }

  /// Removes the values from an element for a page, unless the app allows the page to show them.
  func permitted(_ output: LiveFeed.Output) -> LiveFeed.Output {
    switch output {
    case .record(let record): .record(permitted(record))
    case .part(let part): .part(permitted(part))
    case .facts, .ask, .comment, .replaced, .end: output
    }
  }

  private func permitted(_ record: QueryRecord) -> QueryRecord {
    guard !allows.contains(.values) else { return record }
    var record = record
    record.values = []
    return record
  }

  /// The facts about one key, as JSON.
  ///
  /// - Parameter number: The number of the key in the record.
  /// - Returns: The facts; `nil` if there is no such entry.
  func detail(ofKey number: Int) -> Data? {
    guard let client, let info = client.info(ofKey: number),
      let detail = client.detail(of: info)
    else { return nil }
    let report = EntryReport(info, detail, showsData: allows.contains(.values))
    return try? InspectorJSON.encoder.encode(report)
  }

  /// Performs an action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - body: The body of the request, which may have data.
  /// - Returns: The sentence that says what was done.
  /// - Throws: A refusal, with a sentence that says why.
  func perform(_ action: InspectorAction, _ body: Data) throws(ActionRefusal) -> String {
    guard let client else { throw ActionRefusal(410, "The client has ended.") }
    presence.withLock { $0.answered() }
    var info: QueryInfo?
    if let key = action.key {
      info = client.info(ofKey: key)
      guard info != nil else { throw ActionRefusal(404, "There is no entry of this key any more.") }
    }
    switch (action, info) {
    case (.entry(.refetch, _), let info?):
      if let obstacle = client.refetchObstacle(of: info) {
        throw ActionRefusal(409, "Nothing is fetched: \(obstacle.sentence(about: "\(info.key)"))")
      }
      client.perform(.refetch, on: info)
    case (.entry(let action, _), let info?): client.perform(action, on: info)
    case (.setData, let info?):
      let isWritten = try client.setData(of: info) { type throws(ActionRefusal) in
        try TypedData.value(of: type, in: body)
      }
      guard isWritten else {
        throw ActionRefusal(
          422,
          "\(info.valueTypeName) is not Decodable, so no text can become one."
        )
      }
    case (.network(let isOffline), _): client.changeConditions(.offline(isOffline))
    case (.delay(let seconds), _): client.changeConditions(.delay(.seconds(seconds)))
    case (.end, _): client.changeConditions(.end)
    case (.stay, _), (.entry, nil), (.setData, nil): break
    }
    watch()
    return action.sentence(about: info.map { "\($0.key)" } ?? "")
  }
}

extension ClientConditions {
  /// The conditions in words, such as `offline, attempts 2.0 s slower`.
  fileprivate var words: String {
    let words = [
      isOffline ? "offline" : nil,
      delay > .zero ? "attempts \(delay / .seconds(1)) s slower" : nil,
      failingCount > 0 ? "\(failingCount) \(failingCount == 1 ? "fetch" : "fetches") to fail" : nil,
    ]
    .compactMap(\.self)
    // If none of these apply, a fetch that is made to fail has begun already.
    return words.isEmpty ? "a fetch that fails" : words.joined(separator: ", ")
  }
}

extension QueryClient.RefetchObstacle {
  /// The sentence that says why a refetch of a key fetches nothing.
  fileprivate func sentence(about key: String) -> String {
    switch self {
    case .noFetch: "no query of \(key) has a fetch closure."
    case .isStatic: "an observer of \(key) treats its data as static."
    case .isDisabled: "all observers of \(key) are disabled."
    case .isUnused: "nobody observes \(key), and it never had a result."
    }
  }
}

nonisolated extension QueryClient {
  fileprivate func perform(_ action: InspectorAction.EntryAction, on info: QueryInfo) {
    let filter = QueryFilter.entry(of: info)
    switch action {
    case .invalidate: markInvalidated(filter)
    case .setStale: markInvalidated(filter, refetch: .never)
    case .remove: remove(filter)
    case .failNext: changeConditions(.failNext(info))
    case .clearFailNext: changeConditions(.clearFailNext(info))
    // The page does not wait for the fetch, which may take long. The record shows the course of the fetch.
    case .refetch: inBackground { await $0.refetch(filter) }
    case .reset: inBackground { await $0.reset(filter) }
    }
  }

  private func inBackground(_ call: @escaping @Sendable (QueryClient) async -> Void) {
    Task(executorPreference: scheduling.executor) { await call(self) }
  }
}
