import type { GridColumn } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { compact, dollars, duration } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { runPath } from '../data/run-path.ts';
import { isOpen, type Run } from '../data/use-runs.ts';

const tokensOf = ({ tokens }: Pick<Run, 'tokens'>) => tokens && tokens.input + tokens.output;

const doneOf = ({ completed, failed, cancelled }: NonNullable<Run['counts']>) =>
  completed + failed + cancelled;

/** How many records of a batch have ended. */
export const progressOf = ({ counts }: Pick<Run, 'counts'>) =>
  counts && `${compact(doneOf(counts))} of ${compact(counts.total)}`;

export const runColumns: readonly GridColumn<Run>[] = [
  { title: 'Status', width: '8.6rem', isStatus: true, cell: ({ status }) => <StatusMark of={status} /> },
  {
    title: 'Name',
    cell: ({ id, name, status, error }) => (
      <div className="runs-name">
        <Link to={runPath(id)} tabIndex={-1}>
          <bdi>{name}</bdi>
        </Link>
        <CopyId id={id} label="Copy run ID" isInGrid />
        {error && status === 'failed' && (
          <span className="runs-reason" title={error.message}>
            <bdi>{error.message}</bdi>
          </span>
        )}
      </div>
    ),
  },
  {
    title: 'Kind',
    width: '8rem',
    from: 'medium',
    cell: (run) => (
      <>
        {run.kind}
        {run.counts && (
          <span className="help" title={`${progressOf(run)} records`}>
            {' '}
            {isOpen(run) ? `${compact(doneOf(run.counts))}/` : ''}
            {compact(run.counts.total)}
          </span>
        )}
      </>
    ),
  },
  { title: 'Trigger', width: '6rem', from: 'medium', cell: ({ trigger }) => trigger.type },
  { title: 'Started', width: '8rem', from: 'small', cell: ({ startedAt }) => <Time at={startedAt} /> },
  {
    title: 'Duration',
    width: '7.2rem',
    isNumber: true,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    title: 'Tokens',
    width: '4.8rem',
    isNumber: true,
    from: 'medium',
    cell: (run) => (tokensOf(run) ? compact(tokensOf(run) ?? 0) : ''),
  },
  {
    title: 'Cost',
    width: '5.2rem',
    isNumber: true,
    from: 'medium',
    cell: ({ totalCost }) => (Number(totalCost) > 0 ? dollars(totalCost) : ''),
  },
  {
    title: 'Tags',
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
