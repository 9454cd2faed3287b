/// A function inside of which a change is applied, such as an animation; it calls the change once,
/// before it returns.
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
