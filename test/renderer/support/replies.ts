import type { Page } from 'playwright'

/** Passes requests that match `url` to the service and replaces each JSON reply by the result of `change`. */
export async function changeReplies<Body extends object>(
  page: Page,
  url: string,
  change: (body: Body) => object,
): Promise<void> {
  await page.route(url, async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ json: change(await reply.json()) })
  })
}

/** Removes all handlers of the page. Waits for running ones, so that none fails in a later test. */
export function restoreReplies(page: Page): Promise<void> {
  return page.unrouteAll({ behavior: 'wait' })
}

/** Holds requests to `url` until `release`. `sent` resolves with the first. */
export async function holdRequests(page: Page, url: string | RegExp, method = 'GET') {
  let [release, send] = [(): void => undefined, (): void => undefined]
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  const held = { count: 0, sent, release }
  await page.route(url, async (route) => {
    if (route.request().method() === method) {
      held.count += 1
      send()
      await released
    }
    await route.continue().catch(() => undefined)
  })
  return held
}
