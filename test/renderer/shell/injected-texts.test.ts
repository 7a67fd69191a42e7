import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { corpus, markup } from '../../harness/hostile/corpus.mjs'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { openPath } from '../support/warm.ts'

/** All texts in one, without lone surrogates and zero bytes, which no field accepts. */
const everything = corpus.map(({ text }) => text.slice(0, 300).replace(/[\p{Cs}\0]/gu, '\ufffd')).join('\n')
/** Keys that a tree of folders shows completely. */
const keys = markup.filter((text) => !text.includes('/'))

/** The key of the objects that contain all texts. */
const wholeKey = 'every text'

const console = setUpConsole()
let token: string
const ids: Record<string, string> = {}

async function store(noun: string, body: object): Promise<string> {
  const reply = await console.server.call(`POST /api/${noun}`, { body })
  if (reply.status !== 201) throw new Error(`${noun} answered ${reply.status}: ${reply.text}`)
  return String(reply.body.data.id)
}

/** Stores the corpus in all kinds of objects that the console lists. The last one contains all texts. */
async function storeCorpus(): Promise<void> {
  await console.server.call('PATCH /api/settings', { body: { capture: 'full' } })
  for (const [index, text] of markup.entries()) {
    const key = keys.includes(text) ? text : `key ${index}`
    const described = { key, name: text, description: text }
    ids['users'] = await store('users', { username: text, password: 'a phrase of nobody 1', role: 'viewer' })
    ids['workspaces'] = await store('workspaces', { name: text, description: text })
    await store('prompts', { ...described, content: text, env: 'prod', tags: ['t'] })
    await store('agents', { ...described, content: text })
    await store('workflows', { ...described, steps: [{ name: 'a', type: 'render', template: text }] })
    await store('runs', {
      provider: 'p',
      model: text,
      ref_key: text,
      latency_ms: 1,
      status: 'error',
      error: text,
    })
  }
  // Templates are parsed by the service: text that is not a valid template is stored in a message of the run
  // log.
  const template = everything.replaceAll('{', '(').replaceAll('}', ')')
  const all = { key: wholeKey, name: wholeKey, description: markup.join(' ') }
  ids['prompts'] = await store('prompts', { ...all, content: template, env: 'prod' })
  ids['agents'] = await store('agents', { ...all, content: template })
  ids['workflows'] = await store('workflows', { ...all, steps: [{ name: 'a', type: 'render', template }] })
  const sample = { provider: 'p', model: 'm', latency_ms: 1, status: 'error' }
  ids['runs'] = await store('runs', { ...sample, error: everything, input: everything, output: everything })
  const audit = await console.server.call('GET /api/audit?resource=prompt&limit=1')
  ids['audit'] = String(audit.body.data[0].id)
}

beforeAll(async () => {
  token = (await console.server.signedIn('admin', 'ada')).token
  await storeCorpus()
}, patience)

/** Returns all readable text: text, values of fields, and titles, with normalized spaces. */
const readable = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) =>
      Reflect.get(field, 'value'),
    )
    return [document.body.innerText, ...fields].join('\n').replace(/\s+/g, ' ')
  })

type WatchedVisit = { readonly page: Page; readonly faults: readonly string[]; readonly found: string[] }

/** Records dialogs, requests to other hosts, and unexpected navigations. */
async function openWatched(): Promise<WatchedVisit & { close(): Promise<void> }> {
  const { page, faults, close } = await console.visit(token)
  const found: string[] = []
  const { origin } = new URL(console.server.url)
  page.on('dialog', (dialog) => {
    found.push(`dialog ${dialog.message()}`)
    dialog.dismiss().catch(() => found.push('a dialog that could not be dismissed'))
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== origin) found.push(`request ${url}`)
  })
  page.on('popup', (popup) => found.push(`popup ${popup.url()}`))
  return { page, faults, found, close }
}

/** Returns elements and attributes that only the texts can have added. */
const injectedIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const links = '[href^="javascript:" i], [href^="data:" i], [formaction], [srcdoc]'
    const elements = document.querySelectorAll(
      `[data-injected], [onerror], [onload], [ontoggle], base, ${links}`,
    )
    return [...elements].map((element) => element.outerHTML.slice(0, 200))
  })

/** Opens a page, waits for the texts, and checks for their effects. */
async function expectLiteral({ page, faults, found }: WatchedVisit, path: string, texts: readonly string[]) {
  await openPath(page, path)
  const missing = async (): Promise<string[]> => {
    const shown = await readable(page)
    // A changed value is shown as JSON.
    const forms = (text: string) => [text, JSON.stringify(text).slice(1, -1)]
    return texts.filter((text) => !forms(text).some((form) => shown.includes(form.replace(/\s+/g, ' '))))
  }
  await eventually(async () => ({ path, missing: await missing() })).toEqual({ path, missing: [] })
  const injected = await injectedIn(page)
  const address = new URL(page.url()).pathname
  expect({ path, injected, found, faults, address }).toEqual({
    path,
    injected: [],
    found: [],
    faults: [],
    address: path.split('?')[0],
  })
}

/** Lists show the newest rows; the window's height allows no more than this. */
const newest = (texts: readonly string[]) => texts.slice(-6)

describe('stored texts that look like markup', { timeout: patience }, () => {
  it('would be detected if they became elements', async () => {
    const visit = await openWatched()
    await visit.page.goto('about:blank')
    await visit.page.setContent(`<p>${markup[0]}</p><a href="javascript:alert(2)">x</a>`)
    await eventually(() => visit.found).toEqual(['dialog 1'])
    expect(await injectedIn(visit.page)).toHaveLength(2)
    await visit.close()
  })

  it('are shown unchanged in lists', async () => {
    const visit = await openWatched()
    for (const [path, texts] of [
      ['/prompts', keys],
      ['/agents', newest(keys)],
      ['/workflows', newest(keys)],
      ['/users', newest(markup)],
      ['/workspaces', newest(markup)],
      ['/runs', newest(markup)],
      ['/audit', keys.slice(-2)],
      ['/', [wholeKey]],
    ] as const)
      await expectLiteral(visit, path, texts)
    await visit.close()
  })

  it.each([
    ['prompts', '', markup],
    ['prompts', '?tab=versions', [wholeKey]],
    ['prompts', '?tab=runs', [wholeKey]],
    ['prompts', '?tab=audit', [wholeKey]],
    ['agents', '', markup],
    ['agents', '?tab=versions', [wholeKey]],
    ['workflows', '', [wholeKey]],
    ['workflows', '?tab=versions', [wholeKey]],
    ['runs', '', markup],
    ['audit', '', markup],
    ['users', '', markup.slice(-1)],
    ['workspaces', '', markup.slice(-1)],
  ])('are shown unchanged in the details of %s%s', async (noun, tab, texts) => {
    const visit = await openWatched()
    await expectLiteral(visit, `/${noun}/${ids[noun]}${tab}`, texts)
    await visit.close()
  })
})
