import type { Frame } from './live-support.ts'

export const change = (seq: number) => ({ type: 'changed', seq, entity: 'prompt', id: `p-${seq}` }) as const

export const forConsoles = (seq: number) => ({
  frame: change(seq),
  namespace: null,
  workspaceId: null,
  workspaceIds: new Set<string>(),
})

/** Returns the sequence numbers of frames in order of arrival. */
export const numbers = (frames: readonly Frame[]): number[] =>
  frames.flatMap((frame) => (typeof frame.seq === 'number' ? [frame.seq] : []))

export const sorted = (list: readonly number[]) => list.toSorted((a, b) => a - b)
