import type { Page } from 'playwright'

/** Allows the console to write to the clipboard, as a browser does after a click. */
export const allowClipboard = (page: Page): Promise<void> =>
  page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

/** Returns the text of the clipboard, pasted into another page: the console's own pages may not read it. */
export async function clipboardText(page: Page): Promise<string> {
  const other = await page.context().newPage()
  try {
    await other.setContent('<textarea></textarea>')
    const field = other.locator('textarea')
    await field.focus()
    await other.keyboard.press('ControlOrMeta+V')
    return await field.inputValue()
  } finally {
    await other.close()
  }
}
