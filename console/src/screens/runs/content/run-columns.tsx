import { warningWords } from '../../../run/warnings.tsx';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import type { GridColumn } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { compact, durationText } from '../../../ui/values/format.ts';
import { ListedCost } from '../../../ui/values/listed-cost.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { WarningMark } from '../../../ui/warning-mark.tsx';
import { runPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';

const tokensOf = ({ tokens }: Pick<ListedRun, 'tokens'>) => tokens && tokens.input + tokens.output;

const doneOf = ({ completed, failed, cancelled }: NonNullable<ListedRun['counts']>) =>
  completed + failed + cancelled;

/** How many records of a batch have ended. */
export const batchProgressText = ({ counts }: Pick<ListedRun, 'counts'>) =>
  counts && runTexts.doneOf(compact(doneOf(counts)), compact(counts.total));

export const runColumns: readonly GridColumn<ListedRun>[] = [
  {
    title: sharedTexts.status,
    width: '8.6rem',
    isStatus: true,
    cell: ({ status }) => <StatusMark of={status} />,
  },
  {
    title: sharedTexts.name,
    cell: ({ id, name, status, error, warnings }) => (
      <div className="runs-name">
        <Link to={runPath(id)} tabIndex={-1}>
          <bdi>{name}</bdi>
        </Link>
        <CopyId id={id} label={sharedTexts.copyRunId} isInGrid />
        {warnings.length > 0 && <WarningMark words={warningWords(warnings)} />}
        {error && status === 'failed' && (
          <span className="runs-reason" title={error.message}>
            <bdi>{error.message}</bdi>
          </span>
        )}
      </div>
    ),
  },
  {
    title: sharedTexts.kind,
    width: '8rem',
    from: 'medium',
    cell: (run) => (
      <>
        {valueText(run.kind)}
        {run.counts && (
          <span className="help" title={runTexts.records(batchProgressText(run) ?? '')}>
            {' '}
            {isUnfinished(run) ? `${compact(doneOf(run.counts))}/` : ''}
            {compact(run.counts.total)}
          </span>
        )}
      </>
    ),
  },
  {
    title: sharedTexts.trigger,
    width: '6rem',
    from: 'medium',
    cell: ({ trigger }) => valueText(trigger.type),
  },
  {
    title: sharedTexts.started,
    width: '8rem',
    from: 'small',
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  {
    title: sharedTexts.duration,
    width: '7.2rem',
    isNumber: true,
    cell: ({ durationMs }) => durationText(durationMs),
  },
  {
    title: sharedTexts.tokens,
    width: '4.8rem',
    isNumber: true,
    from: 'medium',
    cell: (run) => (tokensOf(run) ? compact(tokensOf(run) ?? 0) : ''),
  },
  {
    title: sharedTexts.cost,
    width: '6rem',
    isNumber: true,
    from: 'medium',
    cell: ({ totalCost }) => (Number(totalCost) > 0 ? <ListedCost of={totalCost} /> : ''),
  },
  {
    title: runTexts.tags,
    width: '9rem',
    from: 'large',
    cell: ({ tags }) =>
      tags.map((tag) => (
        <span key={tag} className="tag">
          <bdi>{tag}</bdi>
        </span>
      )),
  },
];
