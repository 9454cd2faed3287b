/// The `$` value of a property wrapper, for modifiers that set what the wrapper observes, or when.
@MainActor
public struct LiveHandle<Object: AnyObject> {
  let holder: LiveHolder<Object>
}
