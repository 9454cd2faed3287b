internal import Observation
@_spi(Adapters) internal import StreamQuery

/// The inspector of a client as an observable object: its screen, and what a user can do there.
///
/// It follows the record of a client while the inspector is shown. ``InspectorScreen`` decides what is shown.
@MainActor @Observable
final class InspectorModel {
  /// Something to do with the entry of a key.
  enum Command: String, Hashable, Sendable, CaseIterable, Identifiable {
    case invalidate
    case refetch
    case reset
    case remove

    var id: Self { self }

    /// The name of its button.
    var title: String {
      switch self {
      case .invalidate: "Invalidate"
      case .refetch: "Refetch"
      case .reset: "Reset"
      case .remove: "Remove"
      }
    }
  }

  /// The number of runs that are shown.
  static let runLimit = 50
  /// The time between two pieces of news: more often nobody can look, and each one draws the screen anew.
  static let pause = Duration.milliseconds(50)

  private(set) var screen = InspectorScreen()
  /// The keys of the screens that are pushed: none, or one.
  var path: [Int] = []
  /// Whether the client was shut down: nothing more happens, and no command has an effect.
  private(set) var isEnded = false
  /// Whether the client keeps a record.
  private(set) var isRecording = false

  @ObservationIgnored private var client: QueryClient?
  /// The client whose record is on the screen, also while it is not followed.
  @ObservationIgnored private weak var shown: QueryClient?
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var ticking: Task<Void, Never>?
  /// The wait for the end of the last command.
  @ObservationIgnored private var waiting: Task<Void, Never>?
  /// The reason for which the last command had no effect, and its key.
  private var refusal: (key: Int, text: String)?

  nonisolated init() {}

  deinit {
    following?.cancel()
    ticking?.cancel()
    waiting?.cancel()
  }

  // MARK: Following

  /// Begins to follow the record of a client; does nothing if it follows this client already, or saw its end.
  func start(using client: QueryClient) {
    guard self.client !== client else { return }
    stop()
    self.client = client
    if shown !== client {
      let listing = screen.list.listing
      screen = InspectorScreen()
      screen.list(listing)
      (shown, path) = (client, [])
      (isEnded, isRecording) = (false, client.conditions != nil)
    }
    guard !isEnded else { return }
    let (updates, clock) = (client.recordUpdates, client.clock)
    // It has no executor preference, because it runs on the main actor.
    following = Task { [weak self] in
      for await record in updates where !Task.isCancelled {
        self?.screen.came(record)
        // Meanwhile the client gathers the news, and keeps nothing for it but its record.
        try? await clock.sleep(for: Self.pause)
      }
      if !Task.isCancelled { self?.ended() }
    }
    // It has no executor preference, because it runs on the main actor. Between events, freshness runs down by this clock.
    ticking = Task { [weak self] in
      while (try? await clock.sleep(for: .seconds(1))) != nil {
        guard let self, !Task.isCancelled else { return }
        screen.ticked(.seconds(1))
      }
    }
  }

  /// The client was shut down, and the whole record was shown.
  private func ended() {
    ticking?.cancel()
    isEnded = true
    // Of a client that had ended before, there is no news.
    if screen.isEmpty, let client { screen.came(client.record) }
  }

  /// Stops following; the screen stays.
  func stop() {
    for task in [following, ticking, waiting] { task?.cancel() }
    (following, ticking, waiting, client, refusal) = (nil, nil, nil, nil, nil)
  }

  // MARK: Keys

  /// The keys that are shown, and their order.
  var listing: KeyListing {
    get { screen.list.listing }
    set { screen.list(newValue) }
  }

  /// Shows the keys of a group, or hides them.
  func toggle(_ group: KeyList.Group) {
    if listing.collapsed.remove(group.title) == nil { listing.collapsed.insert(group.title) }
  }

  /// The state of a key at the shown moment; `nil` if it has no entry then.
  func row(of key: Int) -> RecordReplay.KeyRow? { screen.replay.row(of: key, at: screen.moment) }

  /// The facts about a key at the shown moment; `nil` if the key is not known any more.
  func detail(of key: Int) -> KeyDetail? {
    KeyDetail(of: key, in: screen.replay, at: screen.moment)
  }

  /// The newest runs of mutations at the shown moment, the newest first.
  var runs: [RecordReplay.RunRow] {
    let (replay, moment) = (screen.replay, screen.moment)
    let rows = replay.runs.keys.sorted(by: >).lazy.compactMap { replay.row(ofRun: $0, at: moment) }
    return Array(rows.prefix(Self.runLimit))
  }

  // MARK: Time

  /// The place of the shown moment, from 0, the first one, to 1, the newest, which is followed.
  var progress: Double {
    get { screen.progress }
    set { screen.scrub(to: newValue) }
  }

  /// The moment that is shown, in words.
  var momentText: String {
    if screen.isFollowing { return isEnded ? "The end: the client was shut down" : "Now" }
    return "\((screen.now - screen.moment.time).spanText) \(isEnded ? "before the end" : "ago")"
  }

  /// Says that another moment is shown than the one that was selected; `nil` if that is not so.
  var lossText: String? {
    guard screen.choice == .first else { return nil }
    return "The record does not go back to the selected time any more. This is its first moment."
  }

  func stepBack() { screen.stepBack() }
  func stepForward() { screen.stepForward() }
  func follow() { screen.follow() }
  func scrub(toEvent number: Int) { screen.scrub(toEvent: number) }

  // MARK: Commands

  /// Whether commands can be given for a key: they concern the present, and its entry.
  func canCommand(_ key: Int) -> Bool {
    client != nil && !isEnded && screen.isFollowing && row(of: key) != nil
  }

  /// Does something with the entry of a key, without waiting for its end; the record tells how it goes.
  func give(_ command: Command, for key: Int) {
    guard canCommand(key), let client else { return }
    refusal = nil
    guard let info = client.info(ofKey: key) else {
      return refusal = (key, "There is no entry of this key any more.")
    }
    let filter = QueryFilter.entry(of: info)
    switch command {
    case .invalidate: client.markInvalidated(filter)
    case .refetch where info.isStatic: refusal = (key, "Static data is not refetched.")
    case .refetch where info.isDisabled:
      refusal = (key, "It is not refetched: its observers are disabled, or it never had a result.")
    case .refetch: wait { await client.refetch(filter) }
    case .reset: wait { await client.reset(filter) }
    case .remove: client.remove(filter)
    }
  }

  /// The reason for which the last command had no effect, if it was for this key.
  func refusalText(for key: Int) -> String? { refusal?.key == key ? refusal?.text : nil }

  /// Calls something that goes on without its caller: a cancelled one returns at once.
  private func wait(_ call: @escaping @MainActor () async -> Void) {
    waiting?.cancel()
    // It has no executor preference, because it runs on the main actor.
    waiting = Task { await call() }
  }
}
