import type { ReactNode } from 'react';
import { Dialog } from '../dialogs/dialog.tsx';
import { Button } from '../forms/button.tsx';
import { notify } from '../notices.tsx';
import type { ActOnAll } from './act-on-all.ts';
import { BulkStage } from './bulk-stage.tsx';
import { useBulkAction } from './use-bulk-action.ts';
import type { RowSelection } from './use-selection.ts';

export interface BulkButtonProps<Row> {
  selection: RowSelection<Row>;
  /** Those of the selection that it can be done to. Default: all. */
  rows?: readonly Row[];
  /** What the button says: a verb. */
  children: string;
  /** The digit that presses it. */
  shortcut?: string;
  /** The question, which says how many. */
  titleOf: (rows: number) => string;
  /** What will happen, and what fails from then on. */
  question: ReactNode;
  /** `Deleted 12 of 40`. */
  progressOf: (done: number, all: number) => string;
  act: ActOnAll<Row>;
  /** The start of the paths whose cached answers it changes. */
  changes: readonly string[];
  /** `12 flows deleted`. */
  successOf: (done: number) => string;
}

/** A button that does something to many rows: asks once, shows how far it is, and which ones failed, and why. */
export function BulkButton<Row>(props: BulkButtonProps<Row>) {
  const { selection, rows = selection.rows, children, titleOf, successOf, shortcut } = props;
  const { action, ask, run, stop, close } = useBulkAction({
    ...props,
    onSuccess(done) {
      notify(successOf(done));
      selection.deselect();
    },
  });
  return (
    <>
      <Button
        look="quiet"
        isDisabled={rows.length === 0}
        onPress={() => ask(rows)}
        {...(shortcut && { 'data-key': shortcut })}
      >
        {shortcut && (
          <span className="key" aria-hidden="true">
            {shortcut}
          </span>
        )}
        {children}
      </Button>
      <Dialog
        title={action?.stage === 'asked' ? titleOf(action.rows.length) : children}
        role="alertdialog"
        isOpen={action !== undefined}
        onClose={() => action?.stage === 'running' || close()}
      >
        {action && <BulkStage {...props} action={action} run={run} stop={stop} close={close} />}
      </Dialog>
    </>
  );
}
