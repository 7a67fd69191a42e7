/**
 * Takes pictures of the Overview in use: a selection with the previous period, the table, and the printed page.
 * @param {{
 *   open: (width: number) => Promise<import('playwright').Page>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void>,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   url: string,
 *   scheme: string,
 *   width: number,
 * }} options
 */
export async function overviewStates({ open, waitForPage, shoot, url, scheme, width }) {
  const page = await open(width)
  await page.goto(`${url}/?period=7d&compare=previous`)
  await waitForPage(page)
  await page.getByRole('slider').focus()
  for (const key of ['End', 'PageDown', 'PageDown', ...Array(24).fill('Shift+ArrowLeft')])
    await page.keyboard.press(key)
  await shoot(page, `overview-compare-${scheme}-${width}`)
  await page.goto(`${url}/?view=table`)
  await waitForPage(page)
  await shoot(page, `overview-table-${scheme}-${width}`)
  await page.context().close()
  // Paper is light, so one picture is enough: A4 at 96 dots per inch without its margins.
  if (scheme !== 'dark' || width !== 900) return
  const paper = await open(703)
  await paper.goto(url)
  await waitForPage(paper)
  await paper.getByRole('slider').waitFor()
  await paper.emulateMedia({ media: 'print' })
  await paper.setViewportSize({ width: 703, height: 1032 })
  await shoot(paper, 'overview-print')
  await paper.context().close()
}
