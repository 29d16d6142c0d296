import type { Tool } from '@modelcontextprotocol/server';
import type { ReportProgress } from '../../adapters/mcp-server/served.ts';
import { missingPermission } from '../../core/errors/errors.ts';
import { type ExposedItem, mayRun } from '../../domain/surfaces/exposed-item.ts';
import type { Surface } from '../../domain/surfaces/surface/surface.ts';
import { listOfferedRecordTypes } from '../../domain/surfaces/surface/surface-behavior.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import type { OutwardRun } from '../surface/outward.ts';

/** What the protocol allows. */
const toolName = /^[\w.-]{1,128}$/;

export interface ItemTool {
  exposed: ExposedItem;
  tool: Tool;
}

/** @param all The items of the surface, also those that the caller may not run. */
export function itemTools(items: readonly ExposedItem[], all: readonly ExposedItem[]): ItemTool[] {
  const slugs = endpointSlugs(all);
  return items.map((exposed) => ({ exposed, tool: toTool(exposed, nameTool(exposed, slugs)) }));
}

export const endpointSlugs = (all: readonly ExposedItem[]): ReadonlySet<string | null> =>
  new Set(all.map(({ item }) => item.endpointSlug));

/** The exposed name if it can be one, else the slug. An item without a slug is older than the tools. */
export function nameTool({ item }: ExposedItem, slugs: ReadonlySet<string | null>): string {
  const { exposedName, endpointSlug, id } = item;
  const isFree = exposedName !== null && toolName.test(exposedName) && !slugs.has(exposedName);
  return isFree ? exposedName : (endpointSlug ?? id);
}

function toTool(exposed: ExposedItem, name: string): Tool {
  return {
    ...describeItem(exposed, name),
    inputSchema: { ...exposed.capability.parametersSchema, type: 'object' },
  };
}

export function describeItem({ item, capability }: ExposedItem, name: string) {
  const description = item.exposedDescription ?? capability.capabilityDescription;
  return {
    name,
    title: item.exposedName ?? capability.capabilityName,
    ...(description && { description }),
  };
}

/** How a run ended, or where it waits, in words for the caller. */
export type CallOutcome = { output: unknown } | { failure: string } | { waiting: string };

/** Runs to the end, or to the first pause. */
export async function readOutcome(
  { events }: OutwardRun,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<CallOutcome> {
  let last: StreamEvent | undefined;
  for await (const event of events(signal)) {
    await progress(toProgress(event));
    if (event.type !== 'ping') last = event;
  }
  return toOutcome(last);
}

/** The finished steps of a flow, or turns of an agent: 0 for all other events. */
function toProgress(event: StreamEvent): { progress: number; total?: number } {
  if (event.type === 'turn_complete') return { progress: event.iteration };
  if (event.type === 'step_complete' || event.type === 'step_skip') return { progress: event.index + 1 };
  return { progress: 0 };
}

function toOutcome(event: StreamEvent | undefined): CallOutcome {
  switch (event?.type) {
    case 'execution_complete':
      return event.success ? { output: event.finalOutput } : { failure: event.error ?? 'The run failed' };
    case 'execution_error':
      return { failure: event.error.message };
    case 'await':
      return describeWait(event);
    default:
      return { failure: 'The run ended without a result' };
  }
}

function describeWait({
  awaitReason,
  until,
  waits = [],
  executionId,
}: Extract<StreamEvent, { type: 'await' }>): CallOutcome {
  const id = `Its id is ${executionId}`;
  if (waits.some(({ kind }) => kind === 'approval')) return { waiting: describeApproval(id) };
  if (waits.length > 0) {
    return { waiting: `The run waits for another system, until ${until} at the latest. ${id}` };
  }
  if (awaitReason === 'wait') return { waiting: `The run continues at ${until}, or before. ${id}` };
  if (awaitReason === 'approval') return { waiting: describeApproval(id) };
  return { failure: `The run waits for an answer that MCP clients cannot give. ${id}` };
}

const describeApproval = (id: string) =>
  `The run waits for an approval by its operator, and then continues. ${id}`;

export interface McpOffer {
  items: ExposedItem[];
  /** The types of the records that the caller can read. */
  recordTypes: string[];
}

/** @throws 403 if the surface offers something, but nothing to this caller. */
export function selectOffer(
  surface: Surface,
  exposed: readonly ExposedItem[],
  principal: Principal,
): McpOffer {
  const items = exposed.filter((item) => mayRun(item, principal));
  const opened = listOfferedRecordTypes(surface);
  const recordTypes = mayRead(principal) ? opened : [];
  const isNothing = items.length + recordTypes.length === 0;
  if (isNothing && exposed.length + opened.length > 0) throw missingPermission('PRODUCTS:EXECUTE');
  return { items, recordTypes };
}

/** The scopes of a surface's key name its items: a key with scopes gets nothing else. */
const mayRead = ({ kind, permissions }: Principal): boolean =>
  kind === 'surface' ? permissions.length === 0 : covers(permissions, 'RECORDS:READ');
