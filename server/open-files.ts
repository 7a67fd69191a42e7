import { readFileSync } from './disk/fs.ts'

/** Minimum number of open files: loading the modules opens some hundred at the same time. */
const minOpenFiles = 512

/** Returns the reason not to start if the process may open too few files, otherwise null. */
export function openFilesProblem(): string | null {
  const limit = openFilesLimit()
  return limit === null || limit >= minOpenFiles ? null : tooFew(limit)
}

/**
 * Returns one line for the user: the message of the error, or that the process ran out of file descriptors.
 */
export function reasonOf(error: unknown): string {
  if (isOutOfFiles(error)) return tooFew(openFilesLimit())
  return error instanceof Error ? error.message : String(error)
}

function tooFew(limit: number | null): string {
  const allowed = limit === null ? 'no more files (EMFILE)' : `only ${limit} files at a time (EMFILE)`
  return `This process may open ${allowed}; Promptdeck needs ${minOpenFiles} to start and 4096 under load. Raise the limit (ulimit -n 4096, or LimitNOFILE=4096 in a systemd unit), then start again.`
}

/**
 * Returns the limit of this process on Linux, otherwise null. Node has already raised it to the hard limit.
 */
function openFilesLimit(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const softLimit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return softLimit === undefined ? null : Number(softLimit)
  } catch {
    // The file is hidden, or no descriptor is left. The original error is then reported.
    return null
  }
}

function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/\b(?:EMFILE|ENFILE)\b/.test(`${'code' in cause ? cause.code : ''} ${cause.message}`)) return true
  }
  return false
}
