/**
 * One file call on the data folder. `call` is the name in node:fs without `Sync`. Calls on an open file have
 * the descriptor as first argument, in every form of the call.
 */
export type DiskOperation = {
  readonly call: string
  /** The path as given, or the path that the descriptor was opened with. */
  readonly path: string
  readonly args: readonly unknown[]
}

/** Observes the file calls of a thread. Tests install a hook to inject faults or to record writes. */
export type DiskHook = {
  /** Runs before the call. If it throws, the call fails with that error. */
  before?(operation: DiskOperation): void
  /** Runs after the call succeeded. `opened` is the descriptor if the call opened a file. */
  after?(operation: DiskOperation, opened: number | undefined): void
}

let hook: DiskHook | undefined
/** Paths of the descriptors opened while a hook was installed. */
const paths = new Map<number, string>()

/** Installs the hook of this thread and replaces the previous one; undefined removes it. */
export function setDiskHook(next: DiskHook | undefined): void {
  hook = next
}

export const isHooked = (): boolean => hook !== undefined

function operationOf(call: string, args: readonly unknown[]): DiskOperation {
  const [first] = args
  return { call, args, path: typeof first === 'number' ? (paths.get(first) ?? '') : String(first) }
}

/** Reports a call to the hook. Returns a function to call with the result when it succeeded. */
export function beginOperation(call: string, args: readonly unknown[]): (result: unknown) => void {
  const operation = operationOf(call, args)
  const [first] = args
  hook?.before?.(operation)
  // Delete now: another file may get the same number before the end of the close is reported.
  if (call === 'close' && typeof first === 'number') paths.delete(first)
  return (result) => {
    const opened = call === 'open' ? descriptorOf(result) : undefined
    if (opened !== undefined) paths.set(opened, operation.path)
    hook?.after?.(operation, opened)
  }
}

function descriptorOf(result: unknown): number | undefined {
  if (typeof result === 'number') return result
  return typeof result === 'object' && result !== null && 'fd' in result ? Number(result.fd) : undefined
}
