import type { Locator, Page } from 'playwright'

/** Page object for panels with a common time axis: a crosshair, markers, and a table of the same data. */
export const chartPart = (page: Page) => {
  const crosshair = page.getByRole('slider', { name: /over time$/ })
  const table = page.getByRole('table', { name: /over time$/ })
  const markers = page.getByRole('list', { name: 'Events' }).getByRole('button')
  const at = async (share: number): Promise<{ x: number; y: number }> => {
    const box = await crosshair.boundingBox()
    if (box === null) throw new Error('the charts are not on the page')
    return { x: box.x + Math.min(box.width - 1, Math.max(1, share * box.width)), y: box.y + 60 }
  }
  return {
    crosshair,
    panel: (title: string): Locator =>
      page.getByRole('img', { name: new RegExp(`^${title} over time, up to`) }),
    /** Returns a panel's legend, which has values while the crosshair is on a point. */
    legend: (plot: 'runs' | 'latency' | 'tokens' | 'cost'): Locator => page.getByTestId(`plot-${plot}`),
    selection: page.getByTestId('selection'),
    /** Returns the number of points on the axis. */
    buckets: async (): Promise<number> => Number(await crosshair.getAttribute('aria-valuemax')) + 1,
    /** Moves the pointer to a position from 0 (left) to 1 (right). */
    async pointAt(share: number): Promise<void> {
      const { x, y } = await at(share)
      await page.mouse.move(x, y)
    },
    async clickAt(share: number): Promise<void> {
      const { x, y } = await at(share)
      await page.mouse.click(x, y)
    },
    async drag(from: number, to: number): Promise<void> {
      const [start, end] = [await at(from), await at(to)]
      await page.mouse.move(start.x, start.y)
      await page.mouse.down()
      await page.mouse.move((start.x + end.x) / 2, start.y, { steps: 3 })
      await page.mouse.move(end.x, end.y, { steps: 3 })
      await page.mouse.up()
    },
    markers,
    marker: (label: string): Locator => page.getByRole('button', { name: label, exact: true }),
    card: page.getByTestId('marker-card'),
    table,
    tableRows: table.locator('tbody tr'),
  }
}
