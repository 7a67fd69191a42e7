import type { AccountView, Candidate, View } from '../../servers/views.ts'
import { alert, button, field, wordList } from './elements.ts'
import { type Html, html } from './html.ts'
import { texts } from './texts.ts'

/** The page that asks whether to connect to the server of a link. */
export const askedPage = ({ host }: Extract<View, { kind: 'asked' }>): Html =>
  html`<h1>${texts.askedTitle}</h1><p>${texts.askedBody}</p>
<dl><dt>${texts.server}</dt><dd>${host}</dd></dl>
<form class="buttons">${button('proceed', texts.proceed, { isFirst: true })}${button('cancel', texts.cancel)}</form>`

export const contactingPage = ({ host }: Extract<View, { kind: 'contacting' }>): Html =>
  html`<h1>${texts.title}</h1><p role="status">${host === '' ? null : texts.contacting(host)}</p>
<progress aria-label="${texts.contacting(host)}"></progress>
<form class="buttons">${button('cancel', texts.cancel)}</form>`

export const comparePage = ({ candidate }: Extract<View, { kind: 'compare' }>): Html =>
  html`<h1>${texts.compareTitle}</h1><p>${texts.compareBody(candidate.name)}</p>
${wordList(candidate.words, texts.words)}<p><b>${texts.compareWarning}</b></p>${identity(candidate)}
<form class="buttons">${button('confirm-words', texts.confirmWords, { isFirst: true })}${button('cancel', texts.cancel)}</form>`

const identity = ({ host, fingerprint }: Candidate): Html =>
  html`<dl><dt>${texts.server}</dt><dd>${host}</dd><dt>${texts.fingerprint}</dt><dd>${fingerprint}</dd></dl>`

export const waitingPage = ({ candidate, device }: Extract<View, { kind: 'waiting' }>): Html =>
  html`<h1>${texts.waitingTitle}</h1><p role="status">${texts.waitingBody(device)}</p>
${wordList(candidate.words, texts.words)}<progress aria-label="${texts.waitingTitle}"></progress>
<form class="buttons">${button('cancel', texts.cancel)}</form>`

/** The form with code, device and account. */
export function accountPage(view: AccountView): Html {
  const { candidate, needsCode, needsSecondFactor, isSending, values, problem } = view
  const errors = problem?.fields ?? {}
  return html`<h1>${texts.accountTitle(candidate.name)}</h1>${alert(problem)}
<form class="stack"${isSending && html` aria-busy="true"`}>
${
  needsCode &&
  field({
    name: 'code',
    label: texts.code,
    help: texts.codeHelp,
    error: errors['code'],
    autocomplete: 'one-time-code',
    maxLength: 12,
    hasFocus: true,
  })
}
${field({
  name: 'device',
  label: texts.device,
  value: values.device,
  error: errors['name'],
  maxLength: 64,
})}
${accountChoice(view)}
${field({
  name: 'username',
  label: texts.username,
  value: values.username,
  error: errors['username'],
  autocomplete: 'username',
  maxLength: 64,
  hasFocus: !needsCode,
})}
${field({
  name: 'password',
  label: texts.password,
  help: texts.passwordHelp,
  error: errors['password'],
  type: 'password',
  maxLength: 256,
})}
${
  needsSecondFactor &&
  field({
    name: 'second_factor_code',
    label: texts.secondFactor,
    help: texts.secondFactorHelp,
    error: errors['second_factor_code'],
    autocomplete: 'one-time-code',
    maxLength: 64,
  })
}
<div class="buttons">${button('request', texts.request, { isFirst: true })}${button('cancel', texts.cancel)}</div>
${isSending && html`<progress aria-label="${texts.request}"></progress>`}</form>`
}

const accountChoice = ({ values }: AccountView): Html =>
  html`<fieldset><legend>${texts.account}</legend>
${choice('new', texts.newAccount, values.account)}${choice('existing', texts.existingAccount, values.account)}</fieldset>`

const choice = (value: 'new' | 'existing', text: string, chosen: 'new' | 'existing'): Html =>
  html`<label class="choice"><input type="radio" name="account" value="${value}"${
    value === chosen && html` checked`
  }> ${text}</label>`
