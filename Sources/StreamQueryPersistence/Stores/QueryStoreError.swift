/// The reason why a call of a store failed.
///
/// After any of these errors, all acknowledged batches are still there.
public enum QueryStoreError: Error, Sendable, CustomStringConvertible {
  /// There is no room for the batch.
  case full
  /// The system refuses the store access to its data.
  case denied
  /// Another store, of this process or another, uses the same data.
  case inUse
  /// Another version of the library wrote the data, in a format that this version does not read; the data
  /// stays.
  case otherVersion
  /// The batch belongs to another generation than the present one.
  case superseded(current: StoreGeneration)
  /// The store was closed.
  case closed
  /// The store's files were removed or replaced while it had them open, and the batch was not written.
  ///
  /// The store has created the files again, with the acknowledged records, so that the batch can be written
  /// again.
  case filesReplaced
  /// Another error occurred.
  case failed(any Error)

  /// A sentence that says how the error came about and what to do.
  public var description: String {
    switch self {
    case .full:
      "there is no room for the batch: free some space, or save less, and write it again"
    case .denied:
      "access to the store's data is denied: check the permissions and the file protection, and try again"
    case .inUse:
      "another store uses the same data: share one store, close the other, or use another directory"
    case .otherVersion:
      "the data was written by another version, and is left as it is: use that one, or another directory"
    case .superseded(let current):
      "the partition was wiped since the batch's generation: load generation \(current) to write again"
    case .closed: "the store was closed: create another"
    case .filesReplaced:
      "the store's files were removed or replaced, and are created anew: write the batch again"
    case .failed(let error): "the store failed, and may work if tried again: \(error)"
    }
  }
}

extension QueryStoreError {
  /// Whether another try cannot succeed.
  var isFinal: Bool {
    switch self {
    case .superseded, .closed, .inUse, .otherVersion: true
    case .full, .denied, .filesReplaced, .failed: false
    }
  }
}
