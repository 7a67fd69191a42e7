import type { serversAction, serversView } from './page/channels.ts' with { 'resolution-mode': 'import' }

const { ipcRenderer }: typeof import('electron') = require('electron')

// The page has no script, and nothing is exposed to it: this sends its forms to the app and shows the views that
// the app sends. The types of the DOM would be visible in all files of this folder, so these few are here.
type Element = {
  value: string
  readonly name: string
  readonly type: string
  readonly ariaLabel: string | null
  readonly dataset: Readonly<Record<string, string>>
  outerHTML: string
  focus(): void
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
}
type SubmitEvent = { readonly target: object; readonly submitter: Element | null; preventDefault(): void }
type Page = {
  readonly document: Element & {
    readonly activeElement: Element | null
    addEventListener(event: 'submit', listener: (event: SubmitEvent) => void): void
    addEventListener(event: 'DOMContentLoaded', listener: () => void): void
  }
  readonly FormData: new (form: object) => Iterable<readonly [string, string]>
}
const { document, FormData } = globalThis as unknown as Page

const actionChannel: typeof serversAction = 'promptdeck:servers'
const viewChannel: typeof serversView = 'promptdeck:servers-view'

const send = (action: string, fields: Readonly<Record<string, string>>): void =>
  void ipcRenderer.invoke(actionChannel, action, fields)

document.addEventListener('DOMContentLoaded', () => send('ready', {}))
document.addEventListener('submit', (event) => {
  event.preventDefault()
  send(event.submitter?.value ?? '', Object.fromEntries(new FormData(event.target)))
})

/** Texts that the person typed, which a new form of the same view would lose. Passwords are typed again. */
const typedTexts = (main: Element): ReadonlyMap<string, string> =>
  new Map([...main.querySelectorAll('input[type=text]')].map(({ name, value }) => [name, value]))

/** Identifies a control in two states of a view, so that the focus stays where it is. */
const keyOf = (control: Element | null): string =>
  control === null
    ? ''
    : `${control.name}/${control.type === 'submit' ? control.value : ''}/${control.ariaLabel}`

ipcRenderer.on(viewChannel, (_event, html: unknown) => {
  const before = document.querySelector('main')
  if (typeof html !== 'string' || before === null) return
  const [view, texts, focused] = [before.dataset['view'], typedTexts(before), keyOf(document.activeElement)]
  before.outerHTML = html
  const after = document.querySelector('main')
  if (after === null) return
  const isSameView = after.dataset['view'] === view
  for (const input of isSameView ? after.querySelectorAll('input[type=text]') : [])
    input.value = texts.get(input.name) ?? input.value
  const controls = [...after.querySelectorAll('input, button')]
  const previous = isSameView ? controls.find((control) => keyOf(control) === focused) : undefined
  const next = after.querySelector('[aria-invalid]') ?? previous ?? after.querySelector('[autofocus]')
  const button = after.querySelector('button.first') ?? after.querySelector('button')
  ;(next ?? button)?.focus()
})
