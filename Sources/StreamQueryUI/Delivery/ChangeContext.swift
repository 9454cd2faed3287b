/// A function that applies a change, for example inside of an animation; it calls `change` once, before it
/// returns.
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
