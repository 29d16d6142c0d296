import type { ReactNode } from 'react';
import { Link } from '../../../ui/link.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { Facts } from '../../../ui/tables/facts.tsx';
import { count, dollars, duration } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { runPath, runsPath } from '../data/run-path.ts';
import { isOpen, type Run } from '../data/use-runs.ts';
import { progressOf } from './run-columns.tsx';
import { definitionOf } from './run-definition.tsx';

/** How a run stands, where it comes from, and what it took. */
export function RunFacts({ run }: { run: Run }) {
  const { status, stopReason, kind, startedAt, durationMs, tags, sessionId, parentRunId } = run;
  const facts: [string, ReactNode][] = [
    [
      'Status',
      <span key="status" role="status">
        <StatusMark of={status} />
        {stopReason && !['end_turn', status].includes(stopReason) && (
          <span className="help"> {stopReason.replaceAll('_', ' ')}</span>
        )}
      </span>,
    ],
    ['Kind', kind],
    ...definitionOf(run),
    ['Trigger', <Trigger key="trigger" of={run.trigger} />],
    ['Started', <Time key="started" at={startedAt} />],
    ['Duration', `${duration(durationMs)}${isOpen(run) ? ' so far' : ''}`],
    ...(run.counts ? [['Records', progressOf(run)] as [string, ReactNode]] : []),
    ...(run.counts?.failed ? [['Failed records', count(run.counts.failed)] as [string, ReactNode]] : []),
    ['Tokens', tokensText(run)],
    ['Cost', costText(run)],
  ];
  if (tags.length > 0) facts.push(['Tags', <Tags key="tags" of={tags} />]);
  if (sessionId) {
    facts.push([
      'Session',
      <Link key="session" to={runsPath({ sessionId })}>
        <bdi>{sessionId}</bdi>
      </Link>,
    ]);
  }
  if (parentRunId) {
    facts.push([
      'Parent run',
      <Link key="parent" to={runPath(parentRunId)}>
        Open parent run
      </Link>,
    ]);
  }
  return <Facts of={facts} />;
}

function tokensText({ tokens, kind }: Run): string {
  if (!tokens) return kind === 'tool' ? 'none' : 'known at the end';
  if (tokens.input + tokens.output === 0) return '0';
  return `${count(tokens.input)} in, ${count(tokens.output)} out`;
}

function costText(run: Run): string {
  if (run.totalCost !== null) return dollars(run.totalCost);
  return isOpen(run) ? 'known at the end' : 'unknown';
}

function Trigger({ of: { type, productId, surfaceId, scheduleId, apiKeyId } }: { of: Run['trigger'] }) {
  const path =
    productId && surfaceId
      ? `/products/${productId}/surfaces/${surfaceId}`
      : productId
        ? `/products/${productId}`
        : undefined;
  if (path) return <Link to={path}>{type}</Link>;
  if (scheduleId) return <Link to={runsPath({ scheduleId })}>{type}</Link>;
  return apiKeyId ? <Link to={runsPath({ apiKeyId })}>{type}</Link> : type;
}

const Tags = ({ of }: { of: readonly string[] }) =>
  of.map((tag) => (
    <Link key={tag} to={runsPath({ tag })} className="tag">
      <bdi>{tag}</bdi>
    </Link>
  ));
