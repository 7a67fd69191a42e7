import { beforeEach, describe, expect, it } from 'vitest'
import { type LockableContents, lockContents, lockSession } from '../../main/page/security.ts'
import { attachUrl, localUrl } from '../../main/service/attach.ts'
import { windowOptions } from '../../main/windows/window.ts'
import { type Handlers, sessionDouble } from './support/sessions.ts'

const origin = 'http://127.0.0.1:4780'
const foreign = [
  'https://example.org/',
  'http://127.0.0.1:4781/',
  'http://localhost:4780/',
  'file:///etc/passwd',
  'about:blank',
  'javascript:alert(1)',
  'not an address',
  '',
]

describe('permissions', () => {
  const handlers: Handlers = {}
  beforeEach(() => lockSession(sessionDouble(handlers), () => origin))

  /** Calls both permission handlers of Electron, which must agree. */
  function isGranted(permission: string, from: string | undefined): boolean {
    const answers: boolean[] = []
    const details = from === undefined ? {} : { requestingUrl: from }
    handlers.request?.({}, permission, (answer) => answers.push(answer), details)
    const checked = handlers.check?.({}, permission, from ?? '')
    expect(answers).toEqual([checked])
    return checked === true
  }

  it.each([
    'media',
    'geolocation',
    'midi',
    'midiSysex',
    'pointerLock',
    'fullscreen',
    'openExternal',
    'clipboard-read',
    'display-capture',
    'hid',
    'serial',
    'usb',
    'idle-detection',
    'storage-access',
    'window-management',
    'fileSystem',
    'unknown',
    '',
  ])('denies %s to the console itself', (permission) => {
    expect(isGranted(permission, `${origin}/runs`)).toBe(false)
  })

  it.each(['clipboard-sanitized-write', 'notifications'])('allow only the console %s', (permission) => {
    expect(isGranted(permission, `${origin}/runs`)).toBe(true)
    expect(isGranted(permission, undefined)).toBe(false)
    for (const from of foreign) expect(isGranted(permission, from)).toBe(false)
  })

  it('grant nothing without a service', () => {
    lockSession(sessionDouble(handlers), () => null)
    for (const from of [origin, 'null', '', undefined])
      expect(isGranted('clipboard-sanitized-write', from)).toBe(false)
  })

  it('offer no device', () => {
    expect(handlers.device?.()).toBe(false)
  })
})

describe('a window', () => {
  type Event = { preventDefault(): void; url: string }
  const listeners = new Map<string, (event: Event) => void>()
  let openHandler: ((details: { url: string }) => { action: 'deny' }) | undefined
  let opened: string[] = []
  beforeEach(() => {
    opened = []
    listeners.clear()
    const contents: LockableContents = {
      setWindowOpenHandler: (handler) => {
        openHandler = handler
      },
      on: (name: string, listener: (event: Event) => void) => listeners.set(name, listener),
    }
    lockContents(
      contents,
      () => origin,
      (url) => opened.push(url),
    )
  })

  function isStopped(event: string, url: string): boolean {
    let stopped = false
    const preventDefault = () => {
      stopped = true
    }
    listeners.get(event)?.({ preventDefault, url })
    return stopped
  }

  it.each(['will-navigate', 'will-redirect', 'will-frame-navigate'])('stays on its origin on %s', (event) => {
    expect(isStopped(event, `${origin}/users?role=viewer`)).toBe(false)
    for (const url of foreign) expect(isStopped(event, url), url).toBe(true)
    expect(isStopped(event, `${origin}.example.org/`)).toBe(true)
    expect(isStopped(event, 'http://127.0.0.1:4780@example.org/')).toBe(true)
  })

  it('contains no other page', () => {
    expect(isStopped('will-attach-webview', origin)).toBe(true)
  })

  it('opens no second one; web and mail links go to the system, other links nowhere', () => {
    const urls = [
      'https://example.org/docs',
      'mailto:team@example.org',
      `${origin}/docs`,
      ...foreign,
      'smb://host/share',
      'ms-settings:privacy',
      'promptdeck://runs',
    ]
    for (const url of urls) expect(openHandler?.({ url })).toEqual({ action: 'deny' })
    expect(opened).toEqual([
      'https://example.org/docs',
      'mailto:team@example.org',
      `${origin}/docs`,
      'https://example.org/',
      'http://127.0.0.1:4781/',
      'http://localhost:4780/',
    ])
  })

  it('passes a link that a user followed to the system, but none of a redirect or a frame', () => {
    for (const url of [
      'https://example.org/',
      'mailto:team@example.org',
      'file:///etc/passwd',
      `${origin}/runs`,
    ])
      for (const event of ['will-redirect', 'will-frame-navigate']) isStopped(event, url)
    expect(opened).toEqual([])
    isStopped('will-navigate', `${origin}/runs`)
    isStopped('will-navigate', 'file:///etc/passwd')
    isStopped('will-navigate', 'javascript:alert(1)')
    expect(opened).toEqual([])
    isStopped('will-navigate', 'https://example.org/')
    isStopped('will-navigate', 'mailto:team@example.org')
    expect(opened).toEqual(['https://example.org/', 'mailto:team@example.org'])
  })

  it('shows a page without Node, in the sandbox', () => {
    expect(windowOptions('/app/preload.cjs', '/app/icon.png').webPreferences).toEqual({
      preload: '/app/preload.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
      spellcheck: false,
    })
  })
})

describe('showing a service that already runs', () => {
  it('takes the address from the command line', () => {
    expect(attachUrl(['electron', '.', '--attach=http://127.0.0.1:4780'])).toBe(origin)
    expect(attachUrl(['electron', '.', '--attach=http://localhost:5000/runs'])).toBe('http://localhost:5000')
    expect(attachUrl(['electron', '.'])).toBeNull()
  })

  it.each([
    'https://example.org',
    'http://192.0.2.1:4780',
    'file:///etc/passwd',
    'http://127.0.0.1.example.org',
    'x',
  ])('refuses %s, which is not on this machine', (url) => {
    expect(localUrl(url)).toBeNull()
  })
})
