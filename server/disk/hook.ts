/**
 * One file call on the data folder. `call` has the name of node:fs without `Sync`; calls on an open file carry the
 * descriptor as their first argument, in every form of the call.
 */
export type DiskOperation = {
  readonly call: string
  /** The path as given, or the path that the descriptor was opened with. */
  readonly path: string
  readonly args: readonly unknown[]
}

/** Observes the file calls of a thread. Tests install one to inject faults or to record what is written. */
export type DiskHook = {
  /** Runs before the call. What it throws is the result of the call. */
  before?(operation: DiskOperation): void
  /** Runs after the call succeeded; `opened` is the descriptor when the call opened a file. */
  after?(operation: DiskOperation, opened: number | undefined): void
}

let hook: DiskHook | undefined
/** Paths of the descriptors opened while a hook was installed. */
const paths = new Map<number, string>()

/** Installs the hook of this thread, in place of the one before; undefined removes it. */
export function setDiskHook(next: DiskHook | undefined): void {
  hook = next
}

export const isHooked = (): boolean => hook !== undefined

function operationOf(call: string, args: readonly unknown[]): DiskOperation {
  const [first] = args
  return { call, args, path: typeof first === 'number' ? (paths.get(first) ?? '') : String(first) }
}

/** Reports a call to the hook; returns what to do once it succeeded. */
export function beginOperation(call: string, args: readonly unknown[]): (result: unknown) => void {
  const operation = operationOf(call, args)
  const [first] = args
  hook?.before?.(operation)
  // The number may be given to another file before the close is reported.
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
