import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { flowFinder } from '../../domain/flows/flow-store.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { RecordItem } from '../../domain/records/record.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { nothingSelected } from '../batches/starting/recompute.ts';
import {
  type BatchOptions,
  batchStarter,
  type RunRecordSelection,
  selectedRecords,
} from '../batches/starting/start-batch.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { earlierResults, readEarlier } from '../runs/step-results/reused-results.ts';
import { openFailures } from './failures.ts';
import { openGuesses } from './guesses.ts';
import { readHistory } from './history.ts';
import { openModels } from './models.ts';
import { limitsOfRecord } from './other-steps.ts';
import { rehearsalPorts } from './rehearsal-ports.ts';
import { sampleRecords } from './sample.ts';
import { type ForecastStep, openStepForecasts } from './step-forecasts.ts';
import { batchDurationSeconds, type Forecast, totalCost, totalOfStep } from './totals.ts';
import { walkRecord } from './walk-record.ts';

export interface ForecastRequest {
  flowId: string;
  /** `published`, `draft`, or the id of a version. Default: the one that a run takes. */
  version?: string | undefined;
  records: RunRecordSelection;
  options: BatchOptions;
}

const walkMs = 10_000;
const recordsAtOnce = 8;

/** Says what a run would cost. Calls nothing, and stores nothing. */
export const forecaster = /* @__PURE__ */ using(
  [rehearsalPorts, runVersions, flowFinder, batchStarter],
  (scope: Scope) => {
    /** @throws what the start of the run would throw */
    return async (
      { flowId, version, records: selection, options }: ForecastRequest,
      principal: Principal,
      timeLeftMs: () => number,
    ): Promise<Forecast> => {
      const flow = await flowFinder(scope).find(flowId);
      const [{ steps }, selected] = await Promise.all([
        runVersions(scope).peek(flow, principal.environment, version),
        selectedRecords(scope, selection, timeLeftMs),
      ]);
      if (!selected || ('recordIds' in selected && selected.recordIds.length === 0)) throw nothingSelected();
      const isNamed = selection.recordIds !== undefined;
      const [sample, history] = await Promise.all([
        sampleRecords(scope, selected, isNamed),
        readHistory(scope, flowId),
      ]);
      const runId = scope.newId('exec');
      const { userId } = principal;
      const ports = rehearsalPorts(scope);
      const forecasts = openStepForecasts(openModels(ports.model), history, options);
      const guesses = openGuesses(history);
      const signal = AbortSignal.any(
        [scope.signal, AbortSignal.timeout(walkMs)].filter((each) => each !== undefined),
      );
      const startedAt = scope.now().toISOString();
      const failures = openFailures();

      const walk = async (record: RecordItem): Promise<ForecastStep[] | undefined> => {
        if (signal.aborted) return undefined;
        const reuse = options.reuse;
        const stored = reuse ? await readEarlier(scope, record.id) : [];
        const earlier = reuse && (await earlierResults(scope, stored, { runId, flowId }, { reuse }));
        const variables = runVariables({ flowId, flowName: flow.name, runId, startedAt, userId, record });
        const given = {
          runId,
          steps,
          variables,
          ports,
          recordId: record.id,
          earlier,
          forecasts,
          guesses,
          signal,
          onFailure: failures.note,
        };
        return walkRecord(given).catch((error) => {
          if (signal.aborted) return undefined;
          throw error;
        });
      };

      const records: ForecastStep[][] = [];
      for await (const found of mapConcurrently(sample.records, recordsAtOnce, walk))
        if (found) records.push(found);
      const others = sample.total > records.length ? await limitsOfRecord(steps, forecasts) : [];
      const walked = { total: sample.total, records, others };
      // A flow that runs at several places has the same steps there.
      const acting = new Map(
        [...walkSteps(steps)]
          .filter(({ step: { enabled, type } }) => enabled && getStepType(type).effects)
          .map(({ step }) => [step.id, step]),
      );
      const totals = [...acting.values()].map((step) => totalOfStep(step, walked));
      const factor = sample.total / Math.max(1, records.length);
      const reasons = [...records.flat(), ...others].flatMap(({ max }) => max.note ?? []);
      const late =
        records.length < sample.records.length
          ? [
              `Only ${records.length} of ${sample.records.length} sampled records were looked at within ${walkMs / 1_000} s`,
            ]
          : [];
      return {
        records: sample.total,
        sampled: records.length,
        steps: totals,
        cost: records.length > 0 ? totalCost(totals) : null,
        saved: records.flat().reduce((sum, { saved }) => sum + saved, 0) * factor,
        durationSeconds: batchDurationSeconds(walked, options.recordConcurrency),
        notes: [...new Set([...sample.notes, ...late, ...failures.notes(records.length), ...reasons])],
      };
    };
  },
);
