// The lock of version 0.1: `node earlier.mjs <folder> hold [url]` listens at the address in the temporary
// directory and writes owner.json; `node earlier.mjs <folder> start` checks for another owner.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [folder = '', mode = 'hold', url = null] = process.argv.slice(2)
const hash = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16)
const address = join(tmpdir(), `promptdeck-${hash}.sock`)
const note = join(folder, 'owner.json')

/** @param {string} path @returns {Promise<string | undefined>} */
const ask = (path) =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect(path)
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', () => resolve(undefined))
  })

if (mode === 'start') {
  let notedAddress = address
  try {
    notedAddress = JSON.parse(readFileSync(note, 'utf8')).address
  } catch {
    // There is no owner.json.
  }
  process.stdout.write(`${(await ask(address)) ?? (await ask(notedAddress)) ?? 'nobody'}\n`)
} else {
  rmSync(address, { force: true })
  const server = createServer((socket) => socket.end(`${JSON.stringify({ pid: process.pid, url })}\n`))
  server.listen(address, () => {
    writeFileSync(note, `${JSON.stringify({ pid: process.pid, address })}\n`)
    process.stdout.write('open\n')
  })
  process.stdin.resume()
  process.stdin.once('end', () => server.close(() => process.exit(0)))
}
