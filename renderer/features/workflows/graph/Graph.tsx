import '@xyflow/react/dist/base.css'
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react'
import { useMemo } from 'react'
import { t } from '../../../lib/i18n.ts'
import { StepIcon } from '../steps/StepIcon.tsx'
import type { EditStep } from '../steps/steps.ts'
import styles from './graph.module.css'
import { layoutGraph, nodeHeight, nodeWidth } from './layout.ts'

type Data = { readonly step: EditStep; readonly isInvalid: boolean }
type StepNode = Node<Data, 'step'>

function StepBox({ data: { step, isInvalid } }: NodeProps<StepNode>) {
  return (
    <div className={styles['node']} data-type={step.type} data-bad={isInvalid || undefined}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <StepIcon type={step.type} />
      <span className={styles['text']}>
        <span className="mono truncate">{step.name || t('workflows:step.unnamed')}</span>
        <span className={styles['kind']}>{t(`workflows:type.${step.type}`)}</span>
      </span>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}
const nodeTypes = { step: StepBox }
const options = { hideAttribution: true }

type Props = {
  readonly steps: readonly EditStep[]
  readonly invalidUids: ReadonlySet<string>
  /** Called with the uid of a step on Enter or a click; displays its card. */
  readonly onShow: (uid: string) => void
}

/** A read-only graph of the steps; the list of cards has the same content as text. */
export function Graph({ steps, invalidUids, onShow }: Props) {
  const graph = useMemo(() => layoutGraph(steps), [steps])
  const nodes = useMemo(
    () =>
      graph.nodes.map(
        ({ step, x, y }): StepNode => ({
          id: step.uid,
          type: 'step',
          position: { x, y },
          width: nodeWidth,
          height: nodeHeight,
          data: { step, isInvalid: invalidUids.has(step.uid) },
          ariaLabel: t('workflows:graph.node', { name: step.name, type: t(`workflows:type.${step.type}`) }),
        }),
      ),
    [graph, invalidUids],
  )
  const edges = useMemo(
    () =>
      graph.edges.map(
        ({ from, to, label }): Edge => ({
          id: `${from}-${to}-${label ?? ''}`,
          source: from,
          target: to,
          type: 'smoothstep',
          focusable: false,
          markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
          ...(label === null ? {} : { label: t(`workflows:branch.${label}`) }),
        }),
      ),
    [graph],
  )
  return (
    <section className={styles['graph']} aria-label={t('workflows:graph.title')} data-testid="graph">
      <ReactFlow
        // A new key fits the graph to the view when the number of steps changes. Typing a name moves nothing.
        key={nodes.length}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        proOptions={options}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
        minZoom={0.2}
        maxZoom={1.5}
        preventScrolling={false}
        zoomOnScroll={false}
        onNodeClick={(_, node) => onShow(node.id)}
        onKeyDown={(event) => {
          const id = (event.target as HTMLElement).closest('.react-flow__node')?.getAttribute('data-id')
          if (event.key !== 'Enter' || id === null || id === undefined) return
          event.preventDefault()
          onShow(id)
        }}
      >
        <Background gap={18} size={1} color="var(--pd-line)" />
        <Controls
          showInteractive={false}
          position="top-right"
          orientation="horizontal"
          aria-label={t('workflows:graph.controls')}
          fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
        />
      </ReactFlow>
    </section>
  )
}
