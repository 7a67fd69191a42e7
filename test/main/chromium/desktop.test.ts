import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import { axeFaults } from '../../renderer/support/axe.ts'
import { shell } from '../../renderer/support/shell.ts'
import { launchBrowser } from '../../support/browser.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { chromiumWindows } from '../support/chromium-window.ts'
import {
  click,
  type Desktop,
  type DesktopOptions,
  eventually,
  patience,
  startDesktop,
} from '../support/desktop.ts'

vi.setConfig({ testTimeout: patience })

/**
 * The shell with a simulated Electron, the real service, and pages in a real Chromium with the real preload
 * script.
 */
let server: TestServer
let browser: Browser
beforeAll(async () => {
  const started = await Promise.all([startTestServer(), launchBrowser()])
  server = started[0]
  browser = started[1]
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

type Shown = Desktop & { readonly page: () => Promise<Page>; readonly statusPageOf: () => Promise<Page> }

const open: Desktop[] = []
async function start(options: DesktopOptions = {}, token: string | null = serviceToken): Promise<Shown> {
  let askAs: (event: IpcEvent, channel: string, ...args: unknown[]) => Promise<unknown>
  const windows = chromiumWindows({
    browser,
    ask: (...args) => askAs(...args),
    ...(token !== null && { token }),
  })
  const desktop = await startDesktop({
    args: ['.', `--attach=${server.url}`],
    ...options,
    makeWindow: windows.make,
  })
  askAs = desktop.askAs
  open.push(desktop)
  return Object.assign(desktop, {
    page: () => windows.page(desktop.window()),
    statusPageOf: () => windows.page(desktop.statusWindow()),
  })
}
afterEach(async () => {
  for (const one of open.splice(0)) {
    for (const window of one.windows) window.destroy()
    await one.close()
  }
})

const heading = (page: Page, name: string) => shell(page).heading(name).waitFor()
const path = (page: Page) => new URL(page.url()).pathname

describe('the console in the desktop app', () => {
  it('can call its shell, which no other page and no frame can', async () => {
    const desktop = await start()
    await desktop.running()
    const page = await desktop.page()
    await heading(page, 'Overview')
    expect(await page.evaluate('promptdeck.state()')).toMatchObject({ version: '9.9.9', isAttached: true })
    expect(await page.evaluate('Object.keys(promptdeck).sort()')).toEqual([
      'choose',
      'onOpen',
      'openLogFolder',
      'reportFailedRuns',
      'showServers',
      'state',
    ])
    await expect(page.evaluate('promptdeck.choose({ keepsRunning: 1 })')).rejects.toThrow('invalid arguments')

    // A frame of the console's origin that uses the channel anyway.
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '/docs' }))`,
    )
    await eventually(() => page.frames().length).toBe(2)
    const [, frame] = page.frames()
    const call = `window.askShell('promptdeck:state')`
    await eventually(() => frame?.evaluate('typeof window.askShell')).toBe('function')
    await expect(frame?.evaluate(call)).rejects.toThrow('not allowed for this page')
    expect(await frame?.evaluate('typeof window.promptdeck')).toBe('undefined')

    // A foreign page that is shown in the window anyway.
    await page.route('https://example.org/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>foreign</h1>' }),
    )
    await page.goto('https://example.org/')
    await expect(page.evaluate(call)).rejects.toThrow('not allowed for this page')
  })

  it('stays in the console when something leads elsewhere', async () => {
    const desktop = await start()
    await desktop.running()
    const page = await desktop.page()
    await heading(page, 'Overview')
    const follow = (attributes: string) =>
      page.evaluate(`{
        const link = Object.assign(document.createElement('a'), ${attributes})
        document.body.append(link)
        link.click()
      }`)
    await follow(`{ href: 'https://example.org/a' }`)
    await eventually(() => desktop.seen.outside).toEqual(['https://example.org/a'])
    await follow(`{ href: 'https://example.org/b', target: '_blank' }`)
    await eventually(() => desktop.seen.outside).toHaveLength(2)
    await page.evaluate(`window.open('https://example.org/c')`)
    await eventually(() => desktop.seen.outside).toEqual([
      'https://example.org/a',
      'https://example.org/b',
      'https://example.org/c',
    ])
    // The page is unchanged and works.
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await heading(page, 'Runs')
    expect(new URL(page.url()).origin).toBe(server.url)
    await eventually(() => page.context().pages().length).toBe(1)
  })

  it('opens links from outside within the page: no input is lost', async () => {
    const desktop = await start({ args: ['.', `--attach=${server.url}`, 'promptdeck://users'] })
    await desktop.running()
    const page = await desktop.page()
    await heading(page, 'Users')
    await page.evaluate('window.isTheSamePage = true')
    desktop.events.emit('second-instance', {}, ['promptdeck', 'promptdeck://audit'])
    await heading(page, 'Audit')
    desktop.events.emit('second-instance', {}, ['promptdeck', 'promptdeck://audit/../../api/backups'])
    await heading(page, 'Overview')
    expect(path(page)).toBe('/')
    click(desktop.seen.menu, 'Clients')
    await heading(page, 'Clients')
    expect(await page.evaluate('window.isTheSamePage')).toBe(true)
  })

  it('keeps a link until a user has signed in', async () => {
    const desktop = await start({ args: ['.', `--attach=${server.url}`, 'promptdeck://runs'] }, null)
    await desktop.running()
    const page = await desktop.page()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(path(page)).toBe('/login')
    expect(new URL(page.url()).searchParams.get('return')).toMatch(/^\/runs/)
  })

  it('notifies of failed runs if the user chose so, and a click opens them', async () => {
    const desktop = await start()
    await desktop.running()
    const page = await desktop.page()
    await heading(page, 'Overview')
    await eventually(() => page.getByTestId('live').getAttribute('data-status')).toBe('live')
    const fail = (ref_key: string) =>
      server.call('POST /api/runs', {
        body: {
          provider: 'openai',
          model: 'gpt-4o',
          latency_ms: 12,
          status: 'error',
          error: 'boom',
          ref_key,
        },
      })
    await page.evaluate('promptdeck.choose({ notifiesOfErrors: true })')
    expect((await fail('greet')).status).toBe(201)
    await eventually(() => desktop.seen.notices).toMatchObject([{ title: 'A run failed', body: 'greet' }])
    // Further ones within the minute cause no notification and no request to the service.
    const queries: string[] = []
    page.on('request', (request) => {
      const { searchParams } = new URL(request.url())
      if (searchParams.get('status') === 'error' && searchParams.get('limit') === '1')
        queries.push(request.url())
    })
    await heading(page, 'Overview')
    for (let i = 0; i < 20; i++) await fail(`again-${i}`)
    await page.getByText('21×').waitFor()
    await page.clock.fastForward(30_000)
    await page.evaluate('promptdeck.state()')
    expect(queries).toEqual([])
    // After the minute, one request and one notification cover all of them.
    await page.clock.fastForward(30_000)
    await eventually(() => queries.length).toBe(1)
    await eventually(() => {
      desktop.clock.pass(60_000)
      return desktop.seen.notices.length
    }).toBe(2)
    expect(desktop.seen.notices[1]).toMatchObject({ title: '20 runs failed', body: 'The newest: again-19' })

    desktop.seen.notices[0]?.click()
    await heading(page, 'Runs')
    expect(path(page)).toMatch(/^\/runs\/\d+$/)
    await page.getByRole('dialog').getByText('greet').first().waitFor()
    desktop.seen.notices[1]?.click()
    await eventually(() => new URL(page.url()).search).toBe('?status=error')
  })
})

describe('the status window', () => {
  it('shows the reason, is usable by keyboard, and passes axe', async () => {
    const desktop = await start({ args: ['.'], env: { PORT: '<b>many</b>' } })
    await eventually(() => desktop.statusPage() ?? '').toContain('PORT')
    const page = await desktop.statusPageOf()
    await page.getByRole('heading', { name: 'Promptdeck has stopped' }).waitFor()
    await page.getByRole('alert').getByText('PORT: expected a whole number').waitFor()
    await page.getByText(desktop.log.path).waitFor()
    const focused = () => page.locator(':focus').textContent()
    await eventually(focused).toBe('Try Again')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Connect to a Server…')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Open Log Folder')
    await page.keyboard.press('Enter')
    await eventually(() => desktop.seen.folders).toEqual([desktop.paths.logs])
    // The page is still there, and has the focus.
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Quit')
    await page.keyboard.press('Enter')
    await eventually(() => desktop.seen.quits).toBe(1)
  })

  it('is legible in light and dark systems', async () => {
    const desktop = await start({ args: ['.'], env: { PORT: 'many' } })
    await eventually(() => desktop.statusPage() ?? '').toContain('PORT')
    const url = desktop.statusWindow()?.loads.at(-1) ?? ''
    // Axe needs scripts, which the window itself does not run.
    const context = await browser.newContext({ bypassCSP: true })
    const page = await context.newPage()
    await page.goto(url)
    expect(await axeFaults(page)).toEqual([])
    await context.close()
  })
})
