/**
 * Takes pictures of each page when it is empty, for a viewer, while it loads, and when the service fails.
 * @param {{
 *   pages: { name: string, path: string }[],
 *   open: (options: { url: string, bearer: string }) => Promise<import('playwright').Page>,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void>,
 *   busy: { url: string, viewer: string, editor: string },
 *   fresh: { url: string, admin: string },
 *   suffix: string,
 * }} options
 */
export async function pageStates({ pages, open, shoot, waitForPage, busy, fresh, suffix }) {
  const loadedStates = [
    { state: 'empty', url: fresh.url, bearer: fresh.admin },
    { state: 'viewer', url: busy.url, bearer: busy.viewer },
  ]
  for (const { state, url, bearer } of loadedStates) {
    const page = await open({ url, bearer })
    for (const { name, path } of pages) {
      await page.goto(url + path)
      await waitForPage(page)
      await shoot(page, `${name}-${state}-${suffix}`)
    }
    await page.context().close()
  }
  for (const state of ['loading', 'error']) {
    for (const { name, path } of pages) {
      const page = await open({ url: busy.url, bearer: busy.editor })
      await page.route(apiExceptMe, (route) => (state === 'loading' ? undefined : route.fulfill(failure)))
      await page.goto(busy.url + path)
      await page.waitForFunction(() => document.body.innerText.trim() !== '')
      // The page has rendered its title by then.
      if (state === 'loading') await page.locator('h1').first().waitFor()
      // A failed query is retried before the error is shown.
      if (state === 'error') await page.getByTestId('error').first().waitFor({ timeout: 20_000 })
      await shoot(page, `${name}-${state}-${suffix}`)
      await page.context().close()
    }
  }
}

/** Requests that are delayed forever or rejected: all except those for the signed-in user. */
const apiExceptMe = /\/api\/(?!me)/

const failure = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: 'urn:problem:internal',
    title: 'Internal error',
    status: 500,
    code: 'internal',
    detail:
      'The request failed because of an internal error. The log contains the cause under this request ID.',
    error: 'The request failed because of an internal error.',
    instance: '/api',
    request_id: 'req_7f3a',
  }),
}
