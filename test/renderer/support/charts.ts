import type { Locator, Page } from 'playwright-core'

/** Panels over one time axis, as a person meets them: a crosshair to move, markers to open, a table of the same. */
export const chartPart = (page: Page) => {
  const crosshair = page.getByRole('slider', { name: /over time$/ })
  const table = page.getByRole('table', { name: /over time$/ })
  const markers = page.getByRole('list', { name: 'What happened' }).getByRole('button')
  const at = async (share: number): Promise<{ x: number; y: number }> => {
    const box = await crosshair.boundingBox()
    if (box === null) throw new Error('the charts are not on the page')
    return { x: box.x + Math.min(box.width - 1, Math.max(1, share * box.width)), y: box.y + 60 }
  }
  return {
    crosshair,
    panel: (title: string): Locator =>
      page.getByRole('img', { name: new RegExp(`^${title} over time, up to`) }),
    /** A panel's legend, with its values while the crosshair is somewhere. */
    legend: (plot: 'runs' | 'latency' | 'tokens' | 'cost'): Locator => page.getByTestId(`plot-${plot}`),
    crosshairTime: page.getByTestId('crosshair-time'),
    selection: page.getByTestId('selection'),
    /** How many points the axis has. */
    buckets: async (): Promise<number> => Number(await crosshair.getAttribute('aria-valuemax')) + 1,
    /** Points at a place from 0 (left) to 1 (right). */
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
