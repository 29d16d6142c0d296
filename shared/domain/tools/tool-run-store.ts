import * as z from 'zod';
import { Note } from '../../core/note.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { listedSeconds } from '../listed-seconds.ts';

/** One execution of a tool by itself. Its arguments and its result are an item of their own, which lists do not read. */
export const ToolExecution = z.object({
  id: z.string(),
  /** `tool_…` or `builtin:<id>` */
  toolId: z.string(),
  status: z.enum(['running', 'success', 'failed', 'cancelled', 'waiting_for_local']),
  error: z.string().nullable(),
  executionTimeMs: z.int(),
  startedAt: z.string(),
  userId: z.string(),
  /** The API key; null for a session. */
  keyId: z.string().nullable(),
  /** The run and the step that the caller named. */
  flowExecutionId: z.string().nullable(),
  stepId: z.string().nullable(),
  /** What happened in it, and the span in which it was started. */
  notes: z.array(Note).optional(),
  startedIn: z.string().optional(),
});
export type ToolExecution = z.infer<typeof ToolExecution>;

export const toolExecutionsPartition = (toolId: string) => tenantPartition(`TOOLRUNS#${toolId}`);

/** The release before 2026-11-29 reads the three ends alone: to it, one that runs or was cancelled has failed. */
const StoredExecution = ToolExecution.extend({
  status: ToolExecution.shape.status.extract(['success', 'failed', 'waiting_for_local']),
  state: z.enum(['running', 'cancelled']).optional(),
});

const toStored = (execution: ToolExecution): z.infer<typeof StoredExecution> => {
  const { status } = execution;
  if (status === 'running' || status === 'cancelled')
    return { ...execution, status: 'failed', state: status };
  return { ...execution, status };
};

const fromStored = ({ state, ...execution }: z.infer<typeof StoredExecution>): ToolExecution => ({
  ...execution,
  status: state ?? execution.status,
});

const toolExecutionEntity = defineEntity({
  type: 'toolExecution',
  schema: StoredExecution.extend({ ttl: z.int() }),
  key: ({ toolId, id }: { toolId: string; id: string }) => ({ PK: toolExecutionsPartition(toolId), SK: id }),
});

/** What it was given and what came of it, masked. */
export const ToolContent = z.object({ input: PayloadRef, output: PayloadRef.optional() });
export type ToolContent = z.infer<typeof ToolContent>;

/** Payloads of it in the bucket are expired by a rule, as the items expire by themselves. */
export const toolPayloads = 'tool-runs/';

/** The folder of a tool below it. No name of an object has the colon of a built-in tool. */
export const toolFolder = (toolId: string) => toolId.replace(':', '-');

export const toolContentsPartition = (toolId: string) => tenantPartition(`TOOLRUNS#${toolId}#CONTENT`);

const toolContentEntity = defineEntity({
  type: 'toolContent',
  schema: ToolContent.extend({ id: z.string(), toolId: z.string(), ttl: z.int() }),
  key: ({ toolId, id }: { toolId: string; id: string }) => ({ PK: toolContentsPartition(toolId), SK: id }),
});

/** Until when everything of a run of a tool is kept. */
export const toolRunExpiry = ({ startedAt }: Pick<ToolExecution, 'startedAt'>) =>
  unixSeconds(new Date(startedAt)) + listedSeconds;

export const toolExecutionStore = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => {
  const computeDuration = ({ startedAt }: Pick<ToolExecution, 'startedAt'>) =>
    Math.max(0, now().getTime() - Date.parse(startedAt));

  return {
    /** @param content Undefined if it is not to be stored, or is stored already. */
    writes(execution: ToolExecution, content: ToolContent | undefined): Write[] {
      const { id, toolId } = execution;
      const ttl = toolRunExpiry(execution);
      return [
        table.writes.put(toolExecutionEntity, { ...toStored(execution), ttl }),
        ...(content ? [table.writes.put(toolContentEntity, { ...content, id, toolId, ttl })] : []),
      ];
    },

    /** For one that its process does not end. Refused if the tool was deleted, and the execution with it. */
    endWrite({ toolId, id, startedAt }: ToolExecutionStart, status: 'failed' | 'cancelled', error: string) {
      const set = { status: 'failed', error, executionTimeMs: computeDuration({ startedAt }) } as const;
      const changes =
        status === 'cancelled' ? { set: { ...set, state: status } } : { set, remove: ['state'] as const };
      return table.writes.update(toolExecutionEntity, { toolId, id }, changes, exists);
    },

    /** Newest first. */
    async list(toolId: string, query: CursorQuery) {
      const source = { partition: toolExecutionsPartition(toolId), kind: 'toolrun' } as const;
      const { rows, pagination } = await cursorPage(table, source, query);
      const executions = z.array(StoredExecution).parse(rows).map(fromStored);
      const shown = executions.map((each) =>
        each.status === 'running' ? { ...each, executionTimeMs: computeDuration(each) } : each,
      );
      return { executions: shown, pagination };
    },
  };
});

type ToolExecutionStart = Pick<ToolExecution, 'id' | 'toolId' | 'startedAt'>;

export const toolExecutionReader = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  /** @returns undefined if it is no longer kept. */
  async execution(toolId: string, id: string): Promise<ToolExecution | undefined> {
    const stored = await table.get(toolExecutionEntity, { toolId, id }, { consistent: true });
    return stored && fromStored(stored);
  },

  /** @returns undefined if it is not stored. */
  content: (toolId: string, id: string): Promise<ToolContent | undefined> =>
    table.get(toolContentEntity, { toolId, id }, { consistent: true }),
}));
