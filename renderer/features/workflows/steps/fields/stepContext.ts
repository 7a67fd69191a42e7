import type { Finding } from '../findings.ts'
import type { EditStep } from '../steps.ts'

/** The data of the workflow that the fields of a step need. */
export type StepContext = {
  readonly workspace: string
  readonly isReadOnly: boolean
  /** Names that a template may use; suggested while typing. */
  readonly suggestions: readonly string[]
  /** The names among `suggestions` that are outputs of steps or the input. */
  readonly steps: readonly string[]
}

/** The properties of a component that edits the fields of a step. */
export type StepFieldsProps = {
  readonly step: EditStep
  readonly onChange: (patch: Partial<EditStep>) => void
  readonly context: StepContext
  readonly findings: readonly Finding[]
}
