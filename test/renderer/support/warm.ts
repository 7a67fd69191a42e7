import { errors, type Page } from 'playwright'

/** The key under which `renderer/lib/session/session.ts` stores the token of a tab. */
const tokenKey = 'promptdeck.token'
/** The channel on which `session.ts` sends sign-outs and new tokens to the other tabs. */
const channelName = 'promptdeck.session'
/** The database in which `renderer/lib/state/persistentStorage.ts` stores the Playground. */
const database = { name: 'promptdeck', store: 'kept' }
/** Path of the signed-out console between tests. It has no page, so the console shows "Page not found". */
const restPath = '/between-tests'
/** Time limit of a sign-out in milliseconds. A page that exceeds it is loaded again. */
const resetTimeoutMs = 5_000
/** Time limit for a dialog to close in milliseconds. */
const closeTimeoutMs = 1_000

/** Stores the token in the tab like a sign-in, but only once, so that signing out has effect. */
export async function putToken(page: Page, token: string): Promise<void> {
  await page.evaluate(([key, value]) => sessionStorage.setItem(key, value), [tokenKey, token] as const)
}

/**
 * Signs the console of a page out, as a sign-out in another tab does: it discards the user's data, and the
 * service is not involved. Empties the Playground, which a sign-out keeps for its user. Returns false if that does not
 * bring the console to its initial state, because something was stored or is still open.
 */
export async function resetConsole(page: Page): Promise<boolean> {
  await closeDialogs(page)
  const isSignedOut = await page.evaluate(signOut, [tokenKey, channelName] as const)
  if (!isSignedOut) return false
  try {
    await page.locator('#password').waitFor({ timeout: resetTimeoutMs })
    await page.evaluate((path) => history.replaceState(null, '', path), restPath)
    await page.getByText('Page not found').waitFor({ timeout: resetTimeoutMs })
    // On a new page, a focus that a script moves counts as one of the keyboard; after a click it does not.
    await page.keyboard.press('Escape')
    await page.evaluate(emptyDatabase, database)
    return true
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false
    throw error
  }
}

/** Closes dialogs without typed text, as the user does. Others stay open. */
async function closeDialogs(page: Page): Promise<void> {
  const dialogs = page.locator('[aria-modal="true"]')
  for (let open = await dialogs.count(); open > 0 && !(await page.evaluate(hasTypedText)); open -= 1) {
    await page.keyboard.press('Escape')
    await dialogs
      .nth(open - 1)
      .waitFor({ state: 'detached', timeout: closeTimeoutMs })
      .catch(() => undefined)
  }
}

/** Runs in the page. True if the page would ask before it is left. */
const hasTypedText = (): boolean => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

/** Runs in the page. Removes everything from the database of the console. */
async function emptyDatabase({ name, store }: typeof database): Promise<void> {
  const known = await indexedDB.databases()
  if (!known.some((existing) => existing.name === name)) return
  const request = indexedDB.open(name)
  await new Promise((resolve) => request.addEventListener('success', resolve))
  const transaction = request.result.transaction(store, 'readwrite')
  transaction.objectStore(store).clear()
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  request.result.close()
}

/** Runs in the page. Returns false if the console is not open or its state outlasts a sign-out. */
function signOut([key, channel]: readonly [string, string]): boolean {
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
  // Marks that the last Overview had the first steps, whose space the next one reserves.
  for (const name of Object.keys(localStorage))
    if (name.startsWith('promptdeck.first-run-open.')) localStorage.removeItem(name)
  // The id of the tab in the database of the Playground. A sign-out ends what runs there.
  sessionStorage.removeItem('promptdeck.playground.tab')
  // Sample values of a prompt, which its page reads when it opens.
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('promptdeck.samples.')) sessionStorage.removeItem(name)
  if (sessionStorage.length !== 1 || localStorage.length !== 0) return false
  const sender = new BroadcastChannel(channel)
  sender.postMessage({ kind: 'signed_out', token })
  sender.close()
  return true
}

/**
 * Opens a path of the console. In a page where the console is open or was reset after an earlier test, it signs
 * out and in again and opens the path without a load, which takes half of the processor time. A console whose
 * state outlasts a sign-out is loaded. `page.goto` always loads.
 */
export async function openPath(page: Page, path: string): Promise<void> {
  const token = await page.evaluate(tokenOf, tokenKey)
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
    // A page keeps its table when only its parameters change.
    if (new URL(to, location.href).pathname !== location.pathname)
      for (const table of document.querySelectorAll('table')) table.setAttribute('data-left', '')
    history.pushState(null, '', to)
  }, path)
  await page.locator('[data-left]').first().waitFor({ state: 'detached' })
}

/** Runs in the page. Returns false if the console was not reset. Without a token it opens the path signed out. */
function signInAndOpen([key, channel, rest, path]: readonly [
  string,
  string,
  string,
  string,
]): Promise<boolean> {
  if (location.pathname !== rest) return Promise.resolve(false)
  const token = sessionStorage.getItem(key)
  if (token === null) {
    history.replaceState(null, '', path)
    return Promise.resolve(true)
  }
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
