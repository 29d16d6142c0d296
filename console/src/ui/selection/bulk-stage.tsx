import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { useHeldDialog } from '../dialogs/dialog.tsx';
import { Button } from '../forms/button.tsx';
import { failureText } from '../loading/failure-text.ts';
import type { Failed } from './act-on-all.ts';
import type { BulkButtonProps } from './bulk-button.tsx';
import type { BulkAction } from './use-bulk-action.ts';

interface Props<Row> extends BulkButtonProps<Row> {
  action: BulkAction<Row>;
  run: (rows: readonly Row[]) => void;
  stop: () => void;
  close: () => void;
}

/** What the dialog shows: the question, then how far it is, then what failed. */
export function BulkStage<Row>({ action, run, stop, close, ...props }: Props<Row>) {
  const { stage, rows, done, failed } = action;
  useHeldDialog(stage === 'running');
  if (stage === 'asked') return <Question {...props} run={run} close={close} rows={rows} />;
  return (
    <>
      <p role="status">{props.progressOf(done, rows.length)}</p>
      {stage === 'running' ? (
        <>
          <progress max={rows.length} value={done} aria-label={sharedTexts.progress} />
          <div className="actions">
            <Button onPress={stop} autoFocus>
              {sharedTexts.stop}
            </Button>
          </div>
        </>
      ) : (
        <>
          {failed.length > 0 && <Failures failed={failed} nameOf={props.selection.nameOf} />}
          <div className="actions">
            {failed.length > 0 && (
              <Button onPress={() => run(failed.map(({ row }) => row))}>{uiTexts.tryAgain}</Button>
            )}
            <Button look="primary" onPress={close} autoFocus>
              {sharedTexts.close}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

const namesMax = 8;

function Question<Row>({
  rows,
  selection: { nameOf },
  question,
  children,
  run,
  close,
}: Omit<Props<Row>, 'action' | 'stop'> & { rows: readonly Row[] }) {
  return (
    <>
      <div className="prose">{question}</div>
      <ul className="bulk-names">
        {rows.slice(0, namesMax).map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name
          <li key={place}>
            <bdi>{nameOf(row)}</bdi>
          </li>
        ))}
        {rows.length > namesMax && <li>{uiTexts.more(rows.length - namesMax)}</li>}
      </ul>
      <div className="actions">
        <Button onPress={close} autoFocus>
          {sharedTexts.cancel}
        </Button>
        <Button look="danger" onPress={() => run(rows)}>
          {children}
        </Button>
      </div>
    </>
  );
}

const Failures = <Row,>({
  failed,
  nameOf,
}: {
  failed: readonly Failed<Row>[];
  nameOf: (row: Row) => string;
}) => (
  <div role="alert" className="failure">
    <ul className="bulk-failures">
      {failed.map(({ row, error }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name
        <li key={place}>
          <strong>
            <bdi>{nameOf(row)}</bdi>
          </strong>{' '}
          {failureText(error)}
        </li>
      ))}
    </ul>
  </div>
);
