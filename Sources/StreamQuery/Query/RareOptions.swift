/// The options that most queries do not set, in their own object.
///
/// Each modifier copies the options and each entry keeps them: there, the rare options take one
/// word. Stored in place, they would take three times as much as all the others.
final class RareOptions: Sendable {
  /// The options; a `nil` option comes from the layer below.
  struct Values: Sendable {
    var refetchOnSubscribeRule: (@Sendable (QueryInfo) -> RefetchPolicy)?
    var refetchOnReconnect: EventRefetchPolicy?
    var refetchOnActive: EventRefetchPolicy?
    var refetchInterval: RefetchInterval?
    var refetchIntervalInBackground: BackgroundInterval?
    var abandonment: AbandonmentPolicy?
    var meta: QueryMeta?
    var throwOnError: ThrowPolicy?
    var sharing: SharingPolicy?

    /// Whether nothing is set.
    var isEmpty: Bool {
      refetchOnSubscribeRule == nil && refetchOnReconnect == nil && refetchOnActive == nil
        && refetchInterval == nil && refetchIntervalInBackground == nil && abandonment == nil
        && meta == nil && throwOnError == nil && sharing == nil
    }
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Creates an object only if there is something to put into it.
  convenience init?(ifAny values: Values) {
    guard !values.isEmpty else { return nil }
    self.init(values)
  }

  /// These options over weaker ones.
  func over(_ base: RareOptions) -> RareOptions {
    let (own, base) = (values, base.values)
    return RareOptions(
      Values(
        refetchOnSubscribeRule: own.refetchOnSubscribeRule ?? base.refetchOnSubscribeRule,
        refetchOnReconnect: own.refetchOnReconnect ?? base.refetchOnReconnect,
        refetchOnActive: own.refetchOnActive ?? base.refetchOnActive,
        refetchInterval: own.refetchInterval ?? base.refetchInterval,
        refetchIntervalInBackground: own.refetchIntervalInBackground
          ?? base.refetchIntervalInBackground,
        abandonment: own.abandonment ?? base.abandonment,
        meta: QueryMeta.merge(own.meta, over: base.meta),
        throwOnError: own.throwOnError ?? base.throwOnError,
        sharing: own.sharing ?? base.sharing
      )
    )
  }
}
