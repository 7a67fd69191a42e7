import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[]
}

/** What axe holds against the page as it stands: WCAG 2 A and AA, contrast included. One line per node. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const violations = (await page.evaluate(`axe.run(document, {
    resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
  }).then((result) => result.violations)`)) as Violation[]
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map((node) => `${impact} ${id} ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  )
}
