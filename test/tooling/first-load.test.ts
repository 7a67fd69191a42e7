import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { top } from '../support/source-tree.ts'

/** Bytes of compressed script that a page may load before it is usable. */
const maxBytes = 240_000

const folder = `${top}dist/renderer/`
const html = readFileSync(`${folder}index.html`, 'utf8')
const scripts = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, name = '']) => name)
const codeOf = (name: string) => readFileSync(`${folder}${name}`)

it('loads at most 240 kB of compressed script first', () => {
  expect(scripts.length).toBeGreaterThan(3)
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(codeOf(name)).length, 0)
  expect(bytes).toBeLessThanOrEqual(maxBytes)
})

it('contains the endpoints, without the texts of their documentation', () => {
  const code = scripts.map((name) => codeOf(name).toString()).join('')
  expect(code).toContain('/api/runs/export')
  expect(code).not.toContain('Download the run log as CSV or JSON Lines')
})
