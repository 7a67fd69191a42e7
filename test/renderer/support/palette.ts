import type { Locator, Page } from 'playwright'

export const palettePart = (page: Page) => {
  const field = page.getByRole('combobox', { name: 'Search everything, or run an action' })
  const list = page.getByRole('listbox', { name: 'Results' })
  return {
    field,
    list,
    option: (name: string | RegExp): Locator => list.getByRole('option', { name }),
    group: (name: string): Locator => list.getByRole('group', { name, exact: true }),
    options: (): Promise<string[]> => list.getByRole('option').allInnerTexts(),
    /** Returns the selected item, as announced to a screen reader. */
    current: async (): Promise<string> => {
      const id = await field.getAttribute('aria-activedescendant')
      return id === null ? '' : page.locator(`[id="${id}"]`).innerText()
    },
    async open(): Promise<void> {
      await page.keyboard.press('ControlOrMeta+k')
      await field.waitFor()
    },
  }
}
