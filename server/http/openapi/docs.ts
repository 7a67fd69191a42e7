import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { problems } from '../../../contract/common/problem.ts'
import {
  hasRole,
  type Permission,
  permissionDescriptions,
  permissionRoles,
  roleDescriptions,
  roles,
} from '../../../contract/common/roles.ts'
import { type GatewayProtocol, gatewayBases, gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { otelNames } from '../../../contract/runs/run-otel.ts'
import type { BasePath } from '../../lib/text/base-path.ts'

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const json = (value: unknown) => escapeHtml(JSON.stringify(value, null, 2))

/** Turns the section's name in a description into a link. */
const linked = (html: string) => html.replace('Who may do what', '<a href="#who">Who may do what</a>')

const style = `
:root { color-scheme: light dark; --line: light-dark(#e3e5ea, #2c2f36); --soft: light-dark(#5c6370, #9aa1ad);
  --ground: light-dark(#fff, #15171b); --raised: light-dark(#f6f7f9, #1c1f24); --accent: light-dark(#4250c9, #97a2ff) }
body { margin: 0; font: 14px/1.55 system-ui, sans-serif; background: var(--ground) }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.5rem 6rem }
h1 { font-size: 20px } h2 { font-size: 16px; margin: 2.5rem 0 .75rem } p { max-width: 72ch } a { color: var(--accent) }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0 }
summary { padding: .55rem .75rem; cursor: pointer } details > div { padding: 0 .75rem .75rem }
code, pre { font: 12.5px/1.5 ui-monospace, monospace } pre { background: var(--raised); padding: .75rem; border-radius: 6px; overflow: auto }
.method { display: inline-block; width: 4.5rem; font-weight: 600 } .soft { color: var(--soft) } table { border-collapse: collapse }
td, th { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line) }`

/**
 * Renders the API documentation as one page without scripts. It is generated from the endpoint tables, so
 * both always agree.
 */
export function renderDocs(endpoints: readonly Endpoint[], version: string, basePath: BasePath): string {
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))]
  const sections = tags.map((tag) => {
    const rows = endpoints.filter((endpoint) => endpoint.tag === tag).map(section)
    return `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${rows.join('')}`
  })
  const codes = Object.entries(problems).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(title)}</td></tr>`,
  )
  const otel = otelNames.map(
    ([field, name]) => `<tr><td><code>${field}</code></td><td><code>${escapeHtml(name)}</code></td></tr>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Promptdeck API</title><style>${style}</style><main>
<h1>Promptdeck API <span class="soft">${escapeHtml(version)}</span></h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with every request under <code>/api</code> except sign-in. Unknown
parameters and unknown members are rejected. An empty string for an optional field or filter counts as absent, unless the
field takes one, as a text does. The same description for machines: <a href="${basePath}/openapi.json">openapi.json</a>.</p>
<nav><a href="#who">Who may do what</a> · ${tags.map((tag) => `<a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a>`).join(' · ')} · <a href="#gateway">Gateway</a> · <a href="#otel">OpenTelemetry</a> · <a href="#errors">Errors</a></nav>
${whoMayWhat()}
${sections.join('\n')}
${gateway()}
<h2 id="otel">OpenTelemetry</h2><p>Fields of a run under the names of the semantic conventions for generative AI. The service's own
calls are in <code>/metrics</code> as <code>gen_ai_client_operation_duration_seconds</code> and <code>gen_ai_client_token_usage</code>, by
provider, model, source and status; estimated tokens are left out. <code>POST /v1/traces</code> and
<code>POST /v1/logs</code> receive spans and log events of apps (OTLP/HTTP), with the same token.</p>
<table><tr><th>Field</th><th>Name</th></tr>${otel.join('')}</table>
<h2 id="errors">Errors</h2><p>Every error is <code>application/problem+json</code> (RFC 9457) with these members:
<code>type title status detail instance code request_id error</code>, and <code>errors</code> on 422.</p>
<table><tr><th>Status</th><th>Code</th><th>Title</th></tr>${codes.join('')}</table></main></html>`
}

/** Renders the routes of the gateway. */
function gateway(): string {
  const rows = (Object.values(gatewayProtocols) as readonly GatewayProtocol[]).flatMap((protocol) =>
    gatewayBases(protocol).flatMap((base) =>
      protocol.routes.map(
        ({ method, path, summary }) =>
          `<tr><td>${method}</td><td><code>${escapeHtml(base + path)}</code></td><td>${escapeHtml(`${protocol.label}: ${summary}`)}</td></tr>`,
      ),
    ),
  )
  return `<h2 id="gateway">Gateway</h2><p>Requests in the protocols of model providers. They are passed on unchanged, except
authentication and address, and each model call is a run. The token is an API token with <code>gateway</code>, sent as
<code>Authorization: Bearer</code>, <code>x-api-key</code> or <code>x-goog-api-key</code>. Errors have the form of the protocol.</p>
<table><tr><th>Method</th><th>Path</th><th></th></tr>${rows.join('')}</table>`
}

/** Renders roles, permissions and the rules of protected environments. */
function whoMayWhat(): string {
  const means = roles.map(
    (role) => `<tr><td><code>${role}</code></td><td>${escapeHtml(roleDescriptions[role])}</td></tr>`,
  )
  const rows = (Object.keys(permissionRoles) as Permission[]).map(
    (permission) =>
      `<tr><td>${escapeHtml(permissionDescriptions[permission])}</td>${roles
        .map((role) => `<td>${hasRole(role, permissionRoles[permission]) ? 'yes' : ''}</td>`)
        .join('')}</tr>`,
  )
  return `<h2 id="who">Who may do what</h2>
<table><tr><th>Role</th><th>Permissions</th></tr>${means.join('')}</table>
<p>The role is read from the store on every request; tokens do not contain it. A request without the required role gets
403 <code>auth.forbidden</code> with <code>required_role</code>. <code>GET /api/roles</code> lists the users of each role.</p>
<table><tr><th></th>${roles.map((role) => `<th>${role}</th>`).join('')}</tr>${rows.join('')}</table>
<h3 id="protected">Protected environments</h3>
<p>A workspace may mark environments as protected (<code>protected_envs</code>, set by an admin). Only
an admin can change what is served there: publish, create or import a published prompt, roll back, promote into it, and
delete, move or restore a published prompt. Editors can save drafts there, and promote from it into an unprotected
environment. A 403 names the environment and the workspace. <code>protected</code> of a prompt and
<code>required_role</code> of <code>GET /api/prompts/:id/impact</code> show the restriction in advance.</p>`
}

function section(endpoint: Endpoint): string {
  const { method, alias, path, permission, example } = endpoint
  const who =
    permission === 'public'
      ? 'anyone'
      : permission === 'signed_in'
        ? 'signed in'
        : permissionRoles[permission]
  const call = `${path}${example.query === undefined ? '' : `?${example.query}`}`
  return `<details><summary><span class="method">${method}${alias ? `/${alias}` : ''}</span><code>${escapeHtml(path)}</code>
<span class="soft">${escapeHtml(endpoint.summary)} · ${who}</span></summary><div>
<p>${linked(escapeHtml(endpoint.description ?? ''))}</p>
<p class="soft">Request</p><pre>${method} ${escapeHtml(call)}${example.body === undefined ? '' : `\n\n${json(example.body)}`}</pre>
<p class="soft">Reply ${endpoint.status ?? 200}</p><pre>${json(example.reply)}</pre>
${endpoint.problems ? `<p class="soft">Also: ${endpoint.problems.map((code) => `<code>${code}</code>`).join(', ')}</p>` : ''}
</div></details>`
}
