import { readFileSync, readlinkSync } from '../../../../disk/fs.ts'

/** Identifies one process of one boot of one machine. Available on Linux. */
export type ProcessIdentity = { readonly boot: string; readonly space: string; readonly started: string }

/** Returns the identity of this process; null where it is not available. */
export function ownIdentity(): ProcessIdentity | null {
  const machine = thisMachine()
  const started = startOf(process.pid)
  return machine === null || started === null ? null : { ...machine, started }
}

/**
 * Returns `unknown` if the process cannot be looked up: it may belong to another container, or another
 * process may have its number now.
 */
export function livenessOf(pid: number, identity: ProcessIdentity | null): 'alive' | 'dead' | 'unknown' {
  const machine = thisMachine()
  if (machine === null || identity === null) return hasProcess(pid) ? 'unknown' : 'dead'
  if (identity.boot !== machine.boot) return 'dead'
  if (identity.space !== machine.space) return 'unknown'
  return startOf(pid) === identity.started ? 'alive' : 'dead'
}

/** Returns true if a process with this number exists, also of another user. */
export function hasProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function thisMachine(): { boot: string; space: string } | null {
  if (process.platform !== 'linux') return null
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { boot, space: readlinkSync('/proc/self/ns/pid') }
  } catch {
    // The system hides /proc. Only the process number is available.
    return null
  }
}

/** Returns the start time of a process, in ticks since boot. Null if it does not exist or is a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything, so count fields after it: the state is field 3, the start
    // time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
