// @ts-check
import { once } from 'node:events'
import net from 'node:net'
import WebSocket from 'ws'
import { request, token } from '../lib/process.mjs'

/** @param {string} url @param {string | Buffer} bytes @param {number} ms */
function raw(url, bytes, ms) {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  let got = ''
  socket.on('data', (data) => {
    if (got.length < 4000) got += data.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  const timer = setTimeout(() => socket.destroy(), ms)
  return once(socket, 'close').then(() => {
    clearTimeout(timer)
    return got
  })
}

const deep = `{"type":"hello","a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
const badFrames = [
  '',
  'x',
  'null',
  '[]',
  '1',
  '"hello"',
  '{',
  '{}',
  '{"type":1}',
  '{"type":null}',
  '{"type":"hello","keys":"x"}',
  '{"type":"ack"}',
  '{"type":"ack","seq":-1,"key":"k","version":"v1"}',
  '{"type":"ack","seq":1e400,"key":"k","version":"v1"}',
  '{"type":"subscribe","keys":[1]}',
  '{"type":"subscribe","keys":["\\ud800"]}',
  '{"type":"__proto__"}',
  '{"__proto__":{"type":"hello"}}',
  `{"type":"subscribe","keys":${JSON.stringify(Array.from({ length: 1001 }, () => 'k'))}}`,
  `{"type":"hello","since_seq":9007199254740993}`,
  '{"type":"hello","token":{"a":1}}',
  deep,
  'x'.repeat(65_537),
  'x'.repeat(1_000_000),
  Buffer.alloc(10),
  Buffer.alloc(70_000),
]

/**
 * Sends invalid frames. The service may close the connection, but must not fail.
 * @param {import('./fixture.mjs').Fixture} fixture @param {number} rounds
 */
export async function frames(fixture, rounds) {
  const url = `${fixture.url.replace('http', 'ws')}/ws?client=node-sdk&namespace=prod&app=hostile`
  const signedIn = { headers: { authorization: `Bearer ${token}` } }
  for (let round = 0; round < rounds; round += 1)
    for (const options of [signedIn, {}])
      for (const frame of badFrames) {
        fixture.count('frames')
        await sendFrame(url, options, frame)
      }
  await floodFrames(url, signedIn)
  fixture.count('frames', 20_000)
}

/** @param {string} url @param {import('ws').ClientOptions} options @param {string | Buffer} frame */
async function sendFrame(url, options, frame) {
  const socket = new WebSocket(url, options)
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  await Promise.race([once(socket, 'open'), closed])
  if (socket.readyState !== WebSocket.OPEN) return
  socket.send(frame)
  socket.ping()
  await Promise.race([closed, once(socket, 'pong')])
  socket.terminate()
  await closed
}

/** @param {string} url @param {import('ws').ClientOptions} options */
async function floodFrames(url, options) {
  const flood = new WebSocket(url, options)
  flood.on('error', () => undefined)
  const closed = once(flood, 'close')
  await once(flood, 'open')
  for (let sent = 0; sent < 20_000 && flood.readyState === WebSocket.OPEN; sent += 1)
    flood.send('{"type":"ping"}')
  flood.terminate()
  await closed
}

/**
 * Sends requests that never end, and bytes that are no request.
 * @param {import('./fixture.mjs').Fixture} fixture @param {number} sockets
 */
export async function slowRequests(fixture, sockets) {
  const head = (/** @type {string} */ rest) =>
    `POST /api/runs HTTP/1.1\r\nHost: ${new URL(fixture.url).host}\r\nAuthorization: Bearer ${token}\r\n${rest}`
  const starts = [
    'G',
    'GET /',
    'GET / HTTP/1.1\r\n',
    head(''),
    head('Content-Length: 100\r\n\r\n'),
    head('Content-Length: 100\r\nContent-Type: application/json\r\n\r\n{"a":'),
    head('Transfer-Encoding: chunked\r\n\r\n5\r\n'),
  ]
  const slow = Array.from({ length: sockets }, (_, at) =>
    raw(fixture.url, starts[at % starts.length] ?? '', 3_000),
  )
  fixture.count('slow requests', sockets)
  const reply = await request(fixture.url, 'GET /api/me', undefined, 5_000)
  fixture.expect(
    reply.status === 200,
    'slowloris',
    `${sockets} slow sockets`,
    `another request got ${reply.status} ${reply.body}`,
  )
  await Promise.all(slow)
  const odd = [
    '\0'.repeat(100),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00',
    'GET / HTTP/9.9\r\n\r\n',
    'GET  HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    head('Content-Length: -1\r\n\r\n'),
    head('Content-Length: 99999999999999999999\r\n\r\n'),
    head('Content-Length: 1\r\nContent-Length: 2\r\n\r\n'),
    head('Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n'),
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(5_000)}\r\n`,
    `GET / HTTP/1.1\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n',
    'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://169.254.169.254/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n',
  ]
  for (const bytes of odd) {
    fixture.count('unexpected bytes')
    const got = await raw(fixture.url, bytes, 1_500)
    fixture.expect(
      !/^HTTP\/1\.[01] 5(?!05)/.test(got),
      'unexpected bytes',
      JSON.stringify(bytes.slice(0, 80)),
      got.slice(0, 200),
    )
  }
}

/**
 * Sends many concurrent requests: memory must be bounded, and the next request must get a reply.
 * @param {import('./fixture.mjs').Fixture} fixture @param {number} requests
 */
export async function requestFlood(fixture, requests) {
  const before = fixture.rss()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, fixture.rss())
  }, 200)
  const pipelined =
    `GET /api/prompts?limit=200 HTTP/1.1\r\nHost: ${new URL(fixture.url).host}\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(
      20,
    )
  const unread = Array.from({ length: 60 }, () => {
    const { hostname, port } = new URL(fixture.url)
    const socket = net.connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(pipelined)
    return socket
  })
  fixture.count('flood', 1_200)
  let next = 0
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      for (next += 1; next <= requests; next += 1) {
        const reply = await request(
          fixture.url,
          next % 2 === 0 ? 'GET /api/runs?limit=200' : 'GET /api/me',
          undefined,
          30_000,
        )
        fixture.count('flood')
        fixture.expect(
          [200, 429, 503].includes(reply.status),
          'flood',
          'a request in a flood',
          `${reply.status} ${reply.type} ${reply.status === 0 ? reply.body : ''}`,
        )
      }
    }),
  )
  for (const socket of unread) socket.destroy()
  clearInterval(watch)
  fixture.count('flood peak MB', Math.round(peak - before))
  const after = await request(fixture.url, 'GET /health', undefined, 10_000)
  fixture.expect(after.status === 200, 'flood', 'health after the flood', after.status)
  fixture.expect(peak - before < 600, 'flood', 'memory', `grew by ${Math.round(peak - before)} MB`)
}
