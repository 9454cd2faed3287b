/// Options of a mutation that do not depend on its types; `nil` means "from the layer below".
///
/// Layers, from the weakest: the built-in defaults, those registered for prefixes of the key in the
/// order of registration, and the mutation itself.
public struct MutationOptions: Sendable, _FreeOfActors {
  /// Retries of failed attempts; none by default.
  public var retry: RetryPolicy?
  /// How long one attempt may take; for ever by default: see ``Mutation/timeout(_:)``.
  public var timeout: Duration?
  /// The behaviour while offline; ``NetworkMode/online`` by default: the run is paused.
  public var networkMode: NetworkMode?
  /// How long a run is kept after it ended; five minutes by default.
  public var gcTime: Duration?
  /// The scope: runs of one scope perform one after the other, in the order of their start.
  public var scope: String?
  /// Facts for the mutation, filters and events.
  public var meta: QueryMeta?
  /// How long a run waits after its start before it is sent; not at all by default.
  ///
  /// The optimistic changes show at once. During the wait the run can be taken back without a trace: cancel
  /// it, or drop it from the outbox. The time also passes while the run waits in its scope.
  public var delay: Duration?
  /// Which of several waiting runs are sent; all by default.
  ///
  /// Only a modifier of the mutation can say what the item of a run is: ``Mutation/pacing(_:of:)``.
  public var pacing: MutationPacing?

  /// Creates options; an omitted option comes from the layer below.
  ///
  /// - Parameters:
  ///   - retry: Retries of failed attempts.
  ///   - timeout: How long one attempt may take.
  ///   - networkMode: The behaviour while offline.
  ///   - gcTime: How long a run is kept after it ended.
  ///   - scope: The scope of the runs.
  ///   - meta: Facts for the mutation, filters and events.
  ///   - delay: How long a run waits after its start before it is sent.
  ///   - pacing: Which of several waiting runs are sent.
  public init(
    retry: RetryPolicy? = nil,
    timeout: Duration? = nil,
    networkMode: NetworkMode? = nil,
    gcTime: Duration? = nil,
    scope: String? = nil,
    meta: QueryMeta? = nil,
    delay: Duration? = nil,
    pacing: MutationPacing? = nil
  ) {
    self.retry = retry
    self.timeout = timeout
    self.networkMode = networkMode
    self.gcTime = gcTime
    self.scope = scope
    self.meta = meta
    self.delay = delay
    self.pacing = pacing
  }

  /// Leaves every option to the layer below.
  public static let `default` = MutationOptions()

  /// Returns these options; those that are `nil` come from weaker options.
  func over(_ base: MutationOptions) -> MutationOptions {
    MutationOptions(
      retry: RetryPolicy.merge(retry, over: base.retry),
      timeout: timeout ?? base.timeout,
      networkMode: networkMode ?? base.networkMode,
      gcTime: gcTime ?? base.gcTime,
      scope: scope ?? base.scope,
      meta: (base.meta ?? QueryMeta()).merging(meta ?? QueryMeta()),
      delay: delay ?? base.delay,
      pacing: pacing ?? base.pacing
    )
  }
}

/// The rule for which of several waiting runs of a mutation are sent.
public enum MutationPacing: Hashable, Sendable, BitwiseCopyable {
  /// All runs, one after the other in their scope.
  case all
  /// Only the newest run of each scope, or of each item: see ``Mutation/pacing(_:of:)``.
  ///
  /// When a run may be sent, earlier runs of the same mutation in the same scope, about the same item, are
  /// cancelled: their changes are rolled back, while those of the newer run show, and their callers throw
  /// `CancellationError`. The newer run waits for an earlier one that is being sent. If that request fails,
  /// the earlier run is cancelled too rather than tried again, so that an older change never arrives after
  /// a newer one. If the request succeeds, the changes that the earlier run still shows go when the newer
  /// run has succeeded. A run that waits for the end of its delay cancels at once the earlier runs that wait
  /// for theirs: if you then cancel the newest run, none of them is sent.
  ///
  /// A mutation without a scope of its own gets a scope that is named after its key and the item.
  case newest
}

/// The mutation defaults of a client at one time: immutable, replaced as a whole when they change.
final class MutationDefaultsTable: Sendable {
  typealias Perform = @Sendable (any Sendable, MutationContext) async throws -> any Sendable

  struct Prefix: Sendable {
    var key: AnyQueryKey
    var options: MutationOptions
    var perform: Perform?
  }

  /// The prefixes in the order of registration: later ones win.
  private let prefixes: [Prefix]

  init(prefixes: [Prefix] = []) {
    self.prefixes = prefixes
  }

  func options(for key: AnyQueryKey) -> MutationOptions {
    var options = MutationOptions.default
    for prefix in prefixes where prefix.key.isPrefix(of: key) {
      options = prefix.options.over(options)
    }
    return options
  }

  func defaultPerform(for key: AnyQueryKey) -> Perform? {
    prefixes.last { $0.perform != nil && $0.key.isPrefix(of: key) }?.perform
  }

  /// Returns the table with a prefix added, or replaced in its place, so that an update does not change which
  /// of two registrations wins.
  func adding(_ prefix: Prefix) -> MutationDefaultsTable {
    var prefixes = prefixes
    if let index = prefixes.firstIndex(where: { $0.key == prefix.key }) {
      prefixes[index] = prefix
    } else {
      prefixes.append(prefix)
    }
    return MutationDefaultsTable(prefixes: prefixes)
  }
}
