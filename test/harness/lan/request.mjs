// @ts-check
// `request.mjs <METHOD> <url> [<JSON with headers, body, ca, servername>]`: sends one request on the machine where it runs.
// Prints {status, text}, or {error} if there is no reply.
import { readFileSync } from 'node:fs'
import { request as http } from 'node:http'
import { request as https } from 'node:https'

const [, , method, url = '', options = '{}'] = process.argv
const { headers = {}, body, ca, servername } = JSON.parse(options)
const send = url.startsWith('https:') ? https : http
const req = send(
  url,
  {
    method,
    agent: false,
    timeout: 20_000,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(ca !== undefined && { ca: readFileSync(ca) }),
    ...(servername !== undefined && { servername }),
  },
  (res) => {
    let text = ''
    res.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    res.on('end', () => process.stdout.write(JSON.stringify({ status: res.statusCode, text })))
  },
)
req.on('timeout', () => req.destroy(new Error('no reply in time')))
req.on('error', (error) => process.stdout.write(JSON.stringify({ error: error.message })))
req.end(body === undefined ? undefined : JSON.stringify(body))
