import type { ReactNode } from 'react';
import { Link } from '../../../ui/link.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { shortId } from '../../../ui/values/format.ts';
import type { Run } from '../data/use-runs.ts';

/** What ran: the flow, agent or tool, and its version. */
export function definitionOf({
  flowId,
  flowVersionId,
  agentId,
  agentVersionId,
  toolId,
  name,
}: Run): [string, ReactNode][] {
  const [title, path, version] = flowId
    ? ['Flow', `/flows/${flowId}`, flowVersionId]
    : agentId
      ? ['Agent', `/agents/${agentId}`, agentVersionId]
      : toolId?.startsWith('tool_')
        ? ['Tool', `/settings/tools/${toolId}`, null]
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
  if (title !== 'Tool') {
    const text = version ? shortId(version) : 'draft';
    facts.push([
      'Version',
      <span key="version" className="shown-id">
        <Link to={`${path}/versions`}>{text}</Link>
        {version && <CopyId id={version} label="Copy version ID" />}
      </span>,
    ]);
  }
  return facts;
}
