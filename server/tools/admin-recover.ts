import { createPasswords } from '../auth/passwords/passwords.ts'
import { type ComposeDeps, type OnClose, systemDeps } from '../compose/deps.ts'
import { composeFoundation } from '../compose/foundation/foundation.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import type { Query } from '../db/types.ts'
import { findAccountByName } from '../features/auth/accounts.store.ts'
import { activeAdmins, noSuchUser, type Recovery, recoverAccount } from '../features/auth/recovery.ts'
import { systemClock } from '../lib/clock.ts'
import { systemContext } from '../lib/context.ts'
import { endAll } from '../lib/end-all.ts'
import { newUuid } from '../lib/ids.ts'
import { createLogger } from '../lib/logger.ts'
import { openToRead } from './copy/source.ts'
import { readToolArguments, requireData, runTool } from './lib/arguments.ts'

const usage = `Usage: npm run admin:recover -- [<username>] [--password] [--second-factor] [--data <data folder>]
Restores access to an account, for people with access to this machine.
--password       sets a temporary password, which is printed once and must be changed, and enables the account
--second-factor  removes the authenticator app, the recovery codes and the passkeys
Both end the sessions of the user and are in the audit log. Without them, nothing changes. The service must be stopped.`

type Foundation = Awaited<ReturnType<typeof composeFoundation>>

const deps: ComposeDeps = {
  ...systemDeps,
  logger: createLogger({ logLevel: 'error' }),
  onFatal: (error) => {
    throw error
  },
}

/** Returns the given name, or the only active admin. */
async function chosenUser(q: Query, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  const admins = await activeAdmins(q)
  const [only] = admins
  if (only !== undefined && admins.length === 1) return only
  throw new ConfigError(
    `Name the user to recover. Active admins: ${admins.join(', ') || 'none'}.\n\n${usage}`,
  )
}

/** Reads a copy of the store, because opening it migrates it. */
async function describeOnly(config: Config, given: string | undefined): Promise<string[]> {
  const { read, close } = await openToRead(config, deps.logger)
  try {
    const username = await chosenUser(read, given)
    if ((await findAccountByName(read, username)) === undefined) throw noSuchUser(username)
    return [`Nothing was changed for ${username}. Add --password, --second-factor, or both.`]
  } finally {
    await close()
  }
}

async function recover(foundation: Foundation, given: string | undefined, recovery: Recovery) {
  const username = await chosenUser(foundation.db.read, given)
  const passwords = createPasswords()
  try {
    const ctx = systemContext(systemClock.now(), `recover_${newUuid()}`)
    const done = await recoverAccount({ ...foundation, passwords }, ctx, username, recovery)
    return [
      ...(recovery.secondFactor ? [`Removed the second factor and the passkeys of ${done.username}.`] : []),
      ...(done.password === null
        ? []
        : [
            `Temporary password of ${done.username}: ${done.password}`,
            'It must be changed at the next sign-in.',
          ]),
      'All sessions of the user have ended.',
    ]
  } finally {
    await passwords.close()
  }
}

/** `npm run admin:recover`: access to an account without its password or second factor. */
async function main(args: readonly string[]): Promise<void> {
  const { dataDir, flags, rest } = readToolArguments(args, ['--password', '--second-factor'], usage)
  if (rest.length > 1) throw new ConfigError(usage)
  requireData(dataDir)
  const config = { ...readConfig(process.env), dataDir }
  const recovery = { password: flags.has('--password'), secondFactor: flags.has('--second-factor') }
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`)
  if (!recovery.password && !recovery.secondFactor) {
    print(await describeOnly(config, rest[0]))
    return
  }
  const closers: Parameters<OnClose>[0][] = []
  try {
    const foundation = await composeFoundation(config, deps, (close) => void closers.push(close))
    print(await recover(foundation, rest[0], recovery))
  } finally {
    await endAll(closers.reverse())
  }
}

await runTool(main)
