/// The page that a fetch of pages asks for.
struct PageAsked: Sendable {
  /// The direction in which the page is added; `nil` if it is a page of the whole value.
  var direction: PageDirection?
  /// The type of the page.
  var type: any Sendable.Type
  /// Finds the page that is cached under the same parameter; `nil` for a page that is added.
  var cached: (@Sendable () -> ValueBox?)?
}
