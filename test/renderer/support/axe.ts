import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[]
}

/** Rules whose result depends on colours. All other rules see the same page in both schemes. */
const colorRules = ['color-contrast', 'link-in-text-block']
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']

async function run(page: Page, within: string, runOnly: object): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${options}).then((result) => result.violations)`,
  )) as Violation[]
  const scheme = await schemeOf(page)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map((node) => `${scheme}: ${impact} ${id} ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  )
}

const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

async function schemeOf(page: Page): Promise<Scheme> {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  return isDark ? 'dark' : 'light'
}

/**
 * Waits until the page has the colours of the scheme. Without the console's attribute the style sheet applies.
 */
async function setScheme(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme })
  const attribute = 'data-mantine-color-scheme'
  await page
    .locator(`html[${attribute}=${colorScheme}], html:not([${attribute}])`)
    .waitFor({ state: 'attached' })
  // Finish transitions, because intermediate colours do not count.
  await page.evaluate(() => {
    for (const change of document.getAnimations()) if (change instanceof CSSTransition) change.finish()
  })
}

/** Selects an open dialog. Tests of dialogs check only these: `axe-routes` checks the pages behind them. */
export const openDialog = '[role="dialog"][aria-modal="true"]'
/** Selects an open dialog and the drawer behind it, for drawers that no other test checks. */
export const dialogAndDrawer = `${openDialog}, [data-testid="drawer"]`

/**
 * Returns what axe finds on the page: WCAG 2.1 A and AA and best practice, one line per node. The rules about colours
 * run in the other colour scheme too; afterwards the page has its previous scheme. `within` limits the check to a part
 * of a page that another test checks as a whole.
 */
export async function axeFaults(page: Page, within = 'html'): Promise<string[]> {
  // A page that an earlier check used still has it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const [current, other] =
    (await schemeOf(page)) === 'dark' ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  const found = await run(page, within, { type: 'tag', values: allRules })
  await setScheme(page, other)
  const inOther = await run(page, within, { type: 'rule', values: colorRules })
  await setScheme(page, current)
  return [...found, ...inOther]
}

/**
 * Returns the lowest contrast, in both colour schemes, between unchecked controls and their surroundings. WCAG 1.4.11 requires
 * 3; axe does not check it. The part of the page must contain a checkbox, a radio button and a switch.
 */
export async function controlContrast(page: Page, within: string): Promise<number> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const current = await schemeOf(page)
  let lowest = Number.POSITIVE_INFINITY
  for (const scheme of schemes) {
    await setScheme(page, scheme)
    for (const kind of ['[type=checkbox]:not([role=switch])', '[type=radio]', '[role=switch]'])
      lowest = Math.min(
        lowest,
        await page.locator(`${within} input${kind}:not(:checked)`).first().evaluate(contrastOf),
      )
  }
  await setScheme(page, current)
  return lowest
}

/** Runs in the page. The visible part of a switch is its track, and that of the others their border. */
function contrastOf(input: Element): number {
  type Color = { parseString(text: string): void; readonly alpha: number }
  const { color } = (globalThis as unknown as { axe: { commons: { color: AxeColors } } }).axe.commons
  type AxeColors = { Color: new () => Color; getContrast(background: Color, foreground: Color): number }
  const parsed = (text: string): Color => {
    const result = new color.Color()
    result.parseString(text)
    return result
  }
  const isSwitch = input.getAttribute('role') === 'switch'
  const mark = isSwitch ? (input.nextElementSibling ?? input) : input
  const style = getComputedStyle(mark)
  let around = mark.parentElement
  while (around !== null && parsed(getComputedStyle(around).backgroundColor).alpha === 0)
    around = around.parentElement
  const background = getComputedStyle(around ?? document.body).backgroundColor
  return color.getContrast(
    parsed(background),
    parsed(isSwitch ? style.backgroundColor : style.borderTopColor),
  )
}
