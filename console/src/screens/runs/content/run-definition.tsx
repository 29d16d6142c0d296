import type { ReactNode } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { shortId } from '../../../ui/values/format.ts';
import type { ListedRun } from '../data/use-runs.ts';

/** What ran: the flow, agent or tool, and its version. */
export function runDefinition({
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
