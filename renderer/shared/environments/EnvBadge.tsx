import { Badge, type Tone } from '../../ui/display/Badge.tsx'

const tones: Readonly<Record<string, Tone>> = { dev: 'quiet', test: 'warn', prod: 'bad' }

/** Badge of an environment: `dev` grey, `test` amber, `prod` red, any other grey. */
export function EnvBadge({ env }: { readonly env: string }) {
  return (
    <Badge tone={tones[env] ?? 'quiet'}>
      <span className="mono">{env}</span>
    </Badge>
  )
}
