import { existsSync, renameSync } from 'node:fs'
import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { readJson, writeJson } from '../lib/json-file.ts'

/** A server on another computer that this app is paired with. */
const Stored = z.object({
  /** New for each pairing, because the profile of Chromium remembers verified certificates. */
  id: z.string().regex(/^[a-z0-9-]{8,64}$/),
  name: z.string().min(1).max(64),
  /** Such as `https://desk.local:4743`. */
  origin: z.string().regex(/^https:\/\/[^/]+$/),
  /** The only trusted CA (PEM). */
  ca: z.string(),
  /** SHA-256 of the CA: upper-case hex pairs with `:` between them. */
  fingerprint: z.string(),
  username: z.string(),
  pairedAt: z.string(),
  /** The device token, encrypted with a key from the key store of the system. Null without a key store. */
  sealedToken: z.string().nullable(),
  /** The device token on a computer without a key store. The file is readable by this user only. */
  plainToken: z.string().nullable(),
})
export type StoredServer = z.infer<typeof Stored>

const StoredFile = z.object({ servers: z.array(Stored).max(100) })

export type StoredServers = {
  list(): readonly StoredServer[]
  get(id: string): StoredServer | null
  byFingerprint(fingerprint: string): StoredServer | null
  /** Adds a server in place of one with the same authority. Throws if it cannot be stored. */
  add(server: StoredServer): void
  change(id: string, change: Partial<Pick<StoredServer, 'name' | 'origin'>>): void
  remove(id: string): void
}

type Options = {
  readonly file: string
  readonly clock: Clock
  readonly writeLog: (line: string) => void
  readonly onChange: () => void
}

/** The servers that this app remembers. */
export function openStoredServers({ file, clock, writeLog, onChange }: Options): StoredServers {
  let servers = readServers({ file, clock, writeLog })
  const replace = (next: readonly StoredServer[]): void => {
    writeJson(file, { servers: next })
    servers = next
    onChange()
  }
  return {
    list: () => servers,
    get: (id) => servers.find((server) => server.id === id) ?? null,
    byFingerprint: (fingerprint) => servers.find((server) => server.fingerprint === fingerprint) ?? null,
    add(server) {
      const others = servers.filter(({ fingerprint }) => fingerprint !== server.fingerprint)
      replace([...others, { ...server, name: freeName(server.name, others) }])
    },
    change: (id, change) =>
      replace(servers.map((server) => (server.id === id ? { ...server, ...change } : server))),
    remove: (id) => replace(servers.filter((server) => server.id !== id)),
  }
}

/** A damaged file is renamed, so that adding a server does not delete what a person could still repair. */
function readServers({ file, clock, writeLog }: Omit<Options, 'onChange'>): readonly StoredServer[] {
  if (!existsSync(file)) return []
  const { data } = StoredFile.safeParse(readJson(file))
  if (data !== undefined) return data.servers
  const aside = `${file}.damaged-${clock.now()}`
  renameSync(file, aside)
  writeLog(`${file} is damaged and was renamed to ${aside}; connect to the servers again`)
  return []
}

/** Returns the name, with a number if another server has it. */
function freeName(name: string, others: readonly StoredServer[]): string {
  const taken = new Set(others.map((other) => other.name))
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`
    if (!taken.has(candidate)) return candidate
  }
}
