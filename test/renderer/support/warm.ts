import { errors, type Page } from 'playwright'

/** The key under which `renderer/lib/session/session.ts` stores the token of a tab. */
const tokenKey = 'promptdeck.token'
/** The channel on which `session.ts` sends sign-outs and new tokens to the other tabs. */
const channelName = 'promptdeck.session'
/** Path of the signed-out console between tests. It has no page, so the console shows "Page not found". */
const restPath = '/between-tests'
/** Time limit of a sign-out in milliseconds. A page that exceeds it is loaded again. */
const resetTimeoutMs = 5_000

/** Stores the token in the tab like a sign-in, but only once, so that signing out has effect. */
export async function putToken(page: Page, token: string): Promise<void> {
  await page.evaluate(([key, value]) => sessionStorage.setItem(key, value), [tokenKey, token] as const)
}

/**
 * Signs the console of a page out, as a sign-out in another tab does: it discards the user's data, and the
 * service is not involved. Returns false if that does not bring the console to its initial state, because
 * something was stored or is still open.
 */
export async function resetConsole(page: Page): Promise<boolean> {
  const isSignedOut = await page.evaluate(signOut, [tokenKey, channelName] as const)
  if (!isSignedOut) return false
  try {
    await page.locator('#password').waitFor({ timeout: resetTimeoutMs })
    await page.evaluate((path) => history.replaceState(null, '', path), restPath)
    await page.getByText('Page not found').waitFor({ timeout: resetTimeoutMs })
    return true
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false
    throw error
  }
}

/** Runs in the page. Returns false if the console is not open or its state outlasts a sign-out. */
async function signOut([key, channel]: readonly [string, string]): Promise<boolean> {
  // The page may show something else, which has no storage.
  const token = document.querySelector('main') === null ? null : sessionStorage.getItem(key)
  if (token === null) return false
  const messages = document.querySelector('[role="log"]')
  for (const toast of messages?.children ?? [])
    toast.querySelector<HTMLElement>('button:last-of-type')?.click()
  // Cards of exports are siblings of the list of messages.
  const hasExports = messages?.parentElement?.childElementCount !== 1
  const isUnsaved = !dispatchEvent(new Event('beforeunload', { cancelable: true }))
  if (hasExports || isUnsaved || document.querySelector('[aria-modal="true"]') !== null) return false
  // The console stores these two itself: a default value, and scroll positions by history entry.
  if (sessionStorage.getItem('promptdeck.defaults-seen') === 'false')
    sessionStorage.removeItem('promptdeck.defaults-seen')
  sessionStorage.removeItem('tsr-scroll-restoration-v1_3')
  // Sample values of a prompt, which its page reads when it opens.
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('promptdeck.samples.')) sessionStorage.removeItem(name)
  const databases = await indexedDB.databases()
  if (sessionStorage.length !== 1 || localStorage.length !== 0 || databases.length !== 0) return false
  const sender = new BroadcastChannel(channel)
  sender.postMessage({ kind: 'signed_out', token })
  sender.close()
  return true
}

/** Pages that all tests of a file use one after the other. */
const pagesOfFiles = new WeakSet<Page>()

/** Makes `openPath` sign the page out and in again, instead of loading the console for each test. */
export function markForFile(page: Page): void {
  pagesOfFiles.add(page)
}

/**
 * Opens a path of the console. In a page that was reset after an earlier test, or that is used for a whole
 * file, it signs in and opens the path without loading the console again, which takes half of the processor
 * time. A console whose state outlasts a sign-out is loaded. `page.goto` always loads.
 */
export async function openPath(page: Page, path: string): Promise<void> {
  const token = pagesOfFiles.has(page) ? await page.evaluate(tokenOf, tokenKey) : null
  if (token !== null) {
    await resetConsole(page)
    await putToken(page, token)
  }
  const isOpened = await page.evaluate(signInAndOpen, [tokenKey, channelName, restPath, path] as const)
  if (!isOpened) await page.goto(path)
}

/** Runs in the page. Returns the token of the open console; null if the page shows something else. */
const tokenOf = (key: string): string | null =>
  document.querySelector('main') === null ? null : sessionStorage.getItem(key)

/**
 * Opens a path in an open console like a link does, which takes half of the processor time of a load.
 * Resolves when the tables of the previous page are removed.
 */
export async function followPath(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    for (const table of document.querySelectorAll('table')) table.setAttribute('data-left', '')
    history.pushState(null, '', to)
  }, path)
  await page.locator('[data-left]').first().waitFor({ state: 'detached' })
}

/** Runs in the page. Returns false if the console was not reset or the tab has no token. */
function signInAndOpen([key, channel, rest, path]: readonly [
  string,
  string,
  string,
  string,
]): Promise<boolean> {
  const token = location.pathname === rest ? sessionStorage.getItem(key) : null
  if (token === null) return Promise.resolve(false)
  const [sender, receiver] = [new BroadcastChannel(channel), new BroadcastChannel(channel)]
  return new Promise((resolve) => {
    // The console receives the message first, because its channel is older.
    receiver.addEventListener('message', () => {
      sender.close()
      receiver.close()
      history.replaceState(null, '', path)
      resolve(true)
    })
    sender.postMessage({ kind: 'replaced', old: null, token })
  })
}
