#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StreamQuery

extension ObservedSelection where Stored: PageSequenceValue {
  /// What is known of the page after the last one; a reader is told of changes.
  var nextPageFacts: NextPageMachine.Facts {
    noteRead(of: .data)
    return NextPageMachine.Facts(
      hasNextPage: hasNextPage,
      isIdle: fetchStatus == .idle,
      isError: isFetchNextPageError,
      count: present.stored.data?.pages.count ?? 0,
      updated: dataUpdatedAt?.timeIntervalSinceReferenceDate
    )
  }
}
