internal import StreamQuery

/// What most observed queries do not have, out of line.
///
/// Replaced as a whole.
@MainActor
final class RareParts<Value: Sendable> {
  let options: ObserverOptions?
  let changeContext: ChangeContext?
  let route: ErrorRoute<Value>?

  init(
    _ options: ObserverOptions?,
    _ changeContext: ChangeContext? = nil,
    _ route: ErrorRoute<Value>? = nil
  ) {
    self.options = options
    self.changeContext = changeContext
    self.route = route
  }
}
