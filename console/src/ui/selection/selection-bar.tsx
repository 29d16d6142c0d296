import { type ReactNode, useEffect, useRef } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { focusMain } from '../dialogs/use-focus-after.ts';
import { Button } from '../forms/button.tsx';
import { useCopy } from '../forms/use-copy.ts';
import type { RowSelection } from './use-selection.ts';

interface Props<Row> {
  selection: RowSelection<Row>;
  /** What can be done with the rows. Also there while none is selected: what they did may have to be read. */
  children: ReactNode;
}

/** How many rows of a list are selected, and what can be done with them. */
export function SelectionBar<Row>({ selection: { ids, deselect }, children }: Props<Row>) {
  const isEmpty = ids.size === 0;
  const { isCopied, copy } = useCopy();
  const wasEmpty = useRef(isEmpty);
  // It takes the button away that had the focus.
  useEffect(() => {
    if (isEmpty && !wasEmpty.current) setTimeout(focusMain);
    wasEmpty.current = isEmpty;
  }, [isEmpty]);
  return (
    <div role="toolbar" aria-label={uiTexts.selectedRows} className={isEmpty ? undefined : 'selection-bar'}>
      <span role="status">{isEmpty ? '' : uiTexts.selectedCount(ids.size)}</span>
      <span hidden={isEmpty} className={isEmpty ? undefined : 'actions'}>
        <Button look="quiet" onPress={() => copy([...ids].join('\n'))}>
          {isCopied ? uiTexts.copied : uiTexts.copyIds}
        </Button>
        {children}
        <Button look="quiet" onPress={deselect}>
          {uiTexts.selectNone}
        </Button>
      </span>
    </div>
  );
}
