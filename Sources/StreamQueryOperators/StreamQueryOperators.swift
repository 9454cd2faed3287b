public import StreamQuery
