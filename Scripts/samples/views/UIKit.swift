#if canImport(UIKit)
import UIKit
#else
// The part of UIKit that samples use. Nothing of it runs.
@MainActor class UIViewController {
  var title: String?
  init() {}
  func viewDidLoad() {}
  func viewWillAppear(_ animated: Bool) {}
  func viewDidDisappear(_ animated: Bool) {}
  func viewWillLayoutSubviews() {}
  func updateProperties() {}
}

@MainActor class UILabel {
  var text: String?
  var isEnabled = true
  init() {}
}
#endif
