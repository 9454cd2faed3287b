/// The `$` value of a property wrapper, for modifiers that name what the wrapper observes, or when.
@MainActor
public struct LiveHandle<Object: AnyObject> {
  let holder: LiveHolder<Object>
}
