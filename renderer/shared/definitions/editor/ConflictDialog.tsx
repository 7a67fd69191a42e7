import { Button, Group, Stack, Text } from '@mantine/core'
import { t, tNode } from '../../../lib/i18n.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { changedFields } from '../../editing/drafts.ts'
import type { Definition } from '../definition.ts'
import type { DefinitionEditing } from './useDefinitionEditing.ts'

type Props = {
  readonly theirs: Definition
  readonly editing: Pick<
    DefinitionEditing<Definition, object>,
    'closeConflict' | 'takeTheirs' | 'keepMine' | 'isSaving'
  >
  /** The other user's draft and this user's, in the form in which they are compared. */
  readonly before: object
  readonly after: object
}

/**
 * Shown if another user saved first: the differences, and a choice of which draft to keep. Nothing is lost
 * until then.
 */
export function ConflictDialog({ theirs, editing, before, after }: Props) {
  const differing: readonly string[] = changedFields<object>(before, after)
  const only = (whole: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(whole).filter(([field]) => differing.includes(field)))
  return (
    <Dialog onClose={editing.closeConflict} title={t('definition:conflict.title')} size={1120}>
      <Stack gap="lg">
        <Text size="sm">
          {tNode('definition:conflict.text', {
            user: (
              <b>
                <bdi>{theirs.updated_by}</bdi>
              </b>
            ),
            version: <b className="mono">{theirs.version}</b>,
            time: <Time at={theirs.updated_at} />,
          })}
        </Text>
        <Diff before={only(before)} after={only(after)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={editing.closeConflict}>
            {t('definition:conflict.later')}
          </Button>
          <Button variant="default" onClick={editing.takeTheirs}>
            {t('definition:conflict.theirs')}
          </Button>
          <Button loading={editing.isSaving} onClick={() => void editing.keepMine()} data-autofocus>
            {t('definition:conflict.mine')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
