import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import type { Console } from '../../renderer/support/console.ts'
import { overviewPage } from '../../renderer/support/pages/overview.ts'
import { shell } from '../../renderer/support/shell.ts'

/** Maximum number of clicks, key chords and typed texts that a task may take from the Overview. */
const maxActions = 4

/** The actions of a user on a page, with their number. Waiting and reading are free. */
function actionsOn(page: Page) {
  let count = 0
  const act = (work: Promise<unknown>): Promise<unknown> => {
    count += 1
    return work
  }
  return {
    click: (target: Locator) => act(target.click()),
    clickAt: (x: number, y: number) => act(page.mouse.click(x, y)),
    press: (chord: string) => act(page.keyboard.press(chord)),
    type: (text: string) => act(page.keyboard.insertText(text)),
    count: () => count,
  }
}

type Actions = ReturnType<typeof actionsOn>
export type Task = {
  readonly page: Page
  readonly act: Actions
  readonly link: (name: string) => Promise<unknown>
}

/**
 * Opens the Overview as the user of a token, performs a task, and compares the number of its actions with the
 * limit.
 */
export async function performTask(
  console: Console,
  token: string,
  task: (given: Task) => Promise<void>,
): Promise<void> {
  const { page, faults, close } = await console.visit(token)
  await overviewPage(page).goto()
  await overviewPage(page).health.waitFor()
  const act = actionsOn(page)
  await task({ page, act, link: (name) => act.click(shell(page).link(name)) })
  expect(act.count()).toBeGreaterThan(0)
  expect(act.count()).toBeLessThanOrEqual(maxActions)
  expect(faults).toEqual([])
  await close()
}

/** Returns the time of an hour of today or of an earlier day, in local time. */
export function localTime(daysAgo: number, hour: number): Date {
  const at = new Date()
  at.setDate(at.getDate() - daysAgo)
  at.setHours(hour, 20, 0, 0)
  return at
}
