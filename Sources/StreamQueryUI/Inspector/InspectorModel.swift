internal import Observation
@_spi(Adapters) internal import StreamQuery

/// The inspector of a client as an observable object: its content and the commands.
///
/// While the inspector is on screen, the model follows the record of the client. ``InspectorScreen`` decides
/// which part of the record is visible.
@MainActor @Observable
final class InspectorModel {
  /// A command for the entry of a key.
  enum Command: String, Hashable, Sendable, CaseIterable, Identifiable {
    case invalidate
    case refetch
    case reset
    case remove

    var id: Self { self }

    /// The title of the command's button.
    var title: String {
      switch self {
      case .invalidate: "Invalidate"
      case .refetch: "Refetch"
      case .reset: "Reset"
      case .remove: "Remove"
      }
    }
  }

  /// The maximum number of runs that are listed.
  static let runLimit = 50
  /// The time between two updates: nobody can read faster, and each update draws the screen again.
  static let pause = Duration.milliseconds(50)

  private(set) var screen = InspectorScreen()
  /// The keys of the pushed screens: none, or one.
  var path: [Int] = []
  /// Whether the client was shut down: nothing more happens, and no command has an effect.
  private(set) var isEnded = false
  /// Whether the client records its events.
  private(set) var isRecording = false

  @ObservationIgnored private var client: QueryClient?
  /// The client whose record the screen shows, even after ``stop()``.
  @ObservationIgnored private weak var shown: QueryClient?
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var ticking: Task<Void, Never>?
  /// The task that waits for the end of the last command.
  @ObservationIgnored private var waiting: Task<Void, Never>?
  /// The reason why the last command had no effect, and the command's key.
  private var refusal: (key: Int, text: String)?

  nonisolated init() {}

  deinit {
    following?.cancel()
    ticking?.cancel()
    waiting?.cancel()
  }

  // MARK: Following

  /// Begins to follow the record of a client, unless the model follows it already.
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
    // The task has no executor preference, because the main actor would ignore one.
    following = Task { [weak self] in
      for await record in updates where !Task.isCancelled {
        self?.screen.came(record)
        self?.tick(by: clock)
        // During the pause the client gathers new events in its record, and needs no other memory for them.
        try? await clock.sleep(for: Self.pause)
      }
      if !Task.isCancelled { self?.ended() }
    }
    tick(by: clock)
  }

  /// Starts the task that makes the shown ages grow between events, unless the task runs already.
  private func tick(by clock: any Clock<Duration>) {
    guard ticking == nil else { return }
    // The task has no executor preference, because the main actor would ignore one.
    ticking = Task { [weak self] in
      while (try? await clock.sleep(for: .seconds(1))) != nil {
        guard let self, !Task.isCancelled else { return }
        screen.ticked(.seconds(1))
      }
      // The clock has thrown an error of its own. The next event starts a new task. This loop does not go on,
      // because with a clock that throws each time it would never wait.
      if !Task.isCancelled { self?.ticking = nil }
    }
  }

  /// Notes that the client was shut down, after its whole record was delivered.
  private func ended() {
    ticking?.cancel()
    isEnded = true
    // A client that had ended before the start delivers no news, so its record is read here.
    if screen.isEmpty, let client { screen.came(client.record) }
  }

  /// Stops following the record; the screen keeps its content.
  func stop() {
    for task in [following, ticking, waiting] { task?.cancel() }
    (following, ticking, waiting, client, refusal) = (nil, nil, nil, nil, nil)
  }

  // MARK: Keys

  /// The selection and the order of the listed keys.
  var listing: KeyListing {
    get { screen.list.listing }
    set { screen.list(newValue) }
  }

  /// Expands or collapses a group of keys in the list.
  func toggle(_ group: KeyList.Group) {
    if listing.collapsed.remove(group.title) == nil { listing.collapsed.insert(group.title) }
  }

  /// Returns the state of a key at the selected moment; `nil` if the key has no entry then.
  func row(of key: Int) -> RecordReplay.KeyRow? { screen.replay.row(of: key, at: screen.moment) }

  /// Returns the facts about a key at the selected moment; `nil` if the key is not known any more.
  func detail(of key: Int) -> KeyDetail? {
    KeyDetail(of: key, in: screen.replay, at: screen.moment)
  }

  /// The newest runs of mutations at the selected moment, newest first.
  var runs: [RecordReplay.RunRow] {
    let (replay, moment) = (screen.replay, screen.moment)
    let rows = replay.runs.keys.sorted(by: >).lazy.compactMap { replay.row(ofRun: $0, at: moment) }
    return Array(rows.prefix(Self.runLimit))
  }

  // MARK: Time

  /// The position of the selected moment on the slider: 0 is the first moment, and 1 follows the newest.
  var progress: Double {
    get { screen.progress }
    set { screen.scrub(to: newValue) }
  }

  /// The selected moment in words.
  var momentText: String {
    if screen.isFollowing { return isEnded ? "The end: the client was shut down" : "Now" }
    return "\((screen.now - screen.moment.time).spanText) \(isEnded ? "before the end" : "ago")"
  }

  /// A text if the record no longer has the selected moment, so that another one is visible; otherwise `nil`.
  var lossText: String? {
    guard screen.choice == .first else { return nil }
    return "The record does not go back to the selected time any more. This is its first moment."
  }

  func stepBack() { screen.stepBack() }
  func stepForward() { screen.stepForward() }
  func follow() { screen.follow() }
  func scrub(toEvent number: Int) { screen.scrub(toEvent: number) }

  // MARK: Commands

  /// Whether commands can be given for a key: the newest moment is selected, and the key has an entry.
  func canCommand(_ key: Int) -> Bool {
    client != nil && !isEnded && screen.isFollowing && row(of: key) != nil
  }

  /// Performs a command for a key, without waiting for the command's end; its effects appear in the record.
  func give(_ command: Command, for key: Int) {
    guard canCommand(key), let client else { return }
    refusal = nil
    guard let info = client.info(ofKey: key) else {
      return refusal = (key, "There is no entry of this key any more.")
    }
    let filter = QueryFilter.entry(of: info)
    switch command {
    case .invalidate: client.markInvalidated(filter)
    case .refetch:
      if let obstacle = client.refetchObstacle(of: info) {
        refusal = (key, obstacle.sentence)
      } else {
        wait { await client.refetch(filter) }
      }
    case .reset: wait { await client.reset(filter) }
    case .remove: client.remove(filter)
    }
  }

  /// Returns why the last command had no effect; `nil` if the command had one, or was for another key.
  func refusalText(for key: Int) -> String? { refusal?.key == key ? refusal?.text : nil }

  /// Starts a call of the client, and gives up the wait for the call before, which goes on in the client.
  private func wait(_ call: @escaping @MainActor () async -> Void) {
    waiting?.cancel()
    // The task has no executor preference, because the main actor would ignore one.
    waiting = Task { await call() }
  }
}

extension QueryClient.RefetchObstacle {
  /// The sentence that says why a refetch fetches nothing.
  fileprivate var sentence: String {
    switch self {
    case .noFetch: "It is not refetched: no query of it has a fetch closure."
    case .isStatic: "Static data is not refetched."
    case .isDisabled, .isUnused:
      "It is not refetched: its observers are disabled, or it never had a result."
    }
  }
}
