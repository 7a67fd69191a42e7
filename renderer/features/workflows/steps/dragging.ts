import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'

/**
 * The data of a dragged step. Dragging is for pointers only; by keyboard, the keys of the handle move a step.
 */
type Dragged = { readonly kind: 'step'; readonly uid: string }

const isStep = (data: Record<string, unknown>): data is Dragged & Record<string, unknown> =>
  data['kind'] === 'step' && typeof data['uid'] === 'string'

/** Makes a step's card draggable by its handle. Returns a function that removes the listeners. */
export const makeDraggable = (element: HTMLElement, dragHandle: HTMLElement, uid: string): (() => void) =>
  draggable({
    element,
    dragHandle,
    getInitialData: () => ({ kind: 'step', uid }),
    onDragStart: () => {
      element.dataset['dragged'] = 'true'
      document.documentElement.dataset['dragging'] = 'step'
    },
    onDrop: () => {
      delete element.dataset['dragged']
      delete document.documentElement.dataset['dragging']
    },
  })

/** Makes an element a drop target for steps. Returns a function that removes the listeners. */
export const makeDropTarget = (
  element: HTMLElement,
  onOver: (isOver: boolean) => void,
  onDrop: (uid: string) => void,
): (() => void) =>
  dropTargetForElements({
    element,
    canDrop: ({ source }) => isStep(source.data),
    onDragEnter: () => onOver(true),
    onDragLeave: () => onOver(false),
    onDrop: ({ source }) => {
      onOver(false)
      if (isStep(source.data)) onDrop(source.data.uid)
    },
  })
