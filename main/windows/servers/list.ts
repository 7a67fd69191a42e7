import type { ListedFound, ListedServer, ListView } from '../../servers/views.ts'
import { alert, button, field } from './elements.ts'
import { type Html, html } from './html.ts'
import { texts } from './texts.ts'

/** The list of servers, with the form for another one. */
export function listPage(view: ListView): Html {
  const { problem, problemOf, renaming } = view
  const isGeneral = problemOf === null && renaming === null
  return html`<h1>${texts.title}</h1><p>${texts.purpose}</p>
<ul class="servers">
<li><div class="row"><div class="about"><b>${texts.local}</b></div>
<form>${button('local', texts.show, { label: `${texts.show} ${texts.local}` })}</form></div></li>
${view.servers.map((server) => serverItem(view, server))}
</ul>
<h2>${texts.connectTitle}</h2>${isGeneral && alert(problem)}
<form class="stack">
${field({
  name: 'address',
  label: texts.address,
  help: texts.addressHelp,
  value: view.address,
  maxLength: 500,
  hasFocus: renaming === null && view.forgetting === null,
})}
<div class="buttons">${button('connect', texts.connect, { isFirst: true })}</div></form>
${found(view.found)}`
}

function serverItem(view: ListView, server: ListedServer): Html {
  const { id, name, host, username } = server
  const problem = view.problemOf === id ? view.problem : null
  return html`<li><div class="row"><div class="about"><b>${name}</b>
<small>${host} ${texts.signedInAs(username)}</small></div>
<form>${hidden(id)}${openButton(server)}
${button('rename', texts.rename, { label: `${texts.rename} ${name}` })}
${button('forget', texts.forget, { label: `${texts.forget} ${name}` })}</form></div>
${alert(problem)}
${view.renaming === id && renameForm(view, server)}
${view.forgetting === id && forgetForm(server)}</li>`
}

const hidden = (id: string): Html => html`<input type="hidden" name="id" value="${id}">`

function openButton({ name, isOpen }: ListedServer): Html {
  const text = isOpen ? texts.show : texts.open
  return button('open', text, { label: `${text} ${name}` })
}

const renameForm = ({ problem }: ListView, { id, name }: ListedServer): Html =>
  html`<form class="stack">${hidden(id)}${field({
    name: 'name',
    label: texts.name,
    value: name,
    error: problem?.fields['name'],
    maxLength: 64,
    hasFocus: true,
  })}<div class="buttons">${button('save-name', texts.save, { isFirst: true })}${button(
    'cancel',
    texts.cancel,
    {
      isCancel: true,
    },
  )}</div></form>`

const forgetForm = ({ id, name }: ListedServer): Html =>
  html`<form class="stack">${hidden(id)}<p role="status">${texts.forgetQuestion(name)}</p>
<div class="buttons">${button('confirm-forget', texts.confirmForget)}${button('cancel', texts.cancel, { hasFocus: true })}</div></form>`

function found(servers: readonly ListedFound[] | null): Html {
  if (servers === null)
    return html`<h2>${texts.foundTitle}</h2><form class="stack"><p class="help">${texts.lookHelp}</p>
<div class="buttons">${button('look', texts.look)}</div></form>`
  return html`<h2>${texts.foundTitle}</h2><p class="help" role="status">${
    servers.length === 0 ? texts.looking : texts.foundWarning
  }</p>
<ul class="servers">${servers.map(foundItem)}</ul>
<form>${button('stop-looking', texts.stopLooking)}</form>`
}

const foundItem = ({ name, address, claims }: ListedFound): Html =>
  html`<li><div class="row"><div class="about"><bdi>${name}</bdi>
<small>${address}${claims !== null && ` · ${texts.claims(claims)}`}</small></div>
<form><input type="hidden" name="address" value="${address}">${button('connect', texts.connect, {
    label: `${texts.connect} ${address}`,
  })}</form></div></li>`
