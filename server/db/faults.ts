/** Where a disk may fail, for tests of failing disks. Shared memory, because the failing call is in a worker thread. */
export const faultPoints = [
  'journal.reserve',
  'journal.write',
  'journal.sync',
  'snapshot.write',
  'snapshot.sync',
  'snapshot.rename',
] as const
export type FaultPoint = (typeof faultPoints)[number]
const codes = ['', 'ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'] as const
export type FaultCode = Exclude<(typeof codes)[number], ''>

/** One cell per point: 0, or the index of the code every call fails with until it is cleared. */
export type Faults = Int32Array<SharedArrayBuffer>

export function createFaults(): Faults {
  return new Int32Array(new SharedArrayBuffer(faultPoints.length * 4))
}

export function setFault(faults: Faults, point: FaultPoint, code: FaultCode | null): void {
  Atomics.store(faults, faultPoints.indexOf(point), code === null ? 0 : codes.indexOf(code))
}

/** Throws what the system call at `point` would, when a test asked for it. */
export function strike(faults: Faults | undefined, point: FaultPoint): void {
  if (faults === undefined) return
  const code = codes[Atomics.load(faults, faultPoints.indexOf(point))]
  if (code) throw Object.assign(new Error(`${code}: injected at ${point}`), { code })
}
