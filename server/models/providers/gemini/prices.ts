import type { ListPrice } from '../../provider.ts'

/**
 * The newest matching price takes precedence over the longest pattern. Therefore no pattern may match an
 * older model of the same family.
 */
export const prices: readonly ListPrice[] = [
  ['gemini-1.5-pro*', '2024-10-01', 1.25, 5],
  ['gemini-1.5-flash*', '2024-08-12', 0.075, 0.3],
  ['gemini-1.5-flash-8b*', '2024-10-03', 0.0375, 0.15],
  ['gemini-2.0-flash*', '2025-02-05', 0.1, 0.4],
  ['gemini-2.0-flash-lite*', '2025-02-25', 0.075, 0.3],
  ['gemini-2.5-pro*', '2025-06-17', 1.25, 10],
  ['gemini-2.5-flash*', '2025-06-17', 0.3, 2.5],
  ['gemini-2.5-flash-lite*', '2025-07-22', 0.1, 0.4],
  ['gemini-3-pro*', '2025-11-18', 2, 12],
]
