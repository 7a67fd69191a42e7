import { readFileSync } from './disk/fs.ts'

/** Loading the modules alone opens some hundred files at the same time. */
const LEAST_OPEN_FILES = 512

/** Returns the reason not to start when the process may open too few files; null when it may open enough. */
export function fewFilesReason(): string | null {
  const limit = openFilesLimit()
  return limit === null || limit >= LEAST_OPEN_FILES ? null : tooFew(limit)
}

/** Returns one line for a person: the message of the error, or that the process ran out of file descriptors. */
export function reasonOf(error: unknown): string {
  if (isOutOfFiles(error)) return tooFew(openFilesLimit())
  return error instanceof Error ? error.message : String(error)
}

function tooFew(limit: number | null): string {
  const most = limit === null ? 'no more files (EMFILE)' : `only ${limit} files at a time (EMFILE)`
  return `This process may open ${most}; Promptdeck needs ${LEAST_OPEN_FILES} to start and 4096 under load. Raise the limit (ulimit -n 4096, or LimitNOFILE=4096 in a systemd unit), then start again.`
}

/** The limit of this process, where the system shows it (Linux). Node has raised it as far as it may. */
function openFilesLimit(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    // Hidden, or no descriptor is left to look: the failure itself is reported then.
    return null
  }
}

function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/\b(?:EMFILE|ENFILE)\b/.test(`${'code' in cause ? cause.code : ''} ${cause.message}`)) return true
  }
  return false
}
