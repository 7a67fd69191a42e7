import { hash } from 'node:crypto'
import type { View } from '../../servers/views.ts'
import { type Html, html } from './html.ts'
import { listPage } from './list.ts'
import { accountPage, askedPage, comparePage, contactingPage, waitingPage } from './steps.ts'
import { style } from './style.ts'
import { texts } from './texts.ts'

/** Returns the content of the page for a view. The preload sends its forms. */
export const viewHtml = (view: View): string =>
  html`<main data-view="${keyOf(view)}">${contentOf(view)}</main>`.html

/** Input is kept between two views with the same key. */
const keyOf = (view: View): string =>
  view.kind === 'list' ? `list ${view.renaming ?? view.forgetting ?? ''}` : view.kind

function contentOf(view: View): Html {
  if (view.kind === 'list') return listPage(view)
  if (view.kind === 'asked') return askedPage(view)
  if (view.kind === 'contacting') return contactingPage(view)
  if (view.kind === 'compare') return comparePage(view)
  return view.kind === 'account' ? accountPage(view) : waitingPage(view)
}

const styleHash = hash('sha256', style, 'base64')
/** No scripts, no requests: the preload, which the policy does not concern, sends the forms to the app. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'none'; base-uri 'none'`

/** The page of the window, empty until the preload has asked for the view. */
export const pageUrl = `data:text/html;charset=utf-8,${encodeURIComponent(
  html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${texts.title}</title><style>${{ html: style }}</style></head><body><main></main></body></html>`.html,
)}`
