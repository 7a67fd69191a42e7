import type { ListPrice } from '../../provider.ts'

/**
 * The newest matching price takes precedence over the longest pattern. Therefore no pattern may match an
 * older model of the same family.
 */
export const prices: readonly ListPrice[] = [
  ['claude-3-opus*', '2024-03-04', 15, 75],
  ['claude-3-sonnet*', '2024-03-04', 3, 15],
  ['claude-3-haiku*', '2024-03-13', 0.25, 1.25],
  ['claude-3-5-sonnet*', '2024-06-20', 3, 15],
  ['claude-3-5-haiku*', '2024-11-04', 0.8, 4],
  ['claude-3-7-sonnet*', '2025-02-24', 3, 15],
  ['claude-sonnet-4*', '2025-05-22', 3, 15],
  ['claude-opus-4*', '2025-05-22', 15, 75],
  ['claude-opus-4-1*', '2025-08-05', 15, 75],
  ['claude-sonnet-4-5*', '2025-09-29', 3, 15],
  ['claude-haiku-4-5*', '2025-10-15', 1, 5],
  ['claude-opus-4-5*', '2025-11-24', 5, 25],
]
