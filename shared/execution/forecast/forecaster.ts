/**
 * Says what a run of a flow on records would cost, without calling or storing anything.
 * It samples up to `sampleMax` records, walks the flow on each with the engine in rehearsal (`walk-record.ts`: steps
 * that cost or act are planned, outputs are guessed from history), and scales up. Each step's plan is priced twice: what
 * is expected (`step-forecasts.ts`) and the most that it can cost (`prompt-call.ts`).
 * The walk ends after `walkMs`; the answer then says how many records it looked at.
 */
import type { Ports } from '../../adapters/ports/ports.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { flowFinder } from '../../domain/flows/flow-store.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { modelNames } from '../../domain/model-configs/model-names.ts';
import { type RecordItem, recordsRange } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { recordsPort } from '../../domain/records/records-port.ts';
import { idPages } from '../../domain/records/schema-discovery.ts';
import { secretVersions } from '../../domain/secrets/secret-values.ts';
import { toolsPort } from '../../domain/tools/tool-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { agentVersionReader } from '../agent-runs/agent-version-reader.ts';
import { createNothingSelectedError } from '../batches/recompute.ts';
import {
  type BatchOptions,
  batchStarter,
  createMissingRecordsError,
  createNoRecordsError,
  type RunRecordSelection,
  type SelectedRecords,
  selectRecords,
} from '../batches/start-batch.ts';
import { batchTable } from '../runs/result-table.ts';
import { findEarlierResults, readEarlier } from '../runs/reused-results.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { openModels } from './prompt-call.ts';
import { type ForecastStep, openGuesses, openStepForecasts, readHistory } from './step-forecasts.ts';
import { estimateBatchSeconds, type Forecast, sumCosts, toStepTotal } from './totals.ts';
import { forecastLimits, walkRecord } from './walk-record.ts';

/** Fails whatever is called: a forecast reaches nothing outside. */
const createClosedPort = <Port extends object>(name: string): Port =>
  new Proxy({} as Port, {
    get: (_port, member) => () => {
      throw new Error(`A forecast must not call ${name}.${String(member)}`);
    },
  });

const refuse = (name: string) => () => {
  throw new Error(`A forecast must not call ${name}`);
};

/** What a step reads to find out how often it acts. */
const openReadOnly = (scope: Scope): Ports['records'] => ({
  find: refuse('records.find'),
  search: refuse('records.search'),
  upsert: refuse('records.upsert'),
  update: refuse('records.update'),
  pages: recordsPort(scope, { userId: '', organizationId: null }).pages,
  async *batchRows(batchId) {
    for await (const { rows } of batchTable(scope)(batchId, {})) yield rows;
  },
});

/**
 * The ports of a run, of which only those work that plan: they read what names mean, and run scripts. They read no key and
 * no value of a secret.
 */
export const rehearsalPorts = /* @__PURE__ */ using(
  [sandbox, modelNames, secretVersions, toolsPort, recordsPort, batchTable, { memoryMb: 1_024 }],
  (scope: Scope): Ports => ({
    now: scope.now,
    shown: (text) => text,
    warn() {},
    secrets: secretVersions(scope),
    sandbox: sandbox(scope),
    tools: toolsPort(scope),
    model: { ...modelNames(scope), stream: refuse('model.stream') },
    agents: { versionOf: agentVersionReader(scope), run: refuse('agents.run') },
    embed: refuse('embed'),
    fetch: refuse('fetch'),
    searchAccount: refuse('searchAccount'),
    records: openReadOnly(scope),
    vectors: createClosedPort('vectors'),
    memory: createClosedPort('memory'),
    assets: createClosedPort('assets'),
    messages: createClosedPort('messages'),
    mcp: createClosedPort('mcp'),
    a2a: createClosedPort('a2a'),
    flows: createClosedPort('flows'),
    waits: createClosedPort('waits'),
  }),
);

interface ForecastRequest {
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
        selectRecords(scope, selection, timeLeftMs),
      ]);
      if (!selected || ('recordIds' in selected && selected.recordIds.length === 0))
        throw createNothingSelectedError();
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
        const earlier = reuse && (await findEarlierResults(scope, stored, { runId, flowId }, { reuse }));
        const variables = runVariables({ flowId, flowName: flow.name, runId, startedAt, userId, record });
        const walkOptions = {
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
        return walkRecord(walkOptions).catch((error) => {
          if (signal.aborted) return undefined;
          throw error;
        });
      };

      const records: ForecastStep[][] = [];
      for await (const found of mapConcurrently(sample.records, recordsAtOnce, walk))
        if (found) records.push(found);
      const others = sample.total > records.length ? await forecastLimits(steps, forecasts) : [];
      const walked = { total: sample.total, records, others };
      // A flow that runs at several places has the same steps there.
      const acting = new Map(
        [...walkSteps(steps)]
          .filter(({ step: { enabled, type } }) => enabled && getStepType(type).effects)
          .map(({ step }) => [step.id, step]),
      );
      const totals = [...acting.values()].map((step) => toStepTotal(step, walked));
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
        cost: records.length > 0 ? sumCosts(totals) : null,
        saved: records.flat().reduce((sum, { saved }) => sum + saved, 0) * factor,
        durationSeconds: estimateBatchSeconds(walked, options.recordConcurrency),
        notes: [...new Set([...sample.notes, ...late, ...failures.notes(records.length), ...reasons])],
      };
    };
  },
);

/** Steps that fail on sampled records, so that nothing after them costs anything. */
function openFailures() {
  const failed = new Map<string, { name: string; error: string; records: Set<string> }>();
  return {
    note({ id, name }: FlowStep, error: string, recordId: string): void {
      const { records } = failed.get(id) ?? { records: new Set<string>() };
      failed.set(id, { name, error, records: records.add(recordId) });
    },
    notes: (sampled: number): string[] =>
      [...failed.values()].map(
        ({ name, error, records }) =>
          `The step "${name}" fails on ${records.size} of ${sampled} sampled records: ${error}`,
      ),
  };
}

interface RecordSample {
  total: number;
  records: RecordItem[];
  notes: string[];
}

const sampleMax = 200;
const idsPerPage = 1_000;
/** Of a type with more records, the newest are sampled. */
const idsMax = 20_000;

/** At most 200 records, evenly over the selection. @throws 404 with the missing ones, 400 without any */
async function sampleRecords(
  scope: Scope,
  selected: SelectedRecords,
  isNamed: boolean,
): Promise<RecordSample> {
  const records = recordStore(scope);
  if ('recordIds' in selected) {
    const { recordIds } = selected;
    const missing = isNamed ? await records.findMissing(recordIds) : [];
    if (missing.length > 0) throw createMissingRecordsError(recordIds, missing);
    return { total: recordIds.length, records: await records.getMany(pickEvenly(recordIds)), notes: [] };
  }
  const { recordType } = selected;
  const ids: string[] = [];
  for await (const page of idPages(scope, recordType, idsPerPage)) {
    ids.push(...page);
    if (ids.length >= idsMax) break;
  }
  if (ids.length === 0) throw createNoRecordsError(recordType);
  const isAll = ids.length < idsMax;
  const total = isAll ? ids.length : await scope.table.count(recordsRange(recordType));
  const notes = total > ids.length ? [`The sample is of the newest ${ids.length} records`] : [];
  return { total, records: await records.getMany(pickEvenly(ids)), notes };
}

const pickEvenly = (ids: readonly string[]): string[] => {
  const count = Math.min(sampleMax, ids.length);
  return Array.from({ length: count }, (_, index) => ids[Math.floor((index * ids.length) / count)] as string);
};
