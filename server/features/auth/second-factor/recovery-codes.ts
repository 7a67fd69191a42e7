import { hash, randomInt } from 'node:crypto'
import { recoveryCodeCount } from '../../../../contract/accounts/second-factor.ts'

/** Letters and digits that cannot be confused with each other. */
const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const groups = 4
const groupLength = 6

const newCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  ).join('-')

/** Returns new recovery codes such as `K7QF2M-ZX9TRA-4WVCB3-HN8PJE`, each with 117 random bits. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, newCode)

/** Returns the letters and digits of a typed code. */
export const compactCode = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase()

/**
 * Returns the hash under which a recovery code is stored. A fast hash suffices, because the code is random and
 * long (OWASP ASVS 5.0, 6.5.2), as for API tokens.
 */
export const recoveryCodeHash = (userId: string, code: string): string =>
  hash('sha256', `promptdeck/recovery-code/v1\n${userId}\n${compactCode(code)}`, 'hex')
