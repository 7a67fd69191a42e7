import type { Locator, Page } from 'playwright'
import { eventually } from '../console.ts'
import { dialogPart } from '../parts.ts'
import { openPath } from '../warm.ts'

/** Waits until what the browser has stored of the Playground matches, so that it survives a reload. */
export async function waitUntilStored(page: Page, pattern: RegExp): Promise<void> {
  const stored = () =>
    page.evaluate(async () => {
      const request = indexedDB.open('promptdeck')
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
      const all = database.transaction('kept').objectStore('kept').getAll()
      const values = await new Promise<unknown[]>((resolve, reject) => {
        all.onsuccess = () => resolve(all.result)
        all.onerror = () => reject(all.error)
      })
      database.close()
      return JSON.stringify(values)
    })
  await eventually(stored).toMatch(pattern)
}

/** Page object for one model of the Playground: its input and output. */
export const columnPart = (page: Page, number: number) => {
  const card = page.getByRole('article', { name: `Model ${number}`, exact: true })
  return {
    card,
    provider: card.getByRole('combobox', { name: `Provider of model ${number}` }),
    model: card.locator(`input[aria-label="Name of model ${number}"]`),
    version: card.getByRole('combobox', { name: `Version for model ${number}` }),
    run: card.getByRole('button', { name: `Run model ${number}`, exact: true }),
    stop: card.getByRole('button', { name: `Stop model ${number}`, exact: true }),
    remove: card.getByRole('button', { name: `Remove model ${number}`, exact: true }),
    answer: card.getByRole('region', { name: `Response of model ${number}` }),
    failure: card.getByTestId('failure'),
    notConfigured: card.getByTestId('not-configured'),
    runLink: card.getByRole('link', { name: /^Run \d+$/ }).last(),
    finish: card.getByTestId('finish'),
    figure: (name: string): Locator => card.locator(`[data-figure="${name}"] dd`),
    /** Waits for this final status. */
    ended: (status: 'done' | 'failed' | 'stopped' | 'cut'): Promise<void> =>
      page.locator(`article[aria-label="Model ${number}"][data-status="${status}"]`).waitFor(),
    running: (): Promise<void> =>
      page.locator(`article[aria-label="Model ${number}"][data-status="running"]`).waitFor(),
    /**
     * Sets parameters by their labels: `{ 'Fail at': 'middle', Temperature: '0.2' }`; an empty text removes
     * one.
     */
    async set(values: Readonly<Record<string, string>>): Promise<void> {
      await card.getByRole('button', { name: `Parameters of model ${number}` }).click()
      const panel = page.getByRole('dialog', { name: 'Parameters' })
      for (const [label, value] of Object.entries(values)) {
        const field = panel.getByLabel(label, { exact: true })
        if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
        else await field.fill(value)
      }
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'hidden' })
    },
  }
}

export const playgroundPage = (page: Page) => {
  const side = page.getByRole('region', { name: 'Prompt panel' })
  const text = side.getByRole('textbox', { name: 'Text', exact: true })
  const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 1 }) })
  return {
    dialog: dialogPart(page),
    side,
    text,
    picker: side.getByPlaceholder('Choose a prompt, or write one below'),
    version: side.getByRole('combobox', { name: 'Version' }),
    state: page.getByTestId('source-state'),
    origin: page.getByTestId('origin'),
    prodLine: page.getByTestId('prod-line'),
    add: page.getByRole('button', { name: 'Add model' }),
    runAll: page.getByRole('button', { name: /^Run( all)?$/ }).last(),
    stopAll: page.getByRole('button', { name: 'Stop all' }),
    compare: header.getByRole('button', { name: 'Compare' }),
    history: header.getByRole('button', { name: 'History' }),
    entries: page.getByRole('list', { name: 'History' }).getByRole('listitem'),
    empty: page.getByTestId('empty'),
    column: (number: number) => columnPart(page, number),
    value: (name: string): Locator => side.getByRole('textbox', { name, exact: true }),
    section: (name: string): Locator =>
      side.getByRole('button', { name: new RegExp(`^${name}`), expanded: false }),
    json: (label: string): Locator => side.getByRole('textbox', { name: label }),
    goto: (search = '') => openPath(page, `/playground${search}`),
    /** Replaces the text of an editor by keyboard. */
    async write(content: string, field: Locator = text): Promise<void> {
      await field.click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(content)
    },
    async pick(key: string): Promise<void> {
      const field = side.getByPlaceholder('Choose a prompt, or write one below')
      await field.click()
      await field.fill(key)
      await page.getByRole('option', { name: key }).first().click()
      await page.getByTestId('source-state').waitFor()
    },
    async saveAs(item: string): Promise<void> {
      await header.getByRole('button', { name: 'Save as' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    },
  }
}
