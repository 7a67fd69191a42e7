import { Badge, type Tone } from './Badge.tsx'

const tones: Readonly<Record<string, Tone>> = { dev: 'quiet', test: 'warn', prod: 'bad' }

/** `dev` grey, `test` amber, `prod` red, everywhere; any other namespace is grey. */
export function EnvBadge({ env }: { readonly env: string }) {
  return (
    <Badge tone={tones[env] ?? 'quiet'}>
      <span className="mono">{env}</span>
    </Badge>
  )
}
