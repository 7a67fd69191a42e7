// @ts-check
// The configurations of docs/proxy.md, with the addresses and files of a test.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const page = readFileSync(fileURLToPath(new URL('../../../docs/proxy.md', import.meta.url)), 'utf8')

/** @typedef {{ port: number, servicePort: number, certificate: string, key: string, both: string, folder: string }} Places */

/** Returns a block of the documentation: language and title. @param {string} info */
function block(info) {
  const [, text] = page.split(`\`\`\`${info}\n`)
  const code = text?.split('\n```')[0]
  if (code === undefined) throw new Error(`docs/proxy.md has no block "${info}"`)
  return `${code}\n`
}

/** Replaces each text, which must exist. @param {string} text @param {readonly (readonly [string, string])[]} pairs */
function replaced(text, pairs) {
  let result = text
  for (const [from, to] of pairs) {
    if (!result.includes(from)) throw new Error(`docs/proxy.md lacks ${JSON.stringify(from)}`)
    result = result.replaceAll(from, to)
  }
  return result
}

/** @param {string} title */
const caddy =
  (title) =>
  (/** @type {Places} */ { port, servicePort, certificate, key, folder }) =>
    `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n${replaced(
      block(`caddyfile ${title}`),
      [
        [
          'prompts.example.com {',
          `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
        ],
        ['127.0.0.1:4780', `127.0.0.1:${servicePort}`],
      ],
    )}`

/** @param {readonly (readonly [string, string])[]} pairs */
const nginx =
  (pairs) =>
  (/** @type {Places} */ { port, servicePort, certificate, key, folder }) =>
    // As root, nginx would read its temporary files as another user.
    `${process.getuid?.() === 0 ? 'user root;\n' : ''}daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
access_log off;
client_body_temp_path ${folder}/body;
proxy_temp_path ${folder}/proxy;
fastcgi_temp_path ${folder}/fastcgi;
uwsgi_temp_path ${folder}/uwsgi;
scgi_temp_path ${folder}/scgi;
${replaced(block('nginx root'), [
  ...pairs,
  ['listen 443', `listen 127.0.0.1:${port}`],
  ['server_name prompts.example.com', 'server_name localhost'],
  ['/etc/ssl/prompts.example.com.pem', certificate],
  ['/etc/ssl/prompts.example.com.key', key],
  ['127.0.0.1:4780', `127.0.0.1:${servicePort}`],
])}}
`

/** @param {readonly (readonly [string, string])[]} pairs */
const haproxy =
  (pairs) =>
  (/** @type {Places} */ { port, servicePort, both }) =>
    replaced(block('haproxy root'), [
      ...pairs,
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/ssl/prompts.example.com.pem', both],
      ['127.0.0.1:4780', `127.0.0.1:${servicePort}`],
    ])

const path = '/promptdeck'

/** The command of each proxy, and what to test: a name, the base path, and the text of the file. */
export const proxies = [
  {
    command: 'caddy',
    argumentsOf: (/** @type {string} */ file) => ['run', '--adapter', 'caddyfile', '--config', file],
    variants: [
      { name: 'root', basePath: '', text: caddy('root') },
      { name: 'path', basePath: path, text: caddy('path') },
      { name: 'removed path', basePath: path, text: caddy('removed path') },
    ],
  },
  {
    command: 'nginx',
    argumentsOf: (/** @type {string} */ file) => ['-c', file],
    variants: [
      { name: 'root', basePath: '', text: nginx([]) },
      { name: 'path', basePath: path, text: nginx([['location / {', 'location /promptdeck/ {']]) },
    ],
  },
  {
    command: 'haproxy',
    argumentsOf: (/** @type {string} */ file) => ['-db', '-f', file],
    variants: [
      { name: 'root', basePath: '', text: haproxy([]) },
      {
        name: 'path',
        basePath: path,
        text: haproxy([
          [
            'default_backend promptdeck',
            'use_backend promptdeck if { path /promptdeck } or { path_beg /promptdeck/ }',
          ],
        ]),
      },
    ],
  },
]
