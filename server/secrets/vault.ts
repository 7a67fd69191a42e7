import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** A decrypted secret, or the reason why it cannot be decrypted. */
export type Opened = { readonly text: string } | { readonly problem: string }

export type Vault = {
  /**
   * Returns `v1.<key id>.<nonce, ciphertext and tag>`. It can be decrypted only for the same `owner` and
   * `purpose`.
   */
  seal(owner: string, purpose: string, text: string): Promise<string>
  open(owner: string, purpose: string, sealed: string): Opened
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const aad = (owner: string, purpose: string) => Buffer.from(JSON.stringify(['promptdeck', 1, owner, purpose]))

/** Encrypts secrets at rest: AES-256-GCM with a random nonce and a key that is not in the database. */
export function createVault(ring: KeyRing): Vault {
  return {
    async seal(owner, purpose, text) {
      const { id, key } = await ring.current()
      const nonce = randomBytes(nonceBytes)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(aad(owner, purpose))
      const bytes = Buffer.concat([
        nonce,
        encryption.update(text, 'utf8'),
        encryption.final(),
        encryption.getAuthTag(),
      ])
      return `v1.${id}.${bytes.toString('base64url')}`
    },
    open(owner, purpose, sealed) {
      const [, id = '', data = ''] = /^v1\.([0-9a-f]{8})\.([\w-]+)$/.exec(sealed) ?? []
      const key = ring.find(id)
      if (key === null) return { problem: ring.lostKeyReason }
      const bytes = Buffer.from(data, 'base64url')
      try {
        const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
        decryption.setAAD(aad(owner, purpose)).setAuthTag(bytes.subarray(-tagBytes))
        return {
          text: Buffer.concat([
            decryption.update(bytes.subarray(nonceBytes, -tagBytes)),
            decryption.final(),
          ]).toString(),
        }
      } catch {
        // Every kind of damage has the same remedy.
        return { problem: 'the stored key is damaged. Set the key again' }
      }
    },
  }
}
