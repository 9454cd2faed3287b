#if canImport(SwiftUI)
internal import StreamQuery
internal import SwiftUI

/// The observed query or selection of a view; the common part of ``LiveQuery`` and ``LiveSelection``.
@MainActor
struct LiveProperty<Object: _QueryObjectMembers>: DynamicProperty {
  @StateObject private var holder: LiveHolder<Object>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let query: Query<Object.Stored>?
  private let options: OptionsBox?
  private let debounce: Duration?
  private let animation: Animation?
  private let make: @MainActor () -> Object

  init(
    _ query: Query<Object.Stored>?,
    options: ObserverOptions?,
    debounce: Duration? = nil,
    animation: Animation?,
    make: @escaping @MainActor () -> Object
  ) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.query = query
    // The options are in an object, because they are large, and SwiftUI often copies the struct of a view.
    self.options = options.map { OptionsBox($0) }
    self.debounce = debounce
    self.animation = animation
    self.make = make
  }

  var object: Object { holder.object(make) }

  var handle: LiveHandle<Object> { LiveHandle(holder: holder) }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext, options: options, make)
      if let query {
        // The closure captures only the interval. The holder stores the closure, so a captured `self` would
        // make the holder retain itself.
        holder.configure(by: .wrapper, in: queryEnvironment) { [debounce] in
          $0.configure(query, $1, $2, $3, debounce: debounce)
        }
      } else {
        holder.namedNothing { $0.showNothing() }
      }
      holder.updated()
    }
  }
}
#endif
