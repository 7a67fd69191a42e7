import { hash } from 'node:crypto'
import { escaped } from './servers/html.ts'
import { texts } from './texts.ts'

/**
 * The origin to which the page's buttons navigate. It never resolves (RFC 6761); the window handles the
 * navigations as actions.
 */
const actionOrigin = 'https://promptdeck.invalid'
const statusActions = ['try-again', 'show-servers', 'open-log-folder', 'quit'] as const
export type StatusAction = (typeof statusActions)[number]

export type StatusPage =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly reason: string; readonly logFile: string }

/** Returns the action of a navigation; null for any other address. */
export function actionOf(url: string): StatusAction | null {
  if (!URL.canParse(url)) return null
  const { origin, pathname } = new URL(url)
  return (origin === actionOrigin && statusActions.find((action) => pathname === `/${action}`)) || null
}

const style = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 32px 40px; background: Canvas; color: CanvasText }
svg { display: block; margin-bottom: 16px }
h1 { font-size: 18px; line-height: 1.3; margin: 0 0 8px }
p { margin: 0 0 16px; white-space: pre-wrap; overflow-wrap: anywhere }
dl { margin: 0 0 24px; font-size: 12px }
dt { font-weight: 600 }
dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; user-select: all }
form { display: flex; flex-wrap: wrap; gap: 8px }
button { font: inherit; padding: 6px 14px; border-radius: 6px; border: 1px solid GrayText; background: ButtonFace;
  color: ButtonText; cursor: pointer }
button.first { background: #4f46e5; border-color: #4f46e5; color: #fff }
button:focus-visible { outline: 2px solid #6366f1; outline-offset: 2px }
progress { width: 100%; accent-color: #6366f1 }
`
const styleHash = hash('sha256', style, 'base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${actionOrigin}`

const button = (action: StatusAction, label: string, attributes = '') =>
  `<button formaction="${actionOrigin}/${action}"${attributes}>${escaped(label)}</button>`

/**
 * Returns the page that is shown without a service: one file without script, so the reason cannot inject any.
 */
export function statusPage(page: StatusPage): string {
  const isWaiting = page.kind === 'waiting'
  const title = isWaiting ? texts.waitingTitle : texts.failedTitle
  const body = isWaiting
    ? `<p>${escaped(texts.waitingBody)}</p><p><progress aria-label="${escaped(title)}"></progress></p>`
    : `<p role="alert">${escaped(page.reason)}</p>
<dl><dt>${escaped(texts.logAt)}</dt><dd>${escaped(page.logFile)}</dd></dl>`
  const tryAgain = isWaiting ? '' : button('try-again', texts.tryAgain, ' class="first" autofocus')
  const others = `${button('show-servers', texts.connect)}${button('open-log-folder', texts.openLogFolder)}${button('quit', texts.quitShort)}`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<title>${escaped(title)}</title><style>${style}</style></head><body><main>
<svg width="32" height="32" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2 21 12 12 22 3 12z" fill="#6366f1"/>
<path d="M12 2 21 12H3z" fill="#fff" fill-opacity=".32"/></svg>
<h1>${escaped(title)}</h1>${body}<form>${tryAgain}${others}</form></main></body></html>`
}

export const statusUrl = (page: StatusPage): string =>
  `data:text/html;charset=utf-8,${encodeURIComponent(statusPage(page))}`
