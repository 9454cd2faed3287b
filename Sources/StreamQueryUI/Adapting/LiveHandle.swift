/// The value of `$` of a property wrapper: for modifiers of views, which say what it observes or when.
@MainActor
public struct LiveHandle<Object: AnyObject> {
  let holder: LiveHolder<Object>
}
