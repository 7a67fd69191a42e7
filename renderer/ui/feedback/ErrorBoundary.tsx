import { Button } from '@mantine/core'
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from './ErrorState.tsx'

type Props = { readonly children: ReactNode; readonly resetKey: string }
type State = { readonly error: unknown; readonly resetKey: string }

/** Limits a rendering error to one page. Another page (another `resetKey`) starts without the error. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { error: null, resetKey: props.resetKey }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack)
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return (
      <ErrorState
        error={this.state.error}
        onRetry={() => this.setState({ error: null })}
        action={<Button onClick={() => location.reload()}>{t('common:error.reload')}</Button>}
      />
    )
  }
}
