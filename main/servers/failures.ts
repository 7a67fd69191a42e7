import type { ServerFailure } from '../../server/index.ts'

/** An error for a person. */
export type Problem = Pick<ServerFailure, 'kind' | 'message' | 'remedy' | 'fields'>

/** The client is loaded from a bundle, so its errors are recognized by their fields. */
const isServerFailure = (error: unknown): error is ServerFailure =>
  error instanceof Error && 'kind' in error && 'remedy' in error && 'fields' in error

export const problemOf = (error: unknown): Problem =>
  isServerFailure(error)
    ? { kind: error.kind, message: error.message, remedy: error.remedy, fields: error.fields }
    : {
        kind: 'other',
        message: error instanceof Error ? error.message : String(error),
        remedy: 'Try again. The log of the app has more.',
        fields: {},
      }

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
