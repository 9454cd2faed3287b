/// Options of a mutation that do not depend on its types; what is `nil` comes from the layer below.
///
/// Layers, from the weakest: the built-in defaults, those registered for prefixes of the key in the
/// order of their registration, and the mutation itself.
public struct MutationOptions: Sendable, _FreeOfActors {
  /// Retries of failed attempts; none by default.
  public var retry: RetryPolicy?
  /// What happens while offline; ``NetworkMode/online`` by default: the run is paused.
  public var networkMode: NetworkMode?
  /// How long a run is kept after its end; five minutes by default.
  public var gcTime: Duration?
  /// The lane: runs of one scope perform one after the other, in the order of their start.
  public var scope: String?
  /// Facts for the mutation, filters and events.
  public var meta: QueryMeta?

  /// Creates options; what is left out comes from the layer below.
  ///
  /// - Parameters:
  ///   - retry: Retries of failed attempts.
  ///   - networkMode: What happens while offline.
  ///   - gcTime: How long a run is kept after its end.
  ///   - scope: The lane.
  ///   - meta: Facts for the mutation, filters and events.
  public init(
    retry: RetryPolicy? = nil,
    networkMode: NetworkMode? = nil,
    gcTime: Duration? = nil,
    scope: String? = nil,
    meta: QueryMeta? = nil
  ) {
    self.retry = retry
    self.networkMode = networkMode
    self.gcTime = gcTime
    self.scope = scope
    self.meta = meta
  }

  /// Every option left to the layer below.
  public static let `default` = MutationOptions()

  /// These options over weaker ones.
  func over(_ base: MutationOptions) -> MutationOptions {
    MutationOptions(
      retry: RetryPolicy.merge(retry, over: base.retry),
      networkMode: networkMode ?? base.networkMode,
      gcTime: gcTime ?? base.gcTime,
      scope: scope ?? base.scope,
      meta: (base.meta ?? QueryMeta()).merging(meta ?? QueryMeta())
    )
  }
}
