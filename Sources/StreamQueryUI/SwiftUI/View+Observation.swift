#if canImport(SwiftUI)
public import SwiftUI

extension View {
  /// Says when the property wrappers in this view observe: always, unless this says otherwise.
  ///
  /// ```swift
  /// ProfileView(id: 1).queryObservation(.onAppear)
  /// ```
  ///
  /// Put it around the view that has the wrappers: a wrapper cannot know whether its view is shown.
  ///
  /// - Parameter period: When they observe.
  /// - Returns: The view.
  public func queryObservation(_ period: ObservationPeriod) -> some View {
    modifier(ObservationModifier(period: period))
  }

  /// Says to a ``SceneActivity`` whether the scene of this view is in the foreground.
  ///
  /// - Parameter activity: Whom to tell.
  /// - Returns: The view.
  public func sceneActivity(_ activity: SceneActivity) -> some View {
    modifier(SceneModifier(activity: activity))
  }

  /// Refetches a query when the user pulls, and shows the gesture's spinner until it is done.
  ///
  /// A failure is in the query's properties. SwiftUI may cancel the gesture when the view is drawn
  /// again: that is no error, and the request goes on.
  ///
  /// - Parameter observed: The query.
  /// - Returns: The view.
  public func refreshable(_ observed: some _QueryObjectMembers) -> some View {
    refreshable { @MainActor in await observed.refetch() }
  }

  /// Refetches a list of queries when the user pulls, and shows the gesture's spinner until all are
  /// done.
  ///
  /// - Parameter observed: The list.
  /// - Returns: The view.
  public func refreshable(_ observed: ObservedQueries) -> some View {
    refreshable { @MainActor in await observed.refetch() }
  }

  /// Shows the queries of this view in states that were prepared, and fetches nothing.
  ///
  /// ```swift
  /// #Preview {
  ///   ProfileView(id: 1).queryPreview {
  ///     $0.data(User(id: 1, name: "Ada"), for: .user(1))
  ///     $0.loading(.repos(1))
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter states: Says the states; called once.
  /// - Returns: The view.
  public func queryPreview(_ states: @escaping @MainActor (QueryPreview) -> Void) -> some View {
    modifier(PreviewModifier(states: states))
  }
}

struct ObservationModifier: ViewModifier {
  private let property: ObservationProperty

  init(period: ObservationPeriod) { property = ObservationProperty(period: period) }

  func body(content: Content) -> some View {
    let (presence, period) = (property.presence, property.period)
    let observes = presence.isObserving()
    return
      content
      .transformEnvironment(\.surroundings) {
        ($0.isAllowed, $0.isSaid) = (observes, false)
        $0.period = period
        $0.presence = presence
      }
      .onAppear { presence.appeared() }
      .onDisappear { [client = property.surroundings.client] in presence.disappeared(of: client) }
  }
}

/// Says when what is below observes, when SwiftUI updates the modifier that it belongs to.
@MainActor
private struct ObservationProperty: DynamicProperty {
  @SwiftUI.Environment(\.surroundings) var surroundings
  @StateObject var presence: Presence
  let period: ObservationPeriod

  init(period: ObservationPeriod) {
    _presence = StateObject(wrappedValue: Presence())
    self.period = period
  }

  nonisolated func update() {
    ViewUpdate.run { presence.updated(observing: period, in: surroundings) }
  }
}

struct SceneModifier: ViewModifier {
  @SwiftUI.Environment(\.scenePhase) private var phase
  /// Stands for the scene as well.
  ///
  /// No change of a query is a doubt here: with many of them, a scene would never have left.
  @StateObject private var presence: Presence
  private let activity: SceneActivity

  init(activity: SceneActivity) {
    _presence = StateObject(wrappedValue: Presence())
    self.activity = activity
  }

  func body(content: Content) -> some View {
    content
      .onChange(of: phase, initial: true) { _, phase in say(phase) }
      .onAppear {
        presence.onChange = { [activity, weak presence] in
          guard let presence, !presence.isPresent else { return }
          activity.changed(presence, isForeground: false)
        }
        presence.appeared()
        // A view that is back, as from under another one, is told of no other phase.
        say(phase)
      }
      .onDisappear { presence.disappeared(of: nil) }
  }

  private func say(_ phase: ScenePhase) {
    activity.changed(presence, isForeground: phase != .background && presence.isPresent)
  }
}

struct PreviewModifier: ViewModifier {
  private let property: PreviewProperty

  init(states: @escaping @MainActor (QueryPreview) -> Void) {
    property = PreviewProperty(states)
  }

  func body(content: Content) -> some View {
    content.transformEnvironment(\.surroundings) { [preview = property.preview] in
      $0.client = preview.client
      $0.isFrozen = true
    }
  }
}

/// Makes a preview when SwiftUI updates the modifier that it belongs to first.
@MainActor
private struct PreviewProperty: DynamicProperty {
  @StateObject private var holder: PreviewHolder
  private let states: @MainActor (QueryPreview) -> Void

  init(_ states: @escaping @MainActor (QueryPreview) -> Void) {
    _holder = StateObject(wrappedValue: PreviewHolder())
    self.states = states
  }

  var preview: QueryPreview { holder.preview(states) }

  nonisolated func update() {
    ViewUpdate.run { _ = preview }
  }
}

@MainActor
private final class PreviewHolder: nonisolated StillObject {
  private var preview: QueryPreview?

  nonisolated init() {}

  func preview(_ states: (QueryPreview) -> Void) -> QueryPreview {
    if let preview { return preview }
    let new = QueryPreview(states)
    preview = new
    return new
  }
}
#endif
