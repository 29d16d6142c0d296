import type { ReactNode } from 'react';
import { countText } from '../../../texts/language.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import { Link } from '../../../ui/link.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { Facts } from '../../../ui/tables/facts.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { dollars, durationText, shortId } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { runPath, runsPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';
import { batchProgressText } from './run-columns.tsx';

/** How a run stands, where it comes from, and what it took. */
export function RunFacts({ run }: { run: ListedRun }) {
  const { status, stopReason, kind, startedAt, durationMs, tags, sessionId, parentRunId } = run;
  const facts: [string, ReactNode][] = [
    [
      sharedTexts.status,
      <span key="status" role="status">
        <StatusMark of={status} />
        {stopReason && !['end_turn', status].includes(stopReason) && (
          <span className="help"> {valueText(stopReason)}</span>
        )}
      </span>,
    ],
    [sharedTexts.kind, valueText(kind)],
    ...runDefinition(run),
    [sharedTexts.trigger, <Trigger key="trigger" of={run.trigger} />],
    [sharedTexts.started, <Time key="started" at={startedAt} />],
    [
      sharedTexts.duration,
      isUnfinished(run) ? runTexts.soFar(durationText(durationMs)) : durationText(durationMs),
    ],
    ...(run.counts ? [[sharedTexts.records, batchProgressText(run)] as [string, ReactNode]] : []),
    ...(run.counts?.failed
      ? [[runTexts.failedRecords, countText(run.counts.failed)] as [string, ReactNode]]
      : []),
    [sharedTexts.tokens, tokensText(run)],
    [sharedTexts.cost, costText(run)],
  ];
  if (tags.length > 0) facts.push([runTexts.tags, <Tags key="tags" of={tags} />]);
  if (sessionId) {
    facts.push([
      sharedTexts.session,
      <Link key="session" to={runsPath({ sessionId })}>
        <bdi>{sessionId}</bdi>
      </Link>,
    ]);
  }
  if (parentRunId) {
    facts.push([
      sharedTexts.parentRun,
      <Link key="parent" to={runPath(parentRunId)}>
        {runTexts.openParentRun}
      </Link>,
    ]);
  }
  if (run.retryOf) {
    facts.push([
      runTexts.retryOfRun,
      <Link key="retryOf" to={runPath(run.retryOf)}>
        {runTexts.openFirstRun}
      </Link>,
    ]);
  }
  if (run.retriedBy.length > 0)
    facts.push([runTexts.retriedBy, <Retries key="retriedBy" of={run.retriedBy} />]);
  return <Facts of={facts} />;
}

function tokensText({ tokens, kind }: ListedRun): string {
  if (!tokens) return kind === 'tool' ? runTexts.none : runTexts.knownAtEnd;
  if (tokens.input + tokens.output === 0) return '0';
  return runTexts.tokensInAndOut(tokens.input, tokens.output, tokens.cachedInput);
}

function costText(run: ListedRun): string {
  const savings = Number(run.cacheSavings ?? 0);
  const saved =
    savings === 0 ? '' : runTexts.cacheSavings(dollars(Math.abs(savings)), { isLoss: savings < 0 });
  if (run.totalCost !== null) return [dollars(run.totalCost), saved].filter(Boolean).join(', ');
  return isUnfinished(run) ? runTexts.knownAtEnd : sharedTexts.unknown;
}

function Trigger({ of }: { of: ListedRun['trigger'] }) {
  const { type, productId, surfaceId, scheduleId, apiKeyId, clientTokenId } = of;
  const path =
    productId && surfaceId
      ? `/products/${productId}/surfaces/${surfaceId}`
      : productId
        ? `/products/${productId}`
        : undefined;
  const name = valueText(type);
  if (path) return <Link to={path}>{name}</Link>;
  if (clientTokenId) return <Link to={`/settings/client-tokens/${clientTokenId}`}>{name}</Link>;
  if (scheduleId) return <Link to={runsPath({ scheduleId })}>{name}</Link>;
  return apiKeyId ? <Link to={runsPath({ apiKeyId })}>{name}</Link> : name;
}

const Retries = ({ of }: { of: readonly string[] }) =>
  of.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <Link to={runPath(id)}>{runTexts.retryNumber(index + 1)}</Link>
    </span>
  ));

const Tags = ({ of }: { of: readonly string[] }) =>
  of.map((tag) => (
    <Link key={tag} to={runsPath({ tag })} className="tag">
      <bdi>{tag}</bdi>
    </Link>
  ));

/** What ran: the flow, agent or tool, and its version. */
function runDefinition({
  flowId,
  flowVersionId,
  agentId,
  agentVersionId,
  toolId,
  name,
}: ListedRun): [string, ReactNode][] {
  const [title, path, version] = flowId
    ? [sharedTexts.flow, `/flows/${flowId}`, flowVersionId]
    : agentId
      ? [sharedTexts.agent, `/agents/${agentId}`, agentVersionId]
      : toolId
        ? [sharedTexts.tool, `/settings/tools/${toolId}`, null]
        : [undefined, '', null];
  if (!title) return [];
  const facts: [string, ReactNode][] = [
    [
      title,
      <Link key="definition" to={path}>
        <bdi>{name}</bdi>
      </Link>,
    ],
  ];
  if (flowId || agentId) {
    const text = version ? shortId(version) : runTexts.draft;
    facts.push([
      sharedTexts.version,
      <span key="version" className="shown-id">
        <Link to={`${path}/versions`}>{text}</Link>
        {version && <CopyId id={version} label={sharedTexts.copyVersionId} />}
      </span>,
    ]);
  }
  return facts;
}
