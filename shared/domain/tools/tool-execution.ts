import * as z from 'zod';
import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { Note } from '../../core/tracing/note.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { listedSeconds } from '../listed-seconds.ts';

/** One execution of a tool by itself, without its arguments and its result. */
export const ToolExecution = z.object({
  id: z.string(),
  /** `tool_…` or `builtin:<id>` */
  toolId: z.string(),
  status: z.enum(['success', 'failed', 'waiting_for_local']),
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

const toolExecutionEntity = defineEntity({
  type: 'toolExecution',
  schema: ToolExecution.extend({ ttl: z.int() }),
  key: ({ toolId, id }: { toolId: string; id: string }) => ({ PK: toolExecutionsPartition(toolId), SK: id }),
});

export const toolExecutionStore = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => ({
  /** @param alsoWrite Further writes of the transaction. */
  async record(execution: ToolExecution, alsoWrite: readonly Write[] = []): Promise<void> {
    const ttl = unixSeconds(now()) + listedSeconds;
    await table.commit([table.writes.insert(toolExecutionEntity, { ...execution, ttl }), ...alsoWrite]);
  },

  /** Newest first. */
  async list(toolId: string, query: CursorQuery) {
    const source = { partition: toolExecutionsPartition(toolId), kind: 'toolrun' } as const;
    const { rows, pagination } = await cursorPage(table, source, query);
    return { executions: z.array(ToolExecution).parse(rows), pagination };
  },
}));

export const toolExecutionReader = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    /** @returns undefined if it is no longer kept. */
    (toolId: string, id: string): Promise<ToolExecution | undefined> =>
      table.get(toolExecutionEntity, { toolId, id }, { consistent: true }),
);
