import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { Price } from '../../../../contract/models/prices.ts'

/** The settings that apply to runs; read for every write. */
export type RunSettings = {
  readonly runRetentionDays: number
  readonly capture: CaptureMode
  readonly payloadRetentionDays: number
  readonly payloadMaxMb: number
  readonly prices: readonly Price[]
}
