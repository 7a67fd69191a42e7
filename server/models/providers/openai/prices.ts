import type { ListPrice } from '../../provider.ts'

const models: readonly ListPrice[] = [
  ['gpt-3.5-turbo', '2024-01-25', 0.5, 1.5],
  ['gpt-4', '2023-03-14', 30, 60],
  ['gpt-4-turbo', '2023-11-06', 10, 30],
  ['gpt-4o', '2024-05-13', 5, 15],
  ['gpt-4o', '2024-08-06', 2.5, 10],
  ['gpt-4o-mini', '2024-07-18', 0.15, 0.6],
  ['gpt-4.1', '2025-04-14', 2, 8],
  ['gpt-4.1-mini', '2025-04-14', 0.4, 1.6],
  ['gpt-4.1-nano', '2025-04-14', 0.1, 0.4],
  ['gpt-5', '2025-08-07', 1.25, 10],
  ['gpt-5-mini', '2025-08-07', 0.25, 2],
  ['gpt-5-nano', '2025-08-07', 0.05, 0.4],
  ['gpt-5-pro', '2025-10-06', 15, 120],
  ['gpt-5.1', '2025-11-13', 1.25, 10],
  ['o1', '2024-12-17', 15, 60],
  ['o1-mini', '2024-09-12', 3, 12],
  ['o1-mini', '2025-01-31', 1.1, 4.4],
  ['o3', '2025-04-16', 10, 40],
  ['o3', '2025-06-10', 2, 8],
  ['o3-mini', '2025-01-31', 1.1, 4.4],
  ['o3-pro', '2025-06-10', 20, 80],
  ['o4-mini', '2025-04-16', 1.1, 4.4],
]
const exact: readonly ListPrice[] = [
  // The alias refers to a newer snapshot since then; the first snapshot kept its price.
  ['gpt-4o-2024-05-13', '2024-08-06', 5, 15],
  ['chatgpt-4o-latest', '2024-08-15', 5, 15],
  ['text-embedding-3-small', '2024-01-25', 0.02, 0],
  ['text-embedding-3-large', '2024-01-25', 0.13, 0],
]

/**
 * The newest matching price takes precedence over the longest pattern. Therefore no pattern may match an
 * older model of the same family. Each name is exact; a second entry with `-2*` matches its dated snapshots
 * (`gpt-4o-2024-08-06`).
 */
export const prices: readonly ListPrice[] = [
  ...models.flatMap(([model, from, input, output]): ListPrice[] => [
    [model, from, input, output],
    [`${model}-2*`, from, input, output],
  ]),
  ...exact,
]
