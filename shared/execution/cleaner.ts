import { getIdKind, type IdPrefix } from '../core/ids.ts';
import { tasksPartition } from '../domain/a2a-tasks/task.ts';
import { agentRunQueue } from '../domain/agents/agent-run-queue.ts';
import { agentKeysRange } from '../domain/agents/config/agent.ts';
import { clientTokenStore } from '../domain/client-tokens/client-token-store.ts';
import { conversationCleaner } from '../domain/conversations/remove-conversation.ts';
import { deliveryRemover } from '../domain/deliveries/remove-deliveries.ts';
import { visitorFeedbackRemover } from '../domain/feedback/visitor-feedback.ts';
import { flowKeysRange } from '../domain/flows/flow.ts';
import { importedRecordsCleaner } from '../domain/imports/remove-imported.ts';
import { recordPartition } from '../domain/records/record.ts';
import type { Run } from '../domain/runs/run.ts';
import { scheduleCleaner, scheduleRemover } from '../domain/schedules/schedule-store.ts';
import { surfaceKeyRemover } from '../domain/surfaces/remove-product.ts';
import { surfaceSecretRemover } from '../domain/surfaces/remove-surface-secrets.ts';
import {
  toolContentsPartition,
  toolExecutionsPartition,
  toolFolder,
  toolPayloads,
} from '../domain/tools/tool-run-store.ts';
import { using } from '../platform/aws/uses.ts';
import type { Key } from '../platform/data/keys.ts';
import { payloadFolders, payloadRemover } from '../platform/data/payloads.ts';
import type { QueryOptions } from '../platform/data/query.ts';
import type { Scope } from '../platform/data/scope.ts';
import type { StoredItem } from '../platform/data/table.ts';
import { runRemover } from './agent-runs/sweep-runs.ts';
import { flowResultsPartition, flowShards } from './runs/checkpoint.ts';
import type { CheckpointEntry } from './runs/checkpoint-index.ts';
import { listedRunRemover } from './runs/delete-run-result.ts';
import { toRecordCostKeys } from './runs/spending.ts';

/** Removes the dependent items and payloads of a deleted item, page by page. */
export const cleaner = /* @__PURE__ */ using(
  [
    ...(['table:write', 'table:delete', payloadFolders, runRemover, scheduleRemover] as const),
    ...([surfaceKeyRemover, surfaceSecretRemover, deliveryRemover] as const),
    ...([
      agentRunQueue,
      clientTokenStore,
      conversationCleaner,
      visitorFeedbackRemover,
      importedRecordsCleaner,
    ] as const),
  ],
  (scope: Scope) => {
    const { table } = scope;
    const payloads = payloadRemover();
    const folders = payloadFolders(scope);
    const removeRunsOf = runRemover(scope);

    const removeRange = (
      range: QueryOptions,
      keysBeside: (items: readonly StoredItem[]) => Key[] = () => [],
    ): Promise<void> =>
      table.removeRange(range, async (items) => {
        await payloads.remove(items.flatMap(listPointers));
        // First: only the items tell of them.
        await table.removeAll(keysBeside(items));
      });

    /** Agents whose calls of the flow wait. The calls fail. If it is lost, a sweep looks at the end of the wait. */
    async function continueAgentsAround(runs: readonly Run[]): Promise<void> {
      for (const { kind, batchId, parentRunId, completedAt } of runs)
        if (kind === 'flow' && batchId && parentRunId && completedAt === undefined)
          await agentRunQueue(scope).send(parentRunId);
    }

    async function cleanFlow(id: string): Promise<void> {
      for (let shard = 0; shard < flowShards; shard++) {
        await removeRange({ partition: flowResultsPartition(id, shard), index: 1 }, listCostKeys);
      }
      await listedRunRemover(scope)({ flowId: id }, continueAgentsAround);
      await removeRange(flowKeysRange(id));
      // The steps of the deleted flow, and of overwritten drafts.
      await folders.remove(id);
    }

    async function cleanAgent(id: string): Promise<void> {
      await removeRunsOf(id);
      await listedRunRemover(scope)({ agentId: id });
      await removeRange(agentKeysRange(id));
    }

    async function cleanSurface(id: string): Promise<void> {
      await scheduleRemover(scope)(id);
      await surfaceKeyRemover(scope)(id);
      await surfaceSecretRemover(scope)(id);
      await deliveryRemover(scope)(id);
      await removeRange({ partition: tasksPartition(id) });
      await folders.remove(`a2a-tasks/${id}`);
      await clientTokenStore(scope).removeOfSurface(id);
    }

    async function cleanTool(id: string): Promise<void> {
      await listedRunRemover(scope)({ toolId: id });
      await removeRange({ partition: toolExecutionsPartition(id) });
      await removeRange({ partition: toolContentsPartition(id) });
      await payloadFolders(scope, toolPayloads).remove(toolFolder(id));
    }

    const cleaners: { [Kind in IdPrefix]?: (id: string) => Promise<void> } = {
      flow: cleanFlow,
      agent: cleanAgent,
      tool: cleanTool,
      import: importedRecordsCleaner(scope),
      record: (id) => removeRange({ partition: recordPartition(id) }),
      schedule: scheduleCleaner(scope),
      surface: cleanSurface,
      conv: async (id) => {
        // First: only the conversation tells of it.
        await visitorFeedbackRemover(scope)(id);
        await conversationCleaner(scope)(id);
      },
      // The items of a result are deleted with it.
      exec: (id) => folders.remove(`runs/${id}`),
    };

    return async (id: string): Promise<void> => {
      const clean = cleaners[getIdKind(id)];
      if (!clean) throw new Error(`Cannot clean up ${id}: unknown kind of id`);
      await clean(id);
    };
  },
);

const listCostKeys = (items: readonly StoredItem[]): Key[] =>
  items.flatMap(({ summary }) => toRecordCostKeys(summary as Partial<CheckpointEntry>));

const listPointers = ({ summary }: Record<string, unknown>): string[] =>
  (summary as { pointers?: string[] } | undefined)?.pointers ?? [];
