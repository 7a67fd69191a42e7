/** A failed step. The `error` of its result is `<type>: <message>`. */
export class StepError extends Error {
  readonly type: string
  constructor(type: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StepError'
    this.type = type
  }
}

export const textOf = ({ type, message }: StepError): string => `${type}: ${message}`
