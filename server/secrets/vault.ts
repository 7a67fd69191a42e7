import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** A secret, or why it cannot be read. */
export type Opened = { readonly text: string } | { readonly problem: string }

export type Vault = {
  /** `v1.<key id>.<nonce, ciphertext and tag>`. Bound to `owner` and `purpose`: elsewhere it does not open. */
  seal(owner: string, purpose: string, text: string): Promise<string>
  open(owner: string, purpose: string, sealed: string): Opened
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const aad = (owner: string, purpose: string) => Buffer.from(JSON.stringify(['promptdeck', 1, owner, purpose]))

/** Secrets at rest: AES-256-GCM with a random nonce, under a key that is not in the database. */
export function createVault(ring: KeyRing): Vault {
  return {
    async seal(owner, purpose, text) {
      const { id, key } = await ring.current()
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(aad(owner, purpose))
      const bytes = Buffer.concat([
        nonce,
        sealing.update(text, 'utf8'),
        sealing.final(),
        sealing.getAuthTag(),
      ])
      return `v1.${id}.${bytes.toString('base64url')}`
    },
    open(owner, purpose, sealed) {
      const [, id = '', data = ''] = /^v1\.([0-9a-f]{8})\.([\w-]+)$/.exec(sealed) ?? []
      const key = ring.find(id)
      if (key === null) return { problem: ring.whyLost }
      const bytes = Buffer.from(data, 'base64url')
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
        opening.setAAD(aad(owner, purpose)).setAuthTag(bytes.subarray(-tagBytes))
        return {
          text: Buffer.concat([
            opening.update(bytes.subarray(nonceBytes, -tagBytes)),
            opening.final(),
          ]).toString(),
        }
      } catch {
        // Whatever is wrong with it, a person can only set the key again.
        return { problem: 'what is stored of it is damaged. Set the key again' }
      }
    },
  }
}
