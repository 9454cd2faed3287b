#if canImport(SwiftUI)
public import SwiftUI

extension View {
  /// Sets the period in which the property wrappers in this view observe; by default they always do.
  ///
  /// ```swift
  /// ProfileView(id: 1).queryObservation(.onAppear)
  /// ```
  ///
  /// Put the modifier around the view with the wrappers, because a wrapper cannot know whether its view is
  /// shown.
  ///
  /// - Parameter period: The period in which the wrappers observe.
  /// - Returns: The view.
  public func queryObservation(_ period: ObservationPeriod) -> some View {
    modifier(ObservationModifier(period: period))
  }

  /// Reports to a ``SceneActivity`` whether the scene of this view is in the foreground.
  ///
  /// - Parameter activity: The object that receives the reports.
  /// - Returns: The view.
  public func sceneActivity(_ activity: SceneActivity) -> some View {
    modifier(SceneModifier(activity: activity))
  }

  /// Refetches a query when the user pulls, and shows the gesture's spinner until the fetch has ended.
  ///
  /// The spinner stays during retries, and while the fetch waits for a network. To end the gesture at once,
  /// write `.refreshable { Task { await query.refetch() } }`.
  ///
  /// A failure is in the query's properties. SwiftUI may cancel the gesture when the view is drawn again.
  /// That is no error, and the request continues.
  ///
  /// - Parameter observed: The query.
  /// - Returns: The view.
  public func refreshable(_ observed: some _QueryObjectMembers) -> some View {
    refreshable { @MainActor in await observed.refetch() }
  }

  /// Refetches a list of queries when the user pulls, and shows the gesture's spinner until all fetches have
  /// ended or wait for the network.
  ///
  /// - Parameter observed: The list.
  /// - Returns: The view.
  public func refreshable(_ observed: ObservedQueries) -> some View {
    refreshable { @MainActor in await observed.refetch() }
  }

  /// Shows the queries of this view in prepared states, without fetches.
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
  /// - Parameter states: Sets the states; called once.
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
      .transformEnvironment(\.queryEnvironment) {
        ($0.observes, $0.isExplicit) = (observes, false)
        $0.period = period
        $0.presence = presence
      }
      .onAppear { presence.appeared() }
      .onDisappear { [client = property.queryEnvironment.client] in presence.disappeared(of: client)
      }
  }
}

/// Tells the ``Presence`` of the modifier's content the period and the environment, at each update.
@MainActor
private struct ObservationProperty: DynamicProperty {
  @SwiftUI.Environment(\.queryEnvironment) var queryEnvironment
  @StateObject var presence: Presence
  let period: ObservationPeriod

  init(period: ObservationPeriod) {
    _presence = StateObject(wrappedValue: Presence())
    self.period = period
  }

  nonisolated func update() {
    ViewUpdate.run { presence.updated(observing: period, in: queryEnvironment) }
  }
}

struct SceneModifier: ViewModifier {
  @SwiftUI.Environment(\.scenePhase) private var phase
  /// The presence of the content, which also identifies the scene.
  ///
  /// Changes of queries are not reported to this presence. After each report, the presence could not tell for
  /// some seconds whether the content is hidden or only empty, so with frequent changes the scene would never
  /// count as hidden.
  @StateObject private var presence: Presence
  private let activity: SceneActivity

  init(activity: SceneActivity) {
    _presence = StateObject(wrappedValue: Presence())
    self.activity = activity
  }

  func body(content: Content) -> some View {
    content
      .onChange(of: phase, initial: true) { _, phase in say(phase) }
      .onChange(of: Receiver(activity: activity)) { former, _ in
        reportHiding()
        say(phase)
        former.activity.changed(presence, isForeground: false)
      }
      .onAppear {
        reportHiding()
        presence.appeared()
        // The phase is reported again, because the phase does not change when a view that was covered by
        // another one is shown again.
        say(phase)
      }
      .onDisappear { presence.disappeared(of: nil) }
  }

  private func say(_ phase: ScenePhase) {
    activity.changed(presence, isForeground: phase != .background && presence.isPresent)
  }

  /// From now on, tells the present `activity` when the content becomes hidden.
  private func reportHiding() {
    presence.onChange = { [activity, weak presence] in
      guard let presence, !presence.isPresent else { return }
      activity.changed(presence, isForeground: false)
    }
  }

  /// The object that receives the reports, compared by its identity.
  private struct Receiver: Equatable {
    let activity: SceneActivity

    static func == (one: Self, other: Self) -> Bool { one.activity === other.activity }
  }
}

struct PreviewModifier: ViewModifier {
  private let property: PreviewProperty

  init(states: @escaping @MainActor (QueryPreview) -> Void) {
    property = PreviewProperty(states)
  }

  func body(content: Content) -> some View {
    content.transformEnvironment(\.queryEnvironment) { [preview = property.preview] in
      $0.client = preview.client
      $0.isFrozen = true
    }
  }
}

/// Makes a preview at the first update of the modifier.
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
