internal import StreamQuery

extension ObservedSelection {
  /// A function inside of which changes that arrive are applied, such as an animation; `nil` is none.
  ///
  /// What shows at once is no such change: at the start, or with another query.
  public var changeContext: ChangeContext? {
    get { rareParts?.changeContext }
    set {
      guard newValue != nil || changeContext != nil else { return }
      madeRareParts().changeContext = newValue
    }
  }

  func madeRareParts() -> RareParts<Selected> {
    if let rareParts { return rareParts }
    let new = RareParts<Selected>()
    rareParts = new
    return new
  }
}

extension ObservedSelection: WitnessedObject {
  var witness: (any ReaderWitness)? {
    get { rareParts?.witness }
    set { madeRareParts().witness = newValue }
  }
}
