import { ApiError } from '../../../contract/client.ts'
import { ProblemBody } from '../../../contract/common/problem.ts'
import { t } from '../../lib/i18n.ts'

export function failureOfEvent(data: unknown): ApiError {
  const problem = ProblemBody.safeParse(data)
  return problem.success
    ? new ApiError(problem.data.status, problem.data.detail, problem.data)
    : new ApiError(502, t('common:error.unknown'), null)
}

export const failureOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, t('common:error.unknown'), null, { cause: error })

/** Returns the failure of a stream that ended before its last event. */
export const interrupted = (): ApiError => new ApiError(0, t('common:error.stream_interrupted'), null)
