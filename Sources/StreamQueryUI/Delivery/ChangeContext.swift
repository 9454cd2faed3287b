/// What a change is applied inside of, such as an animation: calls it once, before it returns.
///
/// ```swift
/// let user = ObservedQuery(.user(42), client: client)
/// user.changeContext = { change in
///   show("before")
///   change()
///   show("after")
/// }
/// ```
public typealias ChangeContext = @MainActor (_ change: () -> Void) -> Void
