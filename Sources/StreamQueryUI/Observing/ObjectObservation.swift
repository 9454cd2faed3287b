#if canImport(ObjectiveC)
internal import ObjectiveC
#endif
@_spi(Adapters) internal import StreamQuery

/// An observation that ends with an object, its owner; see `QueryClient.observe(_:on:options:_:)`.
@MainActor
public final class ObjectObservation {
  private weak let owner: AnyObject?
  /// The delivery of the client.
  ///
  /// The reference is weak, because the delivery may retain this object, and both would outlive a client that
  /// was shut down.
  private weak let delivery: MainActorDelivery?
  private var position: Int?
  private var show: ((ObservationChange) -> Void)?
  private var showNothing: (() -> Void)?

  init(_ owner: AnyObject, delivery: MainActorDelivery) {
    self.owner = owner
    self.delivery = delivery
  }

  deinit {
    // The owner, which retained this observation, was released, so the observer leaves the group.
    if let position { delivery?.group.remove(position) }
  }

  /// Whether the closure is still called with new results.
  public var isObserving: Bool { show != nil && owner != nil }

  /// Ends the observation; a second call has no effect.
  public func cancel() {
    guard showNothing != nil else { return }
    if let position { delivery?.group.remove(position) }
    (position, show, showNothing) = (nil, nil, nil)
    letGo()
  }

  func begin<Value>(
    _ observer: QueryObserver<Value>,
    _ show: @escaping @MainActor (QueryResult<Value>) -> Void
  ) {
    guard let delivery else { return }
    let first = delivery.group.insert(observer)
    position = first.position
    self.show = { change in
      if let result = change.result(of: observer) { show(result) }
    }
    showNothing = { show(.idle) }
    delivery.tell(self, of: first.position)
    keep()
    show(first.result(of: observer) ?? observer.result)
  }

  private func keep() {
    #if canImport(ObjectiveC)
    guard let owner else { return }
    objc_setAssociatedObject(owner, associationKey, self, .OBJC_ASSOCIATION_RETAIN)
    #else
    delivery?.retain(self)
    #endif
  }

  private func letGo() {
    #if canImport(ObjectiveC)
    guard let owner else { return }
    objc_setAssociatedObject(owner, associationKey, nil, .OBJC_ASSOCIATION_RETAIN)
    #else
    delivery?.release(self)
    #endif
  }

  #if canImport(ObjectiveC)
  /// The key is the observation's address, because an owner may have several observations.
  private var associationKey: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
  #endif
}

extension ObjectObservation: OwnedMember {
  var isOrphan: Bool { owner == nil }

  func changed(_ change: ObservationChange) {
    guard owner != nil else { return cancel() }
    guard change.isOver else { return show?(change) ?? () }
    // The delivery still knows the observation until the owner's release, because the observation must be
    // told if the client is erased.
    if let position { delivery?.group.remove(position) }
    (position, show) = (nil, nil)
    guard let delivery else { return }
    delivery.remember(self)
    if delivery.isErased { forget(delivery) }
  }

  func forget(_ delivery: MainActorDelivery) {
    if owner != nil { showNothing?() }
    cancel()
  }
}
