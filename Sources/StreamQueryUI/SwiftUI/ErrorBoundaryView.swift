#if canImport(SwiftUI)
internal import Foundation
public import SwiftUI

/// Shows an error in place of its content, if a query in the content fails with an error that belongs to a
/// boundary.
///
/// The `throwOnError` of a query decides which errors belong to a boundary. Other errors stay in the query's
/// properties.
///
/// ```swift
/// ErrorBoundaryView {
///   FeedView()
/// } failure: { error, retry in
///   Text("\(error)")
///   Button("Try again", action: retry)
/// }
/// ```
///
/// The nearest boundary that catches an error shows it. When the user tries again, the content is shown, and
/// the failed queries are fetched again; ``ErrorBoundary/reset()-1h7bh`` says how.
public struct ErrorBoundaryView<Content: View, Failure: View>: View {
  private let property: BoundaryProperty
  private let content: Content
  private let failure: (any Error, @escaping @MainActor () -> Void) -> Failure

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - catches: Returns whether this view catches an error; by default it catches all. Other errors go to
  ///     the boundary around it.
  ///   - onReset: Called when the user tries again, before the failed queries are fetched again.
  ///   - content: The content.
  ///   - failure: Makes the replacement of the content from the error and an action that tries
  ///     again.
  public init(
    catching catches: @escaping @MainActor (any Error) -> Bool = { _ in true },
    onReset: @escaping @MainActor () -> Void = {},
    @ViewBuilder content: () -> Content,
    @ViewBuilder failure:
      @escaping (
        _ error: any Error,
        _ retry: @escaping @MainActor () -> Void
      ) -> Failure
  ) {
    self.init(nil, onReset, catches, content(), failure)
  }

  /// Creates a view for the boundary of a model; the model's queries report to that boundary.
  ///
  /// The boundary itself decides which errors it catches, which boundary is around it, and what a reset does.
  ///
  /// - Parameters:
  ///   - boundary: The boundary.
  ///   - content: The content; queries of property wrappers in it also report to the boundary.
  ///   - failure: Makes the replacement of the content from the error and an action that tries
  ///     again.
  public init(
    _ boundary: ErrorBoundary,
    @ViewBuilder content: () -> Content,
    @ViewBuilder failure:
      @escaping (
        _ error: any Error,
        _ retry: @escaping @MainActor () -> Void
      ) -> Failure
  ) {
    self.init(boundary, {}, { _ in true }, content(), failure)
  }

  private init(
    _ given: ErrorBoundary?,
    _ onReset: @escaping @MainActor () -> Void,
    _ catches: @escaping @MainActor (any Error) -> Bool,
    _ content: Content,
    _ failure: @escaping (any Error, @escaping @MainActor () -> Void) -> Failure
  ) {
    property = BoundaryProperty(given: given, onReset: onReset, catches: catches)
    self.content = content
    self.failure = failure
  }

  /// The content.
  public var body: some View {
    let boundary = property.boundary
    if let error = boundary.error {
      failure(error) { boundary.reset() }
    } else {
      content.transformEnvironment(\.queryEnvironment) { $0.boundary = boundary }
    }
  }
}

/// The boundary of an ``ErrorBoundaryView``: the given boundary, or else one that the view owns.
@MainActor
private struct BoundaryProperty: DynamicProperty {
  @StateObject private var holder: BoundaryHolder
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let given: ErrorBoundary?
  private let onReset: @MainActor () -> Void
  private let catches: @MainActor (any Error) -> Bool

  init(
    given: ErrorBoundary?,
    onReset: @escaping @MainActor () -> Void,
    catches: @escaping @MainActor (any Error) -> Bool
  ) {
    _holder = StateObject(wrappedValue: BoundaryHolder())
    self.given = given
    self.onReset = onReset
    self.catches = catches
  }

  var boundary: ErrorBoundary { given ?? holder.boundary }

  nonisolated func update() {
    ViewUpdate.run {
      if given == nil { holder.updated(in: queryEnvironment.boundary, onReset, catches) }
    }
  }
}

/// Retains the boundary of a view, and replaces it when the boundary around the view changes.
@MainActor
private final class BoundaryHolder: nonisolated StillObject {
  private(set) lazy var boundary = made(in: nil)
  private var onReset: @MainActor () -> Void = {}
  private var catches: @MainActor (any Error) -> Bool = { _ in true }

  nonisolated init() {}

  func updated(
    in parent: ErrorBoundary?,
    _ onReset: @escaping @MainActor () -> Void,
    _ catches: @escaping @MainActor (any Error) -> Bool
  ) {
    self.onReset = onReset
    self.catches = catches
    if boundary.parent !== parent { boundary = made(in: parent) }
  }

  private func made(in parent: ErrorBoundary?) -> ErrorBoundary {
    ErrorBoundary(parent: parent) { [weak self] in
      self?.onReset()
    } catches: { [weak self] in
      self?.catches($0) ?? false
    }
  }
}

extension View {
  /// Shows an error in place of this view when a query in it fails; see ``ErrorBoundaryView``.
  ///
  /// - Parameters:
  ///   - reset: Called when the user tries again, before the failed queries are fetched again.
  ///   - failure: Makes the replacement of the view from the error and an action that tries again.
  /// - Returns: The view.
  public func errorBoundary(
    reset: @escaping @MainActor () -> Void = {},
    @ViewBuilder failure:
      @escaping (
        _ error: any Error,
        _ retry: @escaping @MainActor () -> Void
      ) -> some View
  ) -> some View {
    ErrorBoundaryView(onReset: reset) {
      self
    } failure: {
      failure($0, $1)
    }
  }

  /// Shows an error and a button to try again in place of this view when a query in it fails.
  ///
  /// The text is the error's `localizedDescription`; the button's title is the string "Try again" of the app.
  ///
  /// - Parameter reset: Called when the user tries again, before the failed queries are fetched again.
  /// - Returns: The view.
  public func errorBoundary(reset: @escaping @MainActor () -> Void = {}) -> some View {
    errorBoundary(reset: reset) { error, retry in
      VStack {
        Text(verbatim: error.localizedDescription)
        Button("Try again", action: retry)
      }
    }
  }
}

/// Reports an error to the nearest ``ErrorBoundaryView``; has no effect if there is none.
///
/// ```swift
/// struct SaveButton: View {
///   @Environment(\.reportError) private var reportError
///
///   var body: some View {
///     Button("Save") {
///       do { try save() } catch { reportError(error) }
///     }
///   }
/// }
/// ```
public struct ReportErrorAction: Sendable {
  let boundary: ErrorBoundary?

  /// Reports an error, such as the error of a button's action.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - retry: Called when the user tries again.
  /// - Returns: Whether a boundary has caught the error.
  @MainActor @discardableResult
  public func callAsFunction(
    _ error: any Error,
    retry: @escaping @MainActor () async -> Void = {}
  ) -> Bool {
    boundary?.report(error, retry: retry) ?? false
  }
}

extension EnvironmentValues {
  /// An action that reports an error of your own code, not of a query, to the nearest boundary.
  public var reportError: ReportErrorAction {
    ReportErrorAction(boundary: queryEnvironment.boundary)
  }
}
#endif
