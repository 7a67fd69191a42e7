import { describe, expect, it } from 'vitest'
import { actionOf, statusPage } from '../../../main/windows/status-page.ts'

describe('the status page', () => {
  it('contains no script, and the reason is escaped', () => {
    const reason = `<script>alert(1)</script><img src=x onerror="a()"> & 'quotes'\nsecond line`
    const page = statusPage({ kind: 'failed', reason, logFile: '/data/"logs"/desktop.log' })
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img')
    expect(page).toContain('&#60;script&#62;')
    expect(page).toContain('/data/&#34;logs&#34;/desktop.log')
    expect(page).toMatch(/default-src &#39;none&#39;/)
  })

  it('has exactly three actions', () => {
    expect(actionOf('https://promptdeck.invalid/try-again?')).toBe('try-again')
    expect(actionOf('https://promptdeck.invalid/open-log-folder')).toBe('open-log-folder')
    expect(actionOf('https://promptdeck.invalid/quit')).toBe('quit')
    for (const url of [
      'https://promptdeck.invalid/',
      'https://example.org/quit',
      'quit',
      'promptdeck://quit',
    ])
      expect(actionOf(url)).toBeNull()
  })
})
