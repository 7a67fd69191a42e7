import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

export let folder: string

/** Makes an empty folder before each test of the calling file and removes it after the test. */
export function setUpFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'promptdeck-shell-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
}
