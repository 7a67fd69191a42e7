import type { SampleKind } from '../../../contract/system/sample-data.ts'

/** Marks of the items that belong to the sample data. */
export type SampleItemsTable = { kind: SampleKind; id: string }
