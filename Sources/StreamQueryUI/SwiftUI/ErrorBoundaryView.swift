#if canImport(SwiftUI)
internal import Foundation
public import SwiftUI

/// Shows an error in place of its content when a query in it fails in a way that it should not show
/// itself.
///
/// A query's `throwOnError` says which errors these are. All others stay in its properties.
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
/// The nearest boundary that catches an error shows it. Trying again resets the queries that failed,
/// and shows the content.
public struct ErrorBoundaryView<Content: View, Failure: View>: View {
  private let property: BoundaryProperty
  private let content: Content
  private let failure: (any Error, @escaping @MainActor () -> Void) -> Failure

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - catches: Whether it catches an error; by default all. Others go to the boundary around it.
  ///   - onReset: Called when the user tries again, before the queries do.
  ///   - content: The content.
  ///   - failure: Makes what is shown in its place, of the error and of what to do to try again.
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

  /// Creates a view for the boundary of a model, whose queries report to it.
  ///
  /// The boundary itself says what it catches, which one is around it, and what a reset does.
  ///
  /// - Parameters:
  ///   - boundary: The boundary.
  ///   - content: The content; queries of property wrappers in it report to the boundary as well.
  ///   - failure: Makes what is shown in its place, of the error and of what to do to try again.
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
      content.transformEnvironment(\.surroundings) { $0.boundary = boundary }
    }
  }
}

/// The boundary of a view: one that it was given, or its own.
@MainActor
private struct BoundaryProperty: DynamicProperty {
  @StateObject private var holder: BoundaryHolder
  @SwiftUI.Environment(\.surroundings) private var surroundings
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
      if given == nil { holder.updated(in: surroundings.boundary, onReset, catches) }
    }
  }
}

/// Holds a boundary of its own, and another one for each that is around it.
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
  ///   - reset: Called when the user tries again, before the queries do.
  ///   - failure: Makes what is shown in its place, of the error and of what to do to try again.
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
  /// The text is the error's `localizedDescription`; that of the button is looked up as "Try again" in
  /// the app's own strings.
  ///
  /// - Parameter reset: Called when the user tries again, before the queries do.
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

/// Reports an error to the nearest ``ErrorBoundaryView``; does nothing if there is none.
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

  /// Reports an error, such as one of a button.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - retry: What is done when the user tries again.
  /// - Returns: Whether a boundary has caught it.
  @MainActor @discardableResult
  public func callAsFunction(
    _ error: any Error,
    retry: @escaping @MainActor () async -> Void = {}
  ) -> Bool {
    boundary?.report(error, retry: retry) ?? false
  }
}

extension EnvironmentValues {
  /// Reports errors that are no query's to the nearest boundary.
  public var reportError: ReportErrorAction { ReportErrorAction(boundary: surroundings.boundary) }
}
#endif
