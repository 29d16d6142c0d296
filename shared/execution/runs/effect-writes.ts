import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { RunPath } from '../../domain/flows/steps/run-path.ts';
import type { EngineRunEvent } from '../engine/engine.ts';
import type { RunRecorder } from './checkpoints/run-recorder.ts';

/** So many results of steps with effects in items of maps may be unwritten, and so long. A process that dies repeats them. */
const inItems = { results: 4, ms: 5_000 };

/** How long a paid result waits for those of the steps after it, to be written together with them. */
const soonMs = 50;

/**
 * When results of steps with effects are written: each before the next such step begins, and soon if others follow; those
 * in items of maps in groups, as those of records are. What acts writes them with its mark.
 * @param marks Whether the run stores marks.
 */
export function openEffectWrites(recorder: Pick<RunRecorder, 'flush' | 'flushSoon'>, marks: boolean) {
  let unwritten = 0;
  let writing = Promise.resolve();
  const flush = () => {
    unwritten = 0;
    writing = recorder.flush();
    return writing;
  };
  return {
    async begin({ step, path, effects }: Extract<EngineRunEvent, { type: 'step_start' }>): Promise<void> {
      const isMarked = marks && (getStepType(step.type).acts?.(step.config) ?? false);
      if (isInItem(path) || isMarked) return;
      if (effects) await (unwritten > 0 ? flush() : writing);
      else if (unwritten > 0) recorder.flushSoon(soonMs);
    },
    async end({ result, effects }: Extract<EngineRunEvent, { type: 'step_end' }>): Promise<void> {
      if (!effects) return;
      unwritten++;
      if (!isInItem(result.path)) return;
      if (unwritten >= inItems.results) await flush();
      else recorder.flushSoon(inItems.ms);
    },
    /** Before something else with effects. */
    flush: async (): Promise<void> => {
      if (unwritten > 0) await flush();
    },
  };
}

const isInItem = (path: RunPath) => /\.i\d/.test(path);
