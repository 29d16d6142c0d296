import { derivedId, timeMsFromId } from '../../../core/ids.ts';
import type { Variables } from '../../../core/variables/variables.ts';
import type { Message } from '../../../domain/conversations/message.ts';
import type { Flow } from '../../../domain/flows/flow.ts';
import { flowFinder } from '../../../domain/flows/flow-store.ts';
import { originOfCall, type RunLabels, type RunOrigin } from '../../../domain/runs/run-origin.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { type Batch, batchEntity } from '../batch.ts';
import { offloadBatchInput } from '../batch-input.ts';
import type { BatchOptions, BatchOwner } from './batch-options.ts';
import type { ListedRecord } from './batch-plan.ts';
import { batchRecords, listedRecords, noRecords } from './batch-records.ts';
import { batchBeginner } from './begin-batch.ts';
import type { SelectedRecords } from './record-selection.ts';

export interface RepeatableBatch {
  id: string;
  /** The records by their ids or their type. Without either, one run without a record. */
  records: SelectedRecords | null;
  /** These three are for a run without a record. */
  inputs?: Variables;
  messages?: readonly Message[];
  surface?: Batch['surface'];
  origin: RunOrigin;
  /** What is written in the transaction that creates it. Refused, it throws `BatchRefused`. */
  alsoWrite?: readonly Write[];
  options: BatchOptions;
}

interface RetryOptions
  extends BatchOptions,
    Required<Pick<Batch, 'id' | 'flowVersionId' | 'retryOf' | 'firstBatchId'>>,
    Pick<Batch, 'subFlows' | 'origin' | 'continues' | 'unsafe'> {
  /** Refused, it throws `BatchRefused`. */
  alsoWrite: readonly Write[];
}

type SelectedOptions = { options: BatchOptions } & Required<Pick<Batch, 'flowVersionId' | 'origin'>>;

export interface StartedBatch {
  batch: Batch;
  records: ListedRecord[];
  recordCount: number;
}

export const batchStarter = /* @__PURE__ */ using(
  [flowFinder, batchRecords, batchBeginner, 'payloads:read', 'payloads:write'],
  (scope: Scope) => {
    const begin = batchBeginner(scope);
    const { existing, ofType } = batchRecords(scope);

    /** @throws 400 */
    async function someOfType(recordType: string) {
      const selected = await ofType(recordType);
      if (selected.records.length === 0) throw noRecords(recordType);
      return selected;
    }

    async function beginRepeatable(flow: Flow, batch: RepeatableBatch, owner: BatchOwner): Promise<Batch> {
      const { id, records: selected, surface, origin, options, alsoWrite } = batch;
      if (selected === null) {
        const given = { ...options, id, origin, dispatched: await singleRun(scope, batch) };
        const extent = { recordType: null, totalRecords: 1 };
        return begin({
          owner,
          flow,
          records: [],
          extent,
          given: { ...given, ...(surface && { surface }) },
          alsoWrite,
        });
      }
      const records =
        'recordIds' in selected ? listedRecords(selected.recordIds) : await ofType(selected.recordType);
      return begin({ owner, flow, ...records, given: { ...options, id, origin } });
    }

    return {
      /** Creates a batch of the listed records. @throws 404 that lists the missing ones. */
      async startOnRecords(
        flowId: string,
        recordIds: readonly string[],
        options: BatchOptions,
        owner: Principal,
        labels: RunLabels = {},
      ): Promise<Batch> {
        const [flow, records] = await Promise.all([flowFinder(scope).find(flowId), existing(recordIds)]);
        return begin({
          owner,
          flow,
          ...records,
          given: { ...options, origin: originOfCall(owner, labels) },
        });
      },

      async start(
        flowId: string,
        recordType: string,
        options: BatchOptions,
        owner: Principal,
        labels: RunLabels = {},
      ): Promise<StartedBatch> {
        const [flow, { records, extent }] = await Promise.all([
          flowFinder(scope).find(flowId),
          someOfType(recordType),
        ]);
        const given = { ...options, origin: originOfCall(owner, labels) };
        const batch = await begin({ owner, flow, records, extent, given });
        return { batch, records, recordCount: batch.totalRecords };
      },

      /** Creates a batch of what is selected, with a version that is chosen. @throws 404, 400 if nothing is selected */
      async startSelected(
        flow: Flow,
        selected: SelectedRecords,
        { options, ...given }: SelectedOptions,
        owner: Principal,
      ): Promise<Batch> {
        const records =
          'recordIds' in selected
            ? await existing(selected.recordIds)
            : await someOfType(selected.recordType);
        return begin({ owner, flow, ...records, given: { ...options, ...given } });
      },

      /** Creates a batch that runs records of another one again, with its version. @throws BatchRefused */
      startRetry(
        owner: BatchOwner,
        flow: Flow,
        recordIds: readonly string[],
        { alsoWrite, ...given }: RetryOptions,
      ): Promise<Batch> {
        return begin({ owner, flow, ...listedRecords(recordIds), given, alsoWrite });
      },

      /** Creates the batch unless it exists. Of a type without records it is complete at once. @throws 404 without flow */
      async startOnce(flowId: string, batch: RepeatableBatch, owner: BatchOwner): Promise<Batch> {
        const current = () => scope.table.get(batchEntity, { id: batch.id }, { consistent: true });
        const existing = await current();
        if (existing) return existing;
        const flow = await flowFinder(scope).find(flowId);
        try {
          return await beginRepeatable(flow, batch, owner);
        } catch (error) {
          // Another process starts it at the same time.
          const other = await current();
          if (other) return other;
          throw error;
        }
      },
    };
  },
);

async function singleRun(scope: Scope, { id, inputs = {}, messages }: RepeatableBatch) {
  const input = await offloadBatchInput(scope, id, { inputs, ...(messages && { messages }) });
  return { runId: singleRunId(id), recordId: null, input, appendsMetadata: false };
}

/** Of the run of a batch without records. */
export const singleRunId = (batchId: string) => derivedId('exec', timeMsFromId(batchId), batchId);
