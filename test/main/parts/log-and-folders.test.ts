import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLogFile } from '../../../main/lib/log-file.ts'
import { pathsFor } from '../../../main/lib/paths.ts'
import { readConfig } from '../../../server/config.ts'
import { folder, setUpFolder } from './temporary-folder.ts'

setUpFolder()

describe('the log', () => {
  const now = () => Date.UTC(2026, 10, 21, 9, 30)

  it('contains the output of shell and service, in order', () => {
    const log = createLogFile({ folder: join(folder, 'logs'), now })
    const stream = new PassThrough()
    log.follow(stream)
    log.follow(null)
    log.write('started')
    stream.emit('data', Buffer.from('{"msg":"listening"}\n'))
    stream.emit('data', 'and text\n')
    expect(readFileSync(log.path, 'utf8')).toBe(
      '2026-11-21T09:30:00.000Z started\n{"msg":"listening"}\nand text\n',
    )
  })

  it('never exceeds its size limit', () => {
    const log = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    const stream = new PassThrough()
    log.follow(stream)
    for (let i = 0; i < 500; i++) log.write(`line ${i}`)
    stream.emit('data', Buffer.alloc(5000, 'x'))
    log.write('the last word')
    const files = readdirSync(folder).sort()
    expect(files).toEqual(['desktop.log', 'desktop.log.1', 'desktop.log.2'])
    for (const file of files) expect(readFileSync(join(folder, file)).length).toBeLessThanOrEqual(1000)
    expect(readFileSync(log.path, 'utf8')).toContain('the last word')
    // The next start continues the same file within the same limit.
    const next = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    next.write('again')
    expect(readFileSync(log.path, 'utf8')).toMatch(/the last word\n.*again\n$/)
  })

  it('continues with the newest lines if its files cannot be renamed', () => {
    const log = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    // A file cannot replace a folder.
    mkdirSync(join(folder, 'desktop.log.1/x'), { recursive: true })
    mkdirSync(join(folder, 'desktop.log.2/x'), { recursive: true })
    for (let i = 0; i < 100; i++) log.write(`line ${i}`)
    expect(readFileSync(log.path, 'utf8')).toContain('line 99')
    expect(readFileSync(log.path).length).toBeLessThanOrEqual(1000)
  })

  it('does nothing if it cannot be written', () => {
    const file = join(folder, 'a file')
    writeFileSync(file, '')
    const log = createLogFile({ folder: join(file, 'logs'), now })
    expect(() => log.write('a line')).not.toThrow()
  })
})

describe('the folders', () => {
  it('are in the data folder that the service would choose', () => {
    for (const env of [{}, { DATA_DIR: folder }, { DATA_DIR: '' }]) {
      const { dataDir, ...rest } = pathsFor(env)
      expect(dataDir).toBe(readConfig(env).dataDir)
      for (const path of Object.values(rest)) expect(path.startsWith(dataDir)).toBe(true)
    }
    expect(pathsFor({ DATA_DIR: 'data' }).dataDir).toBe(resolve('data'))
    expect(pathsFor({}).dataDir.startsWith(dirname(homedir()))).toBe(true)
  })
})
