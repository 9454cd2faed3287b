/// The value of `$` of a property wrapper, for modifiers of views that set what or when it observes.
@MainActor
public struct LiveHandle<Object: AnyObject> {
  let holder: LiveHolder<Object>
}
