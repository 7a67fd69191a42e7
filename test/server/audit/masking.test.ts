import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf } from '../../../server/history/changes.ts'
import { plainJson, plainText } from '../../../server/lib/text/plain-text.ts'
import { log, singleRow, withLog } from './record-support.ts'

describe('secrets', () => {
  const secrets = {
    password: 'hunter2',
    password_hash: '$2b$',
    current_password: 'hunter2',
    newPassword: 'hunter3',
    token: 'tkn',
    api_key: 'sk-1',
    'API-Key': 'sk-2',
    secret: 's',
    client_secret: 's',
    Authorization: 'Bearer x',
    nested: { smtp_password: 'p', list: [{ token_hash: 'h' }] },
  }

  it('are never stored, at any depth and in any case', () => {
    const { before, after } = changesOf(undefined, { ...secrets, name: 'kept' })
    expect(before).toBeNull()
    expect(JSON.parse(after ?? '')).toEqual({ name: 'kept', nested: { list: [{}] } })
  })

  it('are distinguished from flags and counts about them', () => {
    const { after } = changesOf(undefined, {
      must_change_password: true,
      has_secret: false,
      prompt_tokens: 4,
    })
    expect(JSON.parse(after ?? '')).toEqual({
      must_change_password: true,
      has_secret: false,
      prompt_tokens: 4,
    })
  })
})

describe('long text', () => {
  it('is replaced by its SHA-256 and length above 4 KiB', () => {
    const { after } = changesOf(undefined, {
      short: 'a'.repeat(4096),
      long: 'a'.repeat(4097),
      bytes: 'ä'.repeat(2049),
    })
    const fields = JSON.parse(after ?? '')
    expect(fields.short).toHaveLength(4096)
    expect(fields.long).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: 4097 })
    expect(fields.bytes).toMatchObject({ length: 2049 })
  })

  it('is limited in total size', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field_${i}`, 'x'.repeat(4000)]))
    expect(changesOf(undefined, many).after?.length).toBeLessThan(200)
  })
})

describe('log injection', () => {
  it.each([
    ['a line break', 'ok\nadmin deleted everything', 'ok\\nadmin deleted everything'],
    ['a carriage return', 'ok\r\nforged', 'ok\\r\\nforged'],
    ['a bidi override', 'user\u202Egnp.exe', 'user\\u{202E}gnp.exe'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['an escape sequence', '\u001b[31mred', '\\u{1B}[31mred'],
    ['a NUL', 'a\u0000b', 'a\\u{0}b'],
    ['a zero-width space', 'ad\u200Bmin', 'ad\\u{200B}min'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['an emoji', 'fine 👩‍💻', 'fine 👩‍💻'],
  ])('is prevented for %s', (_, text, expected) => {
    expect(plainText(text, 100)).toBe(expected)
  })

  describe('in an entry', () => {
    withLog()

    it('is prevented in every text of an entry', async () => {
      const evil = 'x\ny\u202Ez'
      await log.record(
        { summary: evil, key: evil, resourceId: evil, workspaceId: evil },
        log.ctx({
          ip: evil,
          requestId: evil,
          actor: { kind: 'user', id: evil, name: evil, role: 'viewer', sessionId: null },
        }),
      )
      const row = await singleRow()
      const plain = 'x\\ny\\u{202E}z'
      const { actor, actor_id, summary, key, resource_id, workspace_id, ip, request_id } = row
      expect([actor, actor_id, summary, key, resource_id, workspace_id, ip, request_id]).toEqual(
        Array(8).fill(plain),
      )
    })

    it('limits the length of texts', async () => {
      await log.record({ summary: 'x'.repeat(100_000), key: 'k'.repeat(5000) })
      const row = await singleRow()
      expect(row.summary).toHaveLength(500)
      expect(row.key).toHaveLength(200)
    })
  })

  it('leaves no raw control, bidi or line separator in any text, and does not change JSON values', () => {
    const raw = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (text, max) => {
          const plain = plainText(text, max)
          expect(plain.length).toBeLessThanOrEqual(max)
          expect(plain).not.toMatch(raw)
          const json = plainJson({ text })
          expect(json).not.toMatch(raw)
          expect(JSON.parse(json)).toEqual({ text })
        },
      ),
    )
  })
})
