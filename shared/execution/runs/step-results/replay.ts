import { toChunks } from '../../../core/chunks.ts';
import {
  isClosedScope,
  isOwnScope,
  listsAround,
  type RunPath,
  stepAt,
} from '../../../domain/flows/steps/run-path.ts';
import { outputVariableName } from '../../../domain/flows/steps/step.ts';
import { decodeReadable } from '../../../platform/data/entity.ts';
import { type PayloadRef, payloadBytes } from '../../../platform/data/payloads.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import { type Checkpoint, checkpointEntity, type StoredStepResult } from '../checkpoints/checkpoint.ts';
import { type ResultRef, type StepIndex, versionName } from './step-index.ts';

export interface ReplayedResult {
  checkpoint: Pick<Checkpoint, 'recordName' | 'userId' | 'organizationId'>;
  stored: StoredStepResult;
  recordMetadata: PayloadRef | undefined;
  /** The variables set by earlier steps; null if they are too large to show or cannot be read. */
  inputs: ReadonlyMap<string, PayloadRef> | null;
}

const inputsBytesMax = 1_000_000;
/** A checkpoint has at most 400 KB, and most are far smaller. */
const checkpointsAtOnce = 100;

/**
 * Replays the runs of these results to find their variables. Reads each checkpoint once, in the order of the results,
 * and only as far as the caller asks. Returns each result once, undefined if it cannot be read.
 */
export function replayReader(table: TenantTable, refs: readonly ResultRef[], loading: Promise<StepIndex>) {
  const wanted = new Set(refs.map(nameOf));
  const replayed = new Map<string, ReplayedResult>();
  const read = new Set<string>();
  const reading = readRuns();

  async function* readRuns(): AsyncGenerator<string, void> {
    let replay: ReturnType<typeof openReplay> | undefined;
    for (const chunk of toChunks(checkpointsOf(refs), checkpointsAtOnce)) {
      const keys = chunk.map((each) => checkpointEntity.key(each));
      const [items, steps] = await Promise.all([table.getMany(keys, { consistent: true }), loading]);
      for (const [at, { runId, index, isLast }] of chunk.entries()) {
        if (index === 0 || !replay) replay = openReplay(steps);
        const [checkpoint] = decodeReadable(checkpointEntity, [items[at]]);
        for (const [place, result] of replay(checkpoint)) {
          const name = `${runId} ${index} ${place}`;
          if (wanted.has(name)) replayed.set(name, result());
        }
        if (isLast) yield runId;
      }
    }
  }

  return async (ref: ResultRef): Promise<ReplayedResult | undefined> => {
    while (!read.has(ref.entry.runId)) {
      const { value, done } = await reading.next();
      if (done) break;
      read.add(value);
    }
    const result = replayed.get(nameOf(ref));
    replayed.delete(nameOf(ref));
    return result;
  };
}

const nameOf = ({ entry, place }: ResultRef) => `${entry.runId} ${entry.index} ${place}`;

/** The checkpoints of these results and the earlier ones of their runs, which contain the variables. */
function checkpointsOf(refs: readonly ResultRef[]) {
  const runs = [...Map.groupBy(refs, ({ entry }) => entry.runId).values()];
  return runs.flatMap((ofRun) => {
    const last = Math.max(...ofRun.map(({ entry }) => entry.index));
    return ofRun
      .slice(0, 1)
      .flatMap(({ entry: { recordId, runId } }) =>
        Array.from({ length: last + 1 }, (_, index) => ({ recordId, runId, index, isLast: index === last })),
      );
  });
}

/** Follows a run from checkpoint to checkpoint. @returns each result's state by its position. */
function openReplay(steps: StepIndex) {
  /** What steps have set, by the list whose scope it is. */
  const scopes = new Map<string, Map<string, PayloadRef>>();
  let isWhole = true;
  let recordMetadata: PayloadRef | undefined;

  function put(path: RunPath, name: string, value: PayloadRef): void {
    const scope = scopesAround(path).at(-1) ?? '';
    const variables = scopes.get(scope) ?? new Map();
    variables.set(name, value);
    scopes.set(scope, variables);
  }

  function inputsOf(path: RunPath): ReadonlyMap<string, PayloadRef> | null {
    const seen = new Map(scopesAround(path).flatMap((scope) => [...(scopes.get(scope) ?? [])]));
    const bytes = [...seen].reduce(
      (sum, [name, value]) => sum + JSON.stringify(name).length + payloadBytes(value) + ':,'.length,
      0,
    );
    return isWhole && bytes <= inputsBytesMax ? seen : null;
  }

  return function* (
    checkpoint: Checkpoint | undefined,
  ): Generator<[place: number, () => ReplayedResult], void> {
    isWhole &&= checkpoint !== undefined;
    if (!checkpoint) return;
    recordMetadata ??= checkpoint.recordMetadata;
    const { steps: list = [] } = steps.get(versionName(checkpoint)) ?? {};
    for (const [place, stored] of checkpoint.results.entries()) {
      yield [place, () => ({ checkpoint, stored, recordMetadata, inputs: inputsOf(stored.path) })];
      const step = stepAt(list, stored.path);
      const variable = step && outputVariableName(step);
      if (variable && stored.output) put(stored.path, variable, stored.output);
    }
  };
}

/** The lists whose scopes a step sees, outermost first. */
function scopesAround(path: RunPath): string[] {
  const scopes = ['', ...listsAround(path).filter(isOwnScope)];
  const closed = scopes.findLastIndex(isClosedScope);
  return scopes.slice(Math.max(0, closed));
}
