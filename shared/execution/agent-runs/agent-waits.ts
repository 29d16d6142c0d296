/**
 * The entries of the inbox for what agents wait for: tool approvals and outputs of local tools.
 * The journal commits these writes with the facts that cause them (`agent-runs/run-journal.ts`): a pause opens an entry for each
 * wait, a decision or a result ends it, and so does the end of the run.
 * An approval shows the tool, its arguments and where each came from: a value that the user wrote, or that an earlier tool
 * returned, is found again in their texts; any other is the model's own.
 */
import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import {
  closeInboxWrite,
  type InboxKind,
  openInboxWrite,
  toInboxId,
  type WaitingCall,
} from '../../domain/run-waits/inbox-wait.ts';
import { type PayloadWriter, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { DecisionFact, Fact, LoopWait, PauseFact } from '../agent-loop/facts.ts';
import type { RunState } from '../agent-loop/state.ts';
import { type AgentExecution, toAgentListing } from './agent-execution.ts';

/** The writes of a fact. @param before The state that it changes. */
export async function createInboxWrites(
  scope: Scope,
  execution: AgentExecution,
  fact: Fact,
  before: RunState,
): Promise<Write[]> {
  const { table } = scope;
  const close = (waits: readonly LoopWait[], ended: Parameters<typeof closeInboxWrite>[2]) =>
    waits.flatMap((wait) => {
      const id = toWaitId(execution, wait);
      return id === undefined ? [] : [closeInboxWrite(table, id, ended)];
    });
  switch (fact.type) {
    case 'pause':
      return openEntries(scope, execution, fact, before);
    case 'decision':
      return close(
        before.waits.filter(({ approvalId }) => approvalId === fact.approvalId),
        toEnded(fact),
      );
    case 'result': {
      const { output: values, at: answeredAt } = fact;
      const answer = { choice: null, values, comment: null, answeredBy: null, answeredAt };
      return close(
        before.waits.filter(({ callId }) => callId === fact.callId),
        { status: 'answered', answer },
      );
    }
    case 'end':
      return close(before.waits, { status: 'closed' });
    default:
      return [];
  }
}

const choices = { approved: 'approve', denied: 'reject', timeout: null } as const;

function toEnded({ decision, reason, by, at }: DecisionFact): Parameters<typeof closeInboxWrite>[2] {
  const answer = {
    choice: choices[decision],
    values: null,
    comment: reason ?? null,
    answeredBy: by,
    answeredAt: at,
  };
  return { status: decision === 'timeout' ? 'expired' : 'answered', answer };
}

const kinds = { approval: 'tool-approval', output: 'local-tool' } as const satisfies Record<
  string,
  InboxKind
>;

/** Undefined for a wait that an earlier release opened, and for that of a run inside, which has its own. */
const toWaitId = ({ id }: AgentExecution, { kind, since, callId }: LoopWait): string | undefined =>
  since === undefined || kind === 'inside' ? undefined : toInboxId(since, id, callId);

async function openEntries(
  scope: Scope,
  execution: AgentExecution,
  { waits }: PauseFact,
  before: RunState,
): Promise<Write[]> {
  const origins = openOrigins(before.messages);
  const entries = waits.map((wait) => openEntry(scope.table, payloadWriter(scope), execution, wait, origins));
  return (await Promise.all(entries)).flat();
}

/** Longer JSON goes to the payload bucket. */
const inlineMax = 4_000;

async function openEntry(
  table: TenantTable,
  payloads: PayloadWriter,
  execution: AgentExecution,
  wait: LoopWait,
  origins: (value: unknown) => string,
): Promise<Write[]> {
  const id = toWaitId(execution, wait);
  if (id === undefined || wait.kind === 'inside') return [];
  const { since = '', callId, approvalId, toolName, parameters, until } = wait;
  const { rootRunId, tags = [] } = toAgentListing(execution);
  const call: WaitingCall = {
    tool: toolName,
    arguments: Object.entries((parameters ?? {}) as object).map(([name, value]) => ({
      name,
      value,
      origin: origins(value),
    })),
  };
  const name = `agent-runs/${execution.id}/wait-${callId}`;
  return [
    openInboxWrite(table, {
      id,
      kind: kinds[wait.kind],
      runId: execution.id,
      runKind: 'agent',
      rootRunId,
      callId,
      ...(approvalId !== undefined && { approvalId }),
      stepId: null,
      itemKey: null,
      title: `${execution.agentName}: ${toolName}`,
      flowId: null,
      agentId: execution.agentId,
      recordId: null,
      tags: [...tags],
      emails: [],
      since,
      expiresAt: until,
      call: await payloads.offload(name, call, inlineMax),
    }),
  ];
}

/** Shorter texts occur everywhere. */
const foundFrom = 3;

/** Where a value came from: `user`, `tool:<name>` of the last one that returned it, or `model`. */
function openOrigins(messages: readonly ModelMessage[]): (value: unknown) => string {
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [toText(content)] : []));
  const returned = messages.flatMap(({ role, content }) =>
    role === 'tool' ? content.map(({ name, output }) => ({ name, text: toText(output) })) : [],
  );
  return (value) => {
    const text = toText(value);
    if (text.length < foundFrom) return 'model';
    if (said.some((each) => each.includes(text))) return 'user';
    const tool = returned.findLast((each) => each.text.includes(text));
    return tool ? `tool:${tool.name}` : 'model';
  };
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
