import { describe, expect, it } from 'vitest'
import { createWindows } from '../../../../server/features/runs/store/windows.ts'

const dayMs = 86_400_000

/** Reads a span in windows. `costOf` returns the milliseconds of a statement for a width. */
function read(days: number, costOf: (width: number, index: number) => number) {
  const windows = createWindows({ from: 0, to: days * dayMs }, 'desc')
  const costs: number[] = []
  for (let window = windows.next(); window !== null && costs.length < 100_000; window = windows.next()) {
    const cost = costOf(window.to - window.from, costs.length)
    windows.adjust(cost)
    costs.push(cost)
  }
  return { statements: costs.length, longest: Math.max(...costs.slice(10)) }
}

describe('the windows of a span', () => {
  it.each([5, 20, 500])('stay wide if a statement takes %d ms whatever its width', (fixed) => {
    expect(read(365, (width) => fixed + width / dayMs).statements).toBeLessThan(1000)
  })

  it.each([
    ['become narrow where there are many runs', 0, 5],
    ['stay narrow there after pauses of the process', 30, 90],
    ['stay narrow there if a statement takes 10 ms whatever its width', 10, 25],
  ])('%s', (_, extra, longest) => {
    const hasExtra = (index: number) => extra === 10 || index % 20 > 16
    const costOf = (width: number, index: number) => width / 10_000 + (hasExtra(index) ? extra : 0)
    expect(read(1, costOf).longest).toBeLessThan(longest)
  })
})
